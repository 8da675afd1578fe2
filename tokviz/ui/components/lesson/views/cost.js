// What a text costs as input, by model or by language.

import { make } from "../../../kit/elements.js";
import { rate } from "../../../kit/words.js";
import { Field } from "./field.js";
import { drawTable } from "./table.js";

export class CostView {
  constructor(box, change) {
    this.field = new Field(box, change, "Text", 3);
    this.table = box.appendChild(make("div"));
  }

  show(data) {
    this.field.show(data);
    const most = Math.max(1, ...data.rows.map((row) => row.tokens || 0));
    const made = {
      words: { title: "Words", figure: true },
      tokens: { title: "Tokens", figure: true, bar: data.columns.length < 4 ? most : 0 },
      price: { title: "A million tokens", figure: true },
      cost: { title: "This text", figure: true },
      rounded: { title: "Rounded", figure: true },
      million: { title: "A million times", figure: true },
      factor: { title: "Times as many", figure: true },
    };
    const columns = data.columns.map((name) => made[name]);
    const rows = data.rows.map((row) => [
      { name: row.title, glyph: data.model ? "" : row.glyph, series: row.series, note: row.source },
      ...data.columns.map((name) => (name === "factor" && row.factor ? rate(row.factor) : row[name])),
    ]);
    const first = data.model ? `With ${data.model}` : "Model";
    const sources = [...new Set(data.rows.map((row) => `${data.model || row.title}: ${row.source}`))];
    const details = make("details", "sources");
    const list = make("ul");
    list.append(...sources.map((source) => make("li", "", source)));
    details.append(make("summary", "", "Sources of the prices"), list);
    details.hidden = !data.columns.some((name) => ["price", "cost", "rounded", "million"].includes(name));
    this.table.replaceChildren(drawTable([{ title: first }, ...columns], rows), details);
  }
}

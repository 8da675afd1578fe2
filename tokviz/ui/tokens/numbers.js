// The numbers: the figures of the text, also for each model. Python counts them when typing rests; from the next key on
// they are out of date, and greyed.

import { make, seriesMark } from "../kit/elements.js";
import { contextWords, costWords } from "./price.js";

const IN_HEADS = ["tokens", "bytes per token"]; // shown live in the head of each token view

export class Numbers {
  // fold: a button, and what it opens, to which the sources are added.
  constructor(parent, fold) {
    this.root = parent.appendChild(make("section", "numbers"));
    this.root.setAttribute("aria-label", "Numbers");
    const line = this.root.appendChild(make("div", "numbers-line"));
    this.text = line.appendChild(make("p", "stats"));
    line.append(fold.button);
    this.table = make("div", "figures");
    this.models = make("div");
    this.remarks = make("div", "caption quiet");
    this.root.append(this.table, this.remarks, this.models, fold.body);
    fold.body.append(make("h3", "caption", "How it is counted, and the sources"));
    this.sources = fold.body.appendChild(make("ul", "caption quiet"));
  }

  wait() {
    this.root.classList.add("waits");
  }

  // A tokenizer whose panel refuses the text has no figures of it.
  show({ text, rows: counted, sources, remarks }, panels, heads) {
    this.root.classList.remove("waits");
    const alone = panels.length === 1;
    const rows = counted.map(([what, all]) => [what, all.map((one, i) => (panels[i].encoding.refused ? "–" : one))]);
    const figures = alone
      ? rows.filter(([what]) => !IN_HEADS.includes(what)).map(([what, [value]]) => [value, what])
      : [];
    this.strip(this.text, [...text, ...figures]);
    this.table.hidden = alone || !panels.length;
    this.table.replaceChildren(...(this.table.hidden ? [] : [this.tabled(rows, panels)]));
    const tokensOf = (key) => Number(rows[0][1][panels.findIndex(({ data }) => data.key === key)].replaceAll(",", ""));
    this.models.replaceChildren(
      ...heads
        .filter(({ model, key }) => model && tokensOf(key) >= 0)
        .map((head) => this.ofModel(head, tokensOf(head.key))),
    );
    this.remarks.hidden = !remarks.length;
    this.remarks.replaceChildren(...remarks.map((remark) => make("p", "", remark)));
    this.sources.replaceChildren(...sources.map((source) => make("li", "", source)));
  }

  // What the text comes to for a model.
  ofModel({ title, facts, model }, tokens) {
    const line = make("p", "stats");
    const words = [costWords(tokens, model), contextWords(tokens, model)].filter(Boolean).join(" · ");
    line.append(make("b", "", title), " ", make("span", "quiet", words));
    line.title = facts;
    return line;
  }

  strip(place, figures) {
    place.hidden = !figures.length;
    place.replaceChildren(
      ...figures.flatMap(([value, what]) => {
        const pair = make("span");
        pair.append(make("b", "", value), " ", make("span", "quiet", what));
        return [pair, " "];
      }),
    );
  }

  tabled(rows, panels) {
    const table = make("table");
    const head = table.createTHead().insertRow();
    const body = table.createTBody();
    head.append(
      make("td"),
      ...panels.map(({ data: { name, glyph, series } }) => {
        const cell = Object.assign(make("th"), { scope: "col" });
        cell.append(seriesMark({ glyph, series }), " ", name);
        cell.title = name;
        return cell;
      }),
    );
    for (const [what, values] of rows) {
      const row = body.insertRow();
      row.append(
        Object.assign(make("th", "", what), { scope: "row" }),
        ...values.map((value) => make("td", "", value)),
      );
    }
    return table;
  }
}

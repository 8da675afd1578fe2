// The vocabularies of real models as a table, and the size of the table of vectors.

import { asTyped, make } from "../../../kit/elements.js";
import { figure, rate } from "../../../kit/words.js";
import { drawTable } from "./table.js";

const megabytes = (million) => (million >= 1000 ? `${rate(million / 1000)} GB` : `${figure(million)} MB`);

export class ModelsView {
  constructor(box, change) {
    this.inputs = make("div", "inputs");
    this.fields = [
      ["width", "Numbers in a vector"],
      ["size", "Bytes for a number"],
    ].map(([name, words]) => {
      const label = make("label", "", words);
      const field = asTyped(make("input"));
      field.type = "text";
      field.inputMode = "numeric";
      field.addEventListener("input", () => {
        change({ width: this.fields[0].value, size: this.fields[1].value });
      });
      label.append(field);
      field.name = name;
      this.inputs.append(label);
      return field;
    });
    this.box = make("div");
    box.append(this.inputs, this.box);
  }

  show(data) {
    this.inputs.hidden = !data.changing;
    if (!this.shown) for (const field of this.fields) field.value = data[field.name];
    this.shown = true;
    const made = {
      year: { title: "Year", cell: (row) => (row.year ? String(row.year) : null), figure: true },
      vocabulary: { title: "Ids", cell: (row) => row.vocabulary, bar: data.most, figure: true },
      ordinary: { title: "Ordinary tokens", cell: (row) => row.ordinary, figure: true },
      kind: { title: "Kind", cell: (row) => row.kind },
      vectors: { title: "Table of vectors", cell: (row) => row.vectors && megabytes(row.vectors), figure: true },
    };
    const columns = data.columns.map((name) => made[name]);
    const rows = data.rows.map((row) => [
      { name: row.title, note: row.sources },
      ...columns.map(({ cell }) => cell(row)),
    ]);
    const sources = make("details", "sources");
    const list = make("ul");
    list.append(...data.rows.map((row) => make("li", "", `${row.title}: ${row.sources}`)));
    sources.append(make("summary", "", "Sources"), list);
    // Many rows of few columns stand in two halves, side by side.
    const half = rows.length > 6 && columns.length < 3 ? Math.ceil(rows.length / 2) : rows.length;
    const tables = make("div", half < rows.length ? "halves" : "");
    for (let i = 0; i < rows.length; i += half) {
      tables.append(drawTable([{ title: "Model" }, ...columns], rows.slice(i, i + half)));
    }
    this.box.replaceChildren(tables, sources);
  }
}

// The numbers: the figures of the text, also for a model. Python counts them when typing rests; from the next key on
// they are out of date, and greyed.

import { make, seriesMark } from "../elements.js";

const IN_HEADS = ["tokens", "bytes per token"]; // shown live in the head of each token view

export class Numbers {
  // `choose` is called with the name of the chosen model, "" for none.
  constructor(parent, choose) {
    this.root = parent.appendChild(make("section", "numbers"));
    this.root.setAttribute("aria-label", "Numbers");
    this.text = this.root.appendChild(make("p", "stats"));
    this.table = this.root.appendChild(make("div", "figures"));
    const held = this.root.appendChild(make("p", "held-against"));
    const label = held.appendChild(make("label", "quiet", "Model"));
    this.select = held.appendChild(make("select"));
    this.select.id = label.htmlFor = "model";
    this.select.addEventListener("change", () => choose(this.select.value));
    this.model = this.root.appendChild(make("p", "stats"));
    this.missing = this.root.appendChild(make("p", "caption quiet"));
    this.sources = this.root.appendChild(make("details", "caption"));
    this.sources.append(make("summary", "", "How it is counted, and the sources"), make("ul"));
  }

  // Set the models to choose from, by their makers, and the chosen one.
  offer(makers, model) {
    const offered = JSON.stringify(makers);
    if (offered !== this.offered) {
      this.offered = offered;
      const option = (value, words) => Object.assign(make("option", "", words), { value });
      this.select.replaceChildren(
        option("", "no model"),
        ...makers.map(([maker, models]) => {
          const group = Object.assign(make("optgroup"), { label: maker });
          group.append(...models.map(([name, title]) => option(name, title)));
          return group;
        }),
      );
    }
    this.select.value = model;
  }

  wait() {
    this.root.classList.add("waits");
  }

  show({ text, rows, of_model, missing, sources }, blocks) {
    this.root.classList.remove("waits");
    const alone = blocks.length === 1;
    const figures = alone
      ? rows.filter(([what]) => !IN_HEADS.includes(what)).map(([what, [value]]) => [value, what])
      : [];
    this.strip(this.text, [...text, ...figures]);
    this.table.hidden = alone || !blocks.length;
    this.table.replaceChildren(...(this.table.hidden ? [] : [this.tabled(rows, blocks)]));
    this.strip(this.model, of_model);
    this.missing.hidden = !missing.length;
    this.missing.textContent = missing.join(" ");
    this.sources.lastChild.replaceChildren(...sources.map((source) => make("li", "", source)));
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

  tabled(rows, blocks) {
    const table = make("table");
    const head = table.createTHead().insertRow();
    const body = table.createTBody();
    head.append(
      make("td"),
      ...blocks.map(({ name, glyph, series }) => {
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

// Texts below each other: the tokens of one tokenizer, which the reader picks, and the number of tokens of each.

import { make, makeArea, makeButton, seriesMark, setAttributes } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";
import { TextRows } from "../text_rows.js";

export class TextsView {
  constructor(box, change) {
    this.change = change;
    this.area = box.appendChild(makeArea("Text", () => change({ text: this.area.value })));
    this.area.name = "text";
    const top = box.appendChild(make("div", "texts-top"));
    this.pick = top.appendChild(make("span", "series-pick"));
    setAttributes(this.pick, { role: "group", "aria-label": "Whose tokens are drawn" });
    this.turn = top.appendChild(make("span", "turn asks"));
    this.turn.append(
      makeButton("", "◁", () => change({ sentence: this.data.sentence - 1 }), "The sentence before"),
      makeButton("", "▷", () => change({ sentence: this.data.sentence + 1 }), "The next sentence"),
    );
    this.rows = new TextRows(box);
  }

  show(data) {
    this.data = data;
    if (this.drawn === undefined) {
      this.drawn = data.drawn;
      this.area.rows = data.lines;
      this.area.value = data.text;
    }
    this.area.hidden = !data.typing;
    this.turn.hidden = !data.sentences;
    this.draw();
  }

  draw() {
    const { columns, rows } = this.data;
    const held = this.pick.contains(this.pick.getRootNode().activeElement);
    this.pick.replaceChildren(
      ...columns.map((column, i) => {
        const button = makeButton("", "", () => {
          this.drawn = i;
          this.draw();
        });
        button.append(seriesMark(column), make("span", "", column.name));
        button.setAttribute("aria-pressed", String(i === this.drawn));
        return button;
      }),
    );
    if (held) this.pick.children[this.drawn].focus();
    const drawn = rows.map((row) => ({ ...row, encoding: row.encodings[this.drawn] }));
    this.rows.show(drawn, { marked: false, figures: (row) => this.figures(row) });
  }

  // The tokens of a row under each tokenizer, and what its note says of the one that is drawn.
  figures({ tokens, notes }) {
    const cells = tokens.map((n, i) => {
      const cell = make("span", `series-count${i === this.drawn ? " now" : ""}`);
      const name = this.data.columns[i].name;
      cell.append(seriesMark(this.data.columns[i]), make("span", "", figure(n)));
      setAttributes(cell, { role: "img", "aria-label": `${name}: ${quantity(n, "token")}` });
      cell.title = `${name}: ${quantity(n, "token")}`;
      return cell;
    });
    if (notes.some(Boolean) || this.data.rows.some((row) => row.notes[this.drawn])) {
      cells.push(make("span", "quiet note-of", notes[this.drawn]));
    }
    return cells;
  }
}

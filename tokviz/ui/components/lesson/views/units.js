// A text as words, as characters and as tokens. Pieces that the vocabulary does not have are crossed out.

import { make } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";
import { Field } from "./field.js";
import { Rows } from "./rows.js";

const TITLES = { word: "Words", character: "Characters", token: "Tokens" };

export class UnitsView {
  constructor(box, change) {
    box.classList.add("units");
    this.field = new Field(box, change, "Text", 1);
    this.rows = new Rows(box);
  }

  close() {
    this.rows.close();
  }

  show(data) {
    this.field.show(data);
    this.rows.show(
      data.rows,
      ({ unit, pieces, unknown, known }) => [
        make("b", "", TITLES[unit]),
        make("span", "quiet", quantity(pieces, "piece")),
        make("span", unknown ? "lost" : "quiet", unknown ? `${figure(unknown)} unknown` : "none unknown"),
        make("span", "quiet known", `vocabulary: ${quantity(known, unit)}`),
      ],
      ({ unit }) => `The text as ${unit}s`,
    );
  }
}

// A text as several encoders cut it.

import { make } from "../../elements.js";
import { quantity } from "../../words.js";
import { Field } from "./field.js";
import { Rows } from "./rows.js";

export class WaysView {
  constructor(box, change) {
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
      ({ name, tokens, same }) => [
        make("b", "", name),
        make("span", "quiet", quantity(tokens, "token")),
        ...(same ? [] : [make("span", "lost", "other tokens")]),
      ],
      ({ name }) => `Tokens: ${name}`,
    );
  }
}

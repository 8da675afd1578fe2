// A text as the tokens of one or several tokenizers, one below the other. The learner may change the text.

import { make, seriesMark } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { FieldAndRows } from "./rows.js";

export class TokensView extends FieldAndRows {
  show(data) {
    this.field.show(data);
    this.rows.root.classList.toggle("beside", data.rows.length > 1);
    this.rows.show(
      data.rows,
      (row) => [seriesMark(row), make("b", "", row.name), make("span", "quiet", quantity(row.tokens, "token"))],
      (row) => `Tokens of ${row.name}`,
      data.ids,
    );
  }
}

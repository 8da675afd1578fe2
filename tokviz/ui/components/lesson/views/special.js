// One text that holds special tokens, read in up to three ways: the call, how many tokens it gives, and which.

import { make } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { FieldAndRows } from "./rows.js";

export class SpecialView extends FieldAndRows {
  show(data) {
    this.field.show(data);
    const words = ({ fault, tokens }) => (fault ? "raises an error" : quantity(tokens, "token"));
    this.rows.show(
      data.rows,
      (row) => [make("b", "", row.title), make("code", "", row.code), make("span", "quiet", words(row))],
      ({ title }) => `${title}: tokens`,
      false,
      ({ fault }) => (fault ? [make("p", "refused", fault)] : []),
    );
  }
}

// One text that holds special tokens, read in up to three ways: the call, how many tokens it gives, and which.

import { make } from "../../elements.js";
import { quantity } from "../../words.js";
import { Field } from "./field.js";
import { Rows } from "./rows.js";

export class SpecialView {
  constructor(box, change) {
    this.field = new Field(box, change);
    this.rows = new Rows(box);
  }

  close() {
    this.rows.close();
  }

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

// Type a text of which something is true: the text, and its tokens in each row.
//
// start: {text, lines}. judged: {rows}.

import { makeArea } from "../../../kit/elements.js";
import { TextRows } from "../text_rows.js";

export class FindTextTask {
  constructor(box, attempt, typed) {
    this.attempt = attempt;
    this.area = box.appendChild(makeArea("Your text", () => typed(this.area.value)));
    this.rows = new TextRows(box);
  }

  start({ text, lines }) {
    this.area.rows = lines;
    this.area.value = text;
    this.rows.show([]);
    if (text) this.attempt(text);
  }

  judged({ rows }) {
    this.rows.show(this.area.value ? rows : []);
  }
}

// What each kind of task does. A child has draw(), which says what is drawn from its own fields.
//
// start: what it shows before the first answer. on: attempt(answer) has the server judge an answer, typed(answer) says what
// it is so far.

import { make } from "../../kit/elements.js";
import { render } from "../../kit/html.js";

export class Task {
  constructor(start, on) {
    Object.assign(this, { on, root: make("div") }, start);
    this.redraw();
  }

  redraw(fields) {
    render(this.draw(Object.assign(this, fields)), this.root);
  }

  // The answer of an earlier visit.
  restore(answer) {
    this.redraw({ answer });
  }

  judged(data, state) {
    this.redraw({ ...data, state });
  }
}

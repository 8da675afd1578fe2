// A text area for what the learner may change. It keeps what was typed: the first text alone comes from the lesson.

import { make } from "../../elements.js";

export class Area {
  // typed(value) is called with each change.
  constructor(label, typed, rows = 2) {
    this.root = make("textarea", "area");
    this.root.rows = rows;
    this.root.spellcheck = false;
    this.root.setAttribute("aria-label", label);
    this.root.addEventListener("input", () => typed(this.root.value));
  }

  // wanted: whether the learner may type.
  show(value, wanted) {
    this.root.hidden = !wanted;
    if (!this.shown) this.root.value = value ?? "";
    this.shown = true;
  }
}

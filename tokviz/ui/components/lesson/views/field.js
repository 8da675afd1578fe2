// The field of a view whose text the learner may change.

import { makeArea } from "../../../kit/elements.js";

export class Field {
  constructor(box, change, label = "Text", rows = 2) {
    this.area = box.appendChild(makeArea(label, () => change({ text: this.area.value }), rows));
    this.area.name = "text";
  }

  // The text is put in once: from then on the learner's stays, however late an answer comes.
  show({ text, typing }) {
    this.area.hidden = !typing;
    if (!this.shown) this.area.value = text;
    this.shown = true;
  }
}

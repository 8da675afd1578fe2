// Type a text, or two, of which something is true: the fields, and the tokens in each row.
//
// start: {fields: name -> text, by: whose tokens they are, if the rows do not say it, blocks}. judged: {blocks}.

import { make, makeArea } from "../../kit/elements.js";
import { View } from "../view.js";

export class FindTextTask {
  constructor(box, _attempt, typed) {
    this.tell = typed;
    this.rows = new View(box, null);
  }

  get texts() {
    return this.areas.map((area) => area.value);
  }

  start({ fields, by, blocks }) {
    const names = Object.keys(fields);
    this.areas = names.map((name) => makeArea(name, () => this.tell(names.length > 1 ? this.texts : this.texts[0])));
    this.rows.root.before(...this.areas);
    if (by) this.rows.root.after(make("p", "quiet named", `Tokenizer: ${by}`));
    this.restore(Object.values(fields));
    this.rows.show({ blocks });
  }

  restore(answer) {
    const texts = [answer].flat();
    for (const [i, area] of this.areas.entries()) area.value = texts[i] ?? "";
  }

  judged({ blocks }) {
    this.rows.show({ blocks: this.texts.some(Boolean) ? blocks : [] });
  }
}

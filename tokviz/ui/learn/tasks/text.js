// Type a text, or two, of which something is true.
//
// start and judged: {blocks}, the fields and what is drawn of their texts. An answer is the text, or the list of both.

import { View } from "../view.js";

export class TextTask {
  constructor(box, { blocks }, { typed }) {
    this.names = blocks.filter(({ kind }) => kind === "field").map(({ name }) => name);
    this.view = new View(box, () => {
      const texts = this.names.map((name) => this.view.value(name));
      typed(texts.length > 1 ? texts : texts[0]);
    });
    this.view.show({ blocks });
  }

  close() {
    this.view.close();
  }

  restore(answer) {
    for (const [i, text] of [answer].flat().entries()) this.view.fill(this.names[i], text);
  }

  judged(data) {
    this.view.show(data);
  }
}

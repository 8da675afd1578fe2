// Type a text, or two, of which something is true.
//
// start and judged: {blocks}, the fields and what is drawn of their texts. An answer is the text, or the list of both.

import { View } from "../view.js";

export class TextTask {
  constructor({ blocks }, { typed }) {
    this.names = blocks.filter(({ kind }) => kind === "field").map(({ name }) => name);
    this.view = new View(() => {
      const texts = this.names.map((name) => this.view.value(name));
      typed(texts.length > 1 ? texts : texts[0]);
    });
    this.root = this.view.root;
    this.view.show({ blocks });
  }

  close() {
    this.view.close();
  }

  restore(answer) {
    this.view.fill(Object.fromEntries([answer].flat().map((text, i) => [this.names[i], text])));
  }

  judged(data) {
    this.view.show(data);
  }
}

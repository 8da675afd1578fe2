// Rows of tokens, one below the other, each with a line above it.

import { make } from "../../../kit/elements.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { Field } from "./field.js";

export class Rows {
  constructor(box) {
    this.root = box.appendChild(make("div", "rows"));
    this.views = [];
  }

  close() {
    for (const view of this.views.splice(0)) view.close();
  }

  // rows: each {encoding}; without one, no tokens are drawn. headOf: the elements of its line. label: of its tokens, for
  // screen readers. underOf: elements between its line and its tokens.
  show(rows, headOf, label, ids = false, underOf = () => []) {
    this.close();
    this.root.replaceChildren(
      ...rows.map((row) => {
        const block = make("div", "row");
        const head = make("p", "row-head");
        head.append(...headOf(row));
        block.append(head, ...underOf(row));
        if (!row.encoding) return block;
        const view = new TokenView(make("div", "view"), label(row));
        view.ids = ids;
        view.load(read(row.encoding));
        this.views.push(view);
        block.append(view.box);
        return block;
      }),
    );
  }
}

// A view with a field for its text, so many lines high, and rows of what several tokenizers or patterns make of the text.
export class FieldAndRows {
  constructor(box, change, lines = 2) {
    this.field = new Field(box, change, "Text", lines);
    this.rows = new Rows(box);
  }

  close() {
    this.rows.close();
  }
}

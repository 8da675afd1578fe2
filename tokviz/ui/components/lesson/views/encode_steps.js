// A text being encoded: its tokens as they stand, and the merges by rank. Those that have acted are ticked.

import { make } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { fromHex, read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { Field } from "./field.js";
import { drawMerge } from "./merge.js";

export class EncodeStepsView {
  constructor(box, change) {
    this.field = new Field(box, change, "Text", 1);
    this.counts = box.appendChild(make("p", "row-head"));
    this.view = new TokenView(box.appendChild(make("div", "view")), "The text in tokens");
    box.append(make("p", "row-head ranks-head", "The merges, in their order"));
    this.list = box.appendChild(make("ol", "ranks"));
  }

  close() {
    this.view.close();
  }

  show(data) {
    this.field.show(data);
    this.counts.replaceChildren(make("b", "", quantity(data.tokens, "token")));
    this.view.load(read(data.encoding));
    this.list.replaceChildren(
      ...data.merges.map(({ rank, left, right, acted }) => {
        const item = make("li", acted ? "acted" : "");
        const merge = make("span", "merge-of");
        merge.append(...drawMerge(fromHex(left.hex), fromHex(right.hex)));
        item.append(make("span", "rank", String(rank + 1)), merge, make("span", "tick", acted ? "✓" : ""));
        return item;
      }),
    );
  }
}

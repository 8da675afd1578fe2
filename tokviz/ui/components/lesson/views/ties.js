// One corpus under each rule for ties: the first merges, side by side. From where a rule differs from the first on, its
// merges are marked.

import { make } from "../../../kit/elements.js";
import { times } from "../../../kit/words.js";
import { fromHex } from "../../encoding.js";
import { Field } from "./field.js";
import { drawMerge } from "./merge.js";

export class TiesView {
  constructor(box, change) {
    this.field = new Field(box, change, "Corpus", 1);
    this.rules = box.appendChild(make("div", "tie-rules"));
  }

  show(data) {
    this.field.show(data);
    this.rules.replaceChildren(
      ...data.rules.map(({ label, rows, differs }) => {
        const column = make("div", "tie-rule");
        column.append(make("b", "", label));
        if (!rows) {
          column.append(make("p", "quiet veil", "Hidden until you answer"));
          return column;
        }
        const list = column.appendChild(make("ol"));
        list.append(
          ...rows.map(({ left, right, count }, i) => {
            const item = make("li", i === differs ? "differs" : "");
            const merge = make("span", "merge-of");
            merge.append(...drawMerge(fromHex(left.hex), fromHex(right.hex)));
            item.append(make("span", "rank", String(i + 1)), merge, make("span", "quiet often", times(count)));
            return item;
          }),
        );
        if (!rows.length) column.append(make("p", "quiet", "No pair yet"));
        if (Number.isInteger(differs))
          column.append(make("p", "lost", `Merge ${differs + 1} differs from the first rule`));
        return column;
      }),
    );
  }
}

// A small corpus in tokens, and its pairs with a bar for how often each occurs.

import { make } from "../../../kit/elements.js";
import { quantity, times } from "../../../kit/words.js";
import { fromHex, read } from "../../encoding.js";
import { homeHues } from "../../hues.js";
import { drawPair } from "../../sentences.js";
import { TokenView } from "../../token_view/pointing.js";
import { Field } from "./field.js";
import { TOKEN_LETTERS } from "./merge.js";

export class PairsView {
  constructor(box, change) {
    this.field = new Field(box, change, "Corpus", 1);
    this.view = new TokenView(box.appendChild(make("div", "view")), "The corpus in tokens");
    this.list = box.appendChild(make("ol", "pair-bars"));
    this.rest = box.appendChild(make("p", "quiet rest"));
  }

  close() {
    this.view.close();
  }

  show(data) {
    this.field.show(data);
    const encoding = read(data.encoding);
    this.view.load(encoding, homeHues(encoding));
    this.list.replaceChildren(
      ...data.rows.map(({ left, right, count }) => {
        const item = make("li");
        const pair = make("span", "merge-of");
        pair.append(drawPair(fromHex(left.hex), fromHex(right.hex), TOKEN_LETTERS));
        const bar = make("i", "bar");
        bar.style.width = `${(100 * count) / data.most}%`;
        const room = make("span", "bar-room");
        room.append(bar);
        item.append(pair, room, make("span", "often", times(count)));
        return item;
      }),
    );
    this.rest.textContent = data.more
      ? `and ${quantity(data.more, "pair")} more`
      : data.rows.length
        ? ""
        : "No pair yet. Write at least two letters.";
    this.rest.hidden = !this.rest.textContent;
  }
}

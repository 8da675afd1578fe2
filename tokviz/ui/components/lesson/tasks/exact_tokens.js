// Type a text that needs exactly so many tokens: the text, its tokens, and a box for each token.
//
// start: {wanted, text, tokenizer}. judged: {tokens, bytes, encoding}.

import { make, makeArea, unspoken } from "../../../kit/elements.js";
import { figure } from "../../../kit/words.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";

const MOST = 12; // boxes that are drawn

export class ExactTokensTask {
  constructor(box, attempt, typed) {
    this.area = makeArea("Your text", () => typed(this.area.value), 2);
    this.attempt = attempt;
    this.count = make("p", "count");
    this.view = new TokenView(make("div", "view"), "The tokens of your text");
    this.named = make("p", "quiet named");
    box.append(this.area, this.count, this.view.box, this.named);
  }

  close() {
    this.view.close();
  }

  start({ wanted, text, tokenizer }) {
    this.wanted = wanted;
    this.named.textContent = `Tokenizer: ${tokenizer}`;
    this.area.value = text;
    this.attempt(text);
  }

  judged({ tokens, bytes, encoding }) {
    const boxes = unspoken(make("span", "boxes"));
    for (let i = 0; i < Math.min(MOST, Math.max(tokens, this.wanted)); i++) {
      const kind = i >= this.wanted ? "over" : i < tokens ? "full" : "";
      boxes.append(make("i", tokens === this.wanted ? "right" : kind));
    }
    this.count.replaceChildren(
      make("b", "", figure(tokens)),
      make("span", "quiet", tokens === 1 ? "token" : "tokens"),
      make("b", "", figure(bytes)),
      make("span", "quiet", bytes === 1 ? "byte" : "bytes"),
      boxes,
    );
    this.view.load(read(encoding));
  }
}

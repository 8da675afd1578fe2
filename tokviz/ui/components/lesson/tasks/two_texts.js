// Two texts, each with its length and its tokens.
//
// start: {texts, tokenizer, rows}. judged: {rows: [{characters, tokens, encoding}]}.

import { make, makeArea } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";

const NAMES = ["First text", "Second text"];

export class TwoTextsTask {
  constructor(box, _attempt, typed) {
    this.parts = NAMES.map((name) => {
      const part = make("div", "one-of-two");
      const head = make("p", "row-head");
      const area = makeArea(name, () => typed(this.parts.map((each) => each.area.value)));
      const view = new TokenView(make("div", "view"), `Tokens: ${name}`);
      part.append(head, area, view.box);
      return { name, part, head, area, view };
    });
    this.named = make("p", "quiet named");
    box.append(...this.parts.map(({ part }) => part), this.named);
  }

  close() {
    for (const { view } of this.parts) view.close();
  }

  start({ texts, tokenizer, rows }) {
    this.named.textContent = `Tokenizer: ${tokenizer}`;
    this.restore(texts);
    this.judged({ rows });
  }

  restore(texts) {
    this.parts.forEach(({ area }, i) => {
      area.value = texts[i];
    });
  }

  judged({ rows }) {
    this.parts.forEach(({ name, head, view }, i) => {
      const { characters, tokens, encoding } = rows[i];
      const counts = make("span", "quiet", `${quantity(characters, "character")}, `);
      counts.append(make("b", "", figure(tokens)), tokens === 1 ? " token" : " tokens");
      head.replaceChildren(make("b", "", name), counts);
      view.load(read(encoding));
    });
  }
}

// A text as the tokens of one or several tokenizers, one below the other. The learner may change the text.

import { make, seriesMark } from "../../elements.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { quantity } from "../../words.js";

export class TokensView {
  constructor(box, change) {
    this.box = box;
    this.area = make("textarea", "area");
    this.area.rows = 2;
    this.area.spellcheck = false;
    this.area.setAttribute("aria-label", "Text");
    this.area.addEventListener("input", () => change({ text: this.area.value }));
    this.rows = make("div", "rows");
    box.append(this.area, this.rows);
    this.views = [];
  }

  close() {
    for (const view of this.views.splice(0)) view.close();
  }

  show(data) {
    this.area.hidden = !data.typing;
    if (!this.shown) this.area.value = data.text;
    this.shown = true;
    this.close();
    this.rows.replaceChildren(
      ...data.rows.map((row) => {
        const block = make("div", "row");
        const head = make("p", "row-head");
        head.append(seriesMark(row), make("b", "", row.name), make("span", "quiet", quantity(row.tokens, "token")));
        const view = new TokenView(make("div", "view"), `Tokens of ${row.name}`);
        view.ids = data.ids;
        view.load(read(row.encoding));
        this.views.push(view);
        block.append(head, view.box);
        return block;
      }),
    );
  }
}

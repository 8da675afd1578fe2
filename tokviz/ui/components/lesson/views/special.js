// One text that holds special tokens, read in up to three ways: the call, how many tokens it gives, and which.

import { make } from "../../elements.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { quantity } from "../../words.js";
import { Area } from "./area.js";

export class SpecialView {
  constructor(box, change) {
    this.area = new Area("Text", (text) => change({ text }));
    this.rows = make("div", "rows");
    this.views = [];
    box.append(this.area.root, this.rows);
  }

  close() {
    for (const view of this.views.splice(0)) view.close();
  }

  show(data) {
    this.area.show(data.text, data.typing);
    this.close();
    this.rows.replaceChildren(...data.rows.map((row) => this.drawRow(row)));
  }

  drawRow({ title, code, tokens, encoding, fault }) {
    const block = make("div", "row");
    const head = make("p", "row-head");
    const words = fault ? "raises an error" : quantity(tokens, "token");
    head.append(make("b", "", title), make("code", "", code), make("span", "quiet", words));
    block.append(head);
    if (fault) {
      block.append(make("p", "refused", fault));
      return block;
    }
    const view = new TokenView(make("div", "view"), `${title}: tokens`);
    view.load(read(encoding));
    this.views.push(view);
    block.append(view.box);
    return block;
  }
}

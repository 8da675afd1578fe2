// The ids that two programs give for the same text, and whether they are the same.

import { make } from "../../elements.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { quantity } from "../../words.js";
import { Area } from "./area.js";

export class SameIdsView {
  constructor(box, change) {
    this.area = new Area("Text", (text) => change({ text }), 1);
    this.rows = make("div", "rows");
    this.verdict = make("p", "verdict");
    this.views = [];
    box.append(this.area.root, this.rows, this.verdict);
  }

  close() {
    for (const view of this.views.splice(0)) view.close();
  }

  show(data) {
    this.area.show(data.text, data.typing);
    this.close();
    this.rows.replaceChildren(...data.rows.map((row) => this.drawRow(row)));
    this.verdict.className = `verdict ${data.same ? "same" : "differs"}`;
    this.verdict.textContent = data.same ? "✓ the same ids" : "× other ids";
  }

  drawRow({ name, ids, encoding }) {
    const block = make("div", "row");
    const head = make("p", "row-head");
    head.append(make("b", "", name), make("span", "quiet", quantity(ids.length, "token")));
    const view = new TokenView(make("div", "view"), `Ids of ${name}`);
    view.ids = true;
    view.load(read(encoding));
    this.views.push(view);
    block.append(head, view.box);
    return block;
  }
}

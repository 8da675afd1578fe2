// A text as numbers in several ways, and what comes back from them.

import { make, makeArea } from "../../../kit/elements.js";
import { figure } from "../../../kit/words.js";

export class CodesView {
  constructor(box, change) {
    this.area = box.appendChild(makeArea("Text", () => change({ text: this.area.value })));
    this.area.name = "text";
    this.list = box.appendChild(make("div", "text-rows"));
    this.list.setAttribute("role", "list");
  }

  show(data) {
    if (!this.data) this.area.value = data.text;
    this.data = data;
    this.list.replaceChildren(
      ...data.rows.map((row) => {
        const line = make("div", "text-row code-row");
        line.setAttribute("role", "listitem");
        const body = make("span", "chips numbers");
        body.append(row.numbers.map(String).join(" "), row.more ? ` and ${figure(row.more)} more` : "");
        const back = make("span", row.same ? "back kept" : "back gone");
        back.append(make("span", "real-text", row.back), make("span", "", `${row.same ? "✓" : "×"} ${row.note}`));
        line.append(make("code", "of", row.title), body, back);
        return line;
      }),
    );
  }
}

// One text that the learner types, in rows: under several tokenizers, or as several encoders cut it.

import { make, makeArea, makeButton } from "../../../kit/elements.js";
import { figure } from "../../../kit/words.js";
import { TextRows, tokenCount } from "../text_rows.js";

export class OneTextView {
  constructor(box, change) {
    const top = box.appendChild(make("div", "draw-top"));
    const ask = (tries) => change({ text: this.area.value, ...(tries === null ? {} : { tries }) });
    this.area = top.appendChild(makeArea("Text", () => ask(this.data.tries)));
    this.area.name = "text";
    this.turn = top.appendChild(make("span", "turn asks"));
    this.try = makeButton("", "", () => ask(this.data.tries + this.data.more));
    this.turn.append(this.try);
    this.rows = new TextRows(box);
  }

  show(data) {
    if (!this.data) this.area.value = data.text;
    this.data = data;
    this.turn.hidden = data.tries === null || !data.more;
    this.try.textContent = `Try ${figure(data.more)} ${data.tries ? "more" : "random texts"}`;
    this.rows.show(data.rows, {
      marked: !data.compared,
      ids: data.ids,
      figures: (row) => [make("span", "quiet note-of", data.compared ? row.note : ""), tokenCount(row.tokens)],
    });
  }
}

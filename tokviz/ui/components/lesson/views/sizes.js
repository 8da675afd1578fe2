// One text at several vocabulary sizes: a bar for each size, and the tokens at the one that is chosen.

import { make, makeButton, setAttributes } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";
import { read } from "../../encoding.js";
import { TokenView } from "../../token_view/pointing.js";
import { Field } from "./field.js";

export class SizesView {
  constructor(box, change) {
    this.field = new Field(box, change, "Text", 1);
    this.columns = make("div", "sizes");
    setAttributes(this.columns, { role: "group", "aria-label": "Vocabulary size" });
    this.view = new TokenView(make("div", "view"), "The tokens at this vocabulary size");
    const axes = make("p", "quiet rest", "Above each column the tokens of the text, below it the vocabulary size.");
    box.append(this.columns, axes, this.view.box);
  }

  close() {
    this.view.close();
  }

  show(data) {
    this.field.show(data);
    this.data = data;
    this.view.box.hidden = !data.encoding;
    if (data.encoding) this.view.load(read(data.encoding));
    const known = data.sizes.some(({ size, tokens }) => size === this.chosen && tokens !== null);
    this.choose(known && data.typing ? this.chosen : data.chosen);
  }

  choose(size) {
    this.chosen = size;
    const { sizes, most, encoding } = this.data;
    this.columns.replaceChildren(...sizes.map((each) => this.drawSize(each, most, Boolean(encoding))));
    if (encoding) this.view.show(size - 256);
  }

  drawSize({ size, tokens }, most, drawn) {
    const words = tokens === null ? "hidden" : quantity(tokens, "token");
    const column = drawn
      ? makeButton("size", "", () => this.pick(size), `${figure(size)} in the vocabulary: ${words}`)
      : make("div", "size");
    column.disabled = tokens === null;
    if (drawn) column.setAttribute("aria-pressed", String(size === this.chosen));
    const room = make("span", "column");
    const bar = room.appendChild(make("i"));
    bar.style.height = tokens === null ? "100%" : `${(100 * tokens) / Math.max(1, most)}%`;
    column.classList.toggle("veiled", tokens === null);
    column.append(make("b", "", tokens === null ? "?" : figure(tokens)), room, make("span", "", figure(size)));
    return column;
  }

  pick(size) {
    this.choose(size);
    this.columns.querySelector('[aria-pressed="true"]')?.focus();
  }
}

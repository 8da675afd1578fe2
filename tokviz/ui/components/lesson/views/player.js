// The merges of a small training, one by one. The merges after the step may be hidden until the task is done.

import { make, makeButton } from "../../../kit/elements.js";
import { figure, quantity, times } from "../../../kit/words.js";
import { fromHex, read } from "../../encoding.js";
import { Strip } from "../../replay/strip.js";
import { drawMerge } from "./merge.js";

const BEAT = 700; // ms between the pair that is marked and the merge of it, when an answer was right

export class PlayerView {
  constructor(box) {
    this.box = box;
    const top = make("div", "top");
    this.backward = makeButton("", "◀\ufe0e", () => this.step(this.k - 1), "Back one merge");
    this.forward = makeButton("", "▶\ufe0e", () => this.step(this.k + 1), "Make the next merge");
    this.words = make("b");
    this.size = make("span", "quiet");
    this.made = make("span", "made");
    this.veil = make("span", "quiet veil", "The next merge is hidden until you answer");
    top.append(this.backward, this.forward, this.words, this.size, this.made, this.veil);
    this.strip = new Strip(make("div", "view strip"), "The corpus at this step");
    this.strip.steady = true;
    box.append(top, this.strip.box);
  }

  close() {
    clearTimeout(this.beat);
    this.strip.close();
  }

  // moved: whether an answer led here; then the pair is seen before it merges.
  show(data, moved = false) {
    this.data = data;
    this.answered = moved;
    this.strip.load(read(data.encoding), moved ? data.step - 1 : data.step);
    if (!moved) return this.step(data.step);
    this.step(data.step - 1);
    this.strip.step(data.step - 1, data.step - 2, {});
    this.beat = setTimeout(() => this.step(data.step), BEAT);
  }

  get last() {
    return this.data.tokens.length - 1;
  }

  // The merge that was made last, in words.
  drawLast(merge) {
    if (!merge) return [];
    return [...drawMerge(fromHex(merge.left.hex), fromHex(merge.right.hex)), ` ${times(merge.count)}`];
  }

  step(k) {
    clearTimeout(this.beat);
    const { data } = this;
    this.k = Math.max(0, Math.min(k, this.last));
    this.strip.step(this.k, this.k - 1, { pairs: false });
    this.words.textContent = `${figure(this.k)} of ${figure(data.of)} merges done`;
    this.size.textContent = `${quantity(data.tokens[this.k], "token")}, ${quantity(data.bytes, "byte")}`;
    this.made.replaceChildren(...this.drawLast(data.merges[this.k - 1]));
    this.backward.disabled = this.k === 0;
    this.forward.disabled = this.k === this.last;
    this.veil.hidden = !data.hidden || this.answered || this.k < this.last;
  }
}

// BPE-dropout: the text, the probability, and several draws below each other.

import { make, makeArea, makeButton } from "../../../kit/elements.js";
import { percent } from "../../../kit/words.js";
import { TextRows } from "../text_rows.js";

export class DropoutView {
  constructor(box, change) {
    this.change = change;
    const top = box.appendChild(make("div", "draw-top"));
    this.area = top.appendChild(makeArea("Text", () => this.ask()));
    this.area.name = "text";
    this.slider = make("input");
    this.slider.type = "range";
    Object.assign(this.slider, { min: 0, max: 0.9, step: 0.1 });
    this.label = make("label", "chance");
    this.words = make("b");
    this.label.append(make("span", "", "Left out"), this.slider, this.words);
    const turn = make("span", "turn asks");
    turn.append(makeButton("", "Draw again", () => this.ask(this.data.seed + this.data.draws)));
    top.append(this.label, turn);
    this.slider.addEventListener("input", () => this.ask());
    this.rows = new TextRows(box);
  }

  ask(seed = this.data.seed) {
    this.change({ text: this.area.value, p: Number(this.slider.value), seed });
  }

  show(data) {
    if (!this.data) {
      this.area.value = data.text;
      this.slider.value = data.p;
    }
    this.data = data;
    this.slider.style.setProperty("--at", `${(100 * data.p) / this.slider.max}%`);
    this.words.textContent = percent(data.p);
    this.rows.show(data.rows, { marked: false });
  }
}

// The vocabulary-size slider: the text as the tokenizers split it at an earlier size. Special tokens do not count. The
// scale is logarithmic, as the first merges change most; a number field takes an exact size.

import { asStatus, asTyped, make, makeButton, unspoken } from "../kit/elements.js";
import { figure, listed, quantity } from "../kit/words.js";

export class SizeSlider {
  // `moved(size)` is called with the vocabulary size, or null for all of it.
  constructor(moved) {
    this.moved = moved;
    this.tokenizers = [];
    this.size = null;
    this.root = make("section", "size");
    this.root.setAttribute("aria-label", "Vocabulary size");
    const head = make("div", "size-head");
    this.label = make("h3", "", "Vocabulary size");
    this.number = asTyped(make("input", "number"));
    Object.assign(this.number, { type: "text", inputMode: "numeric" });
    this.number.setAttribute("aria-label", "Vocabulary size, as a number");
    this.all = makeButton("plain", "All merges", () => {
      this.set(null);
      this.range.focus();
    });
    this.range = make("input", "range");
    Object.assign(this.range, { type: "range", min: 0, max: 1000, step: 1 });
    this.range.setAttribute("aria-label", "Vocabulary size, log scale");
    this.ticks = unspoken(make("div", "ticks"));
    this.words = asStatus(make("p", "caption quiet"));
    head.append(this.label, this.number, this.words, this.all);
    this.root.append(head, this.range, this.ticks);
    this.range.addEventListener("input", () => this.set(this.sizeAt(this.range.value / 1000)));
    this.range.addEventListener("keydown", (event) => this.key(event));
    this.number.addEventListener("change", () => this.typed());
    this.number.addEventListener("keydown", (event) => event.key === "Enter" && this.typed());
  }

  // tokenizers: [{ name, merges }]. Those without merges, such as the tokenizers of others, cannot be cut.
  load(all) {
    const tokenizers = all.filter(({ merges }) => merges > 0);
    const most = 256 + Math.max(0, ...tokenizers.map(({ merges }) => merges));
    this.tokenizers = tokenizers;
    this.root.hidden = most === 256;
    if (most !== this.most) {
      this.most = most;
      const marks = [256, 1024, 4096, 16384, 65536].filter((mark) => this.placeOf(mark) < 0.87).concat(most);
      this.ticks.replaceChildren(
        ...marks.map((mark) => {
          const tick = make("span", "tick", figure(mark));
          tick.style.left = `${this.placeOf(mark) * 100}%`;
          return tick;
        }),
      );
      if (this.size !== null && this.size >= most) this.size = null;
    }
    this.draw();
  }

  sizeAt(place) {
    return Math.round(256 * (this.most / 256) ** place);
  }

  placeOf(size) {
    return this.most === 256 ? 1 : Math.log(size / 256) / Math.log(this.most / 256);
  }

  set(size) {
    const now = size === null || size >= this.most ? null : Math.max(256, size);
    const same = now === this.size;
    this.size = now;
    this.draw();
    if (!same) this.moved(now);
  }

  typed() {
    const size = Number(this.number.value.replace(/[,\s]/g, ""));
    if (Number.isInteger(size) && size > 0) this.set(size);
    else this.draw();
  }

  // An arrow goes one merge where merges lie far apart on the scale, and one in a hundred where they lie close.
  key(event) {
    const now = this.size ?? this.most;
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const step = steps[event.key] * (event.shiftKey ? 10 : 1);
    const far = Math.max(Math.abs(step), Math.round(now * (1.01 ** Math.abs(step) - 1)));
    this.set(Math.min(this.most, Math.max(256, now + Math.sign(step) * far)));
  }

  draw() {
    const size = this.size ?? this.most;
    const place = Math.round(this.placeOf(size) * 1000);
    if (Math.abs(this.range.value - place) >= 1) this.range.value = place;
    this.range.style.setProperty("--at", `${place / 10}%`);
    this.range.setAttribute("aria-valuetext", `${figure(size)} tokens`);
    this.number.value = figure(size);
    this.all.classList.toggle("away", this.size === null); // it keeps its place
    const merges = size - 256;
    const names = this.tokenizers.map(({ name }) => name);
    const sum = `256 bytes + ${quantity(merges, "merge")}: `;
    if (this.size === null) {
      this.words.textContent =
        names.length > 1
          ? `${listed(names)} with all their merges. Move left for fewer.`
          : `All ${quantity(merges, "merge")} of ${listed(names)}. Move left for fewer.`;
      return;
    }
    const small = this.tokenizers.filter((other) => 256 + other.merges <= size).map(({ name }) => name);
    const rest = small.length ? `, and all merges of ${listed(small)}` : "";
    const stopped = names.filter((name) => !small.includes(name));
    this.words.textContent = `${sum}${listed(stopped)} at size ${figure(size)}${rest}.`;
  }
}

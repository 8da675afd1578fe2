// A list of any length, of which only the rows in sight and a few more are elements. All others are the height of a box;
// where that is higher than a browser can lay out, the box scrolls faster than its rows. Elements that went out of sight
// become those that come into it, and stand in the order of the rows.

import { make, scaleOf, setAttributes, TALLEST } from "./elements.js";
import { html, keyed, render } from "./html.js";

const SPARE = 10; // rows drawn beyond those in sight, at each end
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export class Rows {
  // label: of the list. row(index) says what a row is: { inside, label, look, selected }. choose(index) is called by a click
  // and by Enter, leave() by Escape.
  constructor({ label, row, choose, leave }) {
    Object.assign(this, { row, choose, leave, n: 0, at: 0, height: 34, frame: 0 });
    this.box = make("div", "rows");
    this.box.tabIndex = 0;
    setAttributes(this.box, { role: "listbox", "aria-label": label });
    this.room = this.box.appendChild(make("div", "room"));
    this.room.setAttribute("role", "presentation");
    this.box.addEventListener("scroll", () => this.soon(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("focus", () => this.point(this.at, this.box.matches(":focus-visible"))); // not by a click
    this.box.addEventListener("click", ({ target }) => {
      const index = target.closest(".row")?.index;
      if (index === undefined) return;
      this.point(index);
      this.choose(index);
    });
  }

  close() {
    cancelAnimationFrame(this.frame);
  }

  // Another list of n rows. at: the row that keys act on. top: the row at the upper edge; if it is not given, the list
  // stays where it is.
  load(n, at, top) {
    Object.assign(this, { n, at });
    this.fit();
    if (top !== undefined) this.top = top;
    this.draw();
  }

  // height: of a row, in px.
  resize(height) {
    const { top } = this;
    this.height = height;
    this.fit();
    this.top = top;
    this.draw();
  }

  fit() {
    this.room.style.height = `${Math.min(this.n * this.height, TALLEST)}px`;
  }

  // px of rows for each px that the box scrolls
  get scale() {
    return scaleOf(this.n * this.height, this.box.clientHeight);
  }

  // The row at the upper edge, with its fraction.
  get top() {
    return (this.box.scrollTop * this.scale) / this.height;
  }

  set top(row) {
    this.box.scrollTop = (row * this.height) / this.scale;
  }

  // How many rows are in sight, with the fraction.
  get seen() {
    return this.box.clientHeight / this.height;
  }

  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { n, top, seen, at } = this;
    const first = Math.max(0, Math.floor(top) - SPARE);
    const last = Math.min(n, Math.ceil(top + seen) + SPARE);
    this.slots = Math.max(this.slots ?? 0, last - first);
    const indices = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    const y = (index) => (index - top) * this.height + this.box.scrollTop;
    render(
      indices.map((index) => keyed(index % this.slots, this.element(index, y(index)))),
      this.room,
    );
    if (at >= first && at < last) this.box.setAttribute("aria-activedescendant", `row-${at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  element(index, y) {
    const { inside, label, look = "", selected = false } = this.row(index);
    return html`<div class="row ${look}${index === this.at ? " at" : ""}" role="option" id="row-${index}" .index=${index}
      style="transform:translateY(${y}px)" aria-setsize=${this.n} aria-posinset=${index + 1} aria-label=${label}
      aria-selected=${selected}>${inside}</div>`;
  }

  // Make a row the one that keys act on. comes: into sight.
  point(index, comes = true) {
    this.at = Math.max(0, Math.min(this.n - 1, index));
    if (comes && this.n) this.top = Math.min(Math.max(this.top, this.at + 1 - this.seen), this.at);
    this.draw();
  }

  press(event) {
    const page = Math.max(1, Math.floor(this.seen) - 1);
    const step = { ...STEPS, PageDown: page, PageUp: -page }[event.key];
    if (step) this.point(this.at + step);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.at);
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

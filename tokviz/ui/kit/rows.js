// A list of any length, of which only the rows in sight and a few more are elements. All others are the height of a box;
// where that is higher than a browser can lay out, the box scrolls faster than its rows. Elements that went out of sight
// become those that come into it, and are in the order of the rows.

import { make, setAttributes } from "./elements.js";
import { html, keyed, render } from "./html.js";
import { keys } from "./keys.js";

const TALLEST = 8_000_000; // px of rows; browsers place nothing much further down, so longer lists are scaled
const SPARE = 6; // rows drawn beyond those in sight, at each end
const TOUCH = 44; // px of a row in a narrow list

let lists = 0; // of the page: the ids of rows differ

export class Rows {
  // label: of the list. titles: [look, title] of each column. height: of a row in px, at the usual size of letters.
  // narrow: a list of fewer px has rows for fingers. row(index) says what a row is: { inside, label, look, selected,
  // current, number, of }; one whose number is null is for the eye alone. A click calls choose(index), Enter
  // enter(index), Escape leave(), the other keys move(step); a key goes on if its act returns false. sort(column): the
  // list is a grid, its titles are buttons in the box, and `inside` has cells.
  constructor({ label, titles = [], height, narrow = 0, row, choose, enter = choose, leave, move, sort }) {
    Object.assign(this, { usual: height, narrow, row, sort, n: 0, at: 0, height, high: 0, scrolled: 0, frame: 0 });
    this.name = `row-${++lists}`;
    this.root = make("div", "rows");
    this.box = this.root.appendChild(make("div", "sight"));
    this.box.tabIndex = 0;
    setAttributes(this.box, { role: sort ? "grid" : "listbox", ...(label && { "aria-label": label }) });
    this.head = make("div", "row titles");
    if (sort) setAttributes(this.head, { role: "row", "aria-rowindex": 1 });
    (sort ? this.box : this.root).prepend(this.head);
    this.room = this.box.appendChild(make("div", "room"));
    this.room.setAttribute("role", sort ? "rowgroup" : "presentation");
    this.title(titles);
    this.listen(choose, enter, leave, move ?? ((step) => this.point(this.at + step)));
    this.sized = new ResizeObserver(() => this.size());
    this.sized.observe(this.box);
  }

  listen(choose, enter, leave, move) {
    const act = () => this.n > 0 && enter(this.at);
    const page = () => Math.max(1, Math.floor(this.seen) - 1);
    const press = keys({
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Home: () => move(-Infinity),
      End: () => move(Infinity),
      PageDown: () => move(page()),
      PageUp: () => move(-page()),
      Enter: act,
      ...(leave && { Escape: leave }),
      ...(!this.sort && { " ": act }),
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.target === this.box) press(event);
      if (event.defaultPrevented) event.stopPropagation();
    });
    const scroll = () => {
      this.scrolled = this.box.scrollTop;
      this.frame ||= requestAnimationFrame(() => this.draw());
    };
    this.box.addEventListener("scroll", scroll, { passive: true });
    this.box.addEventListener("focus", () => {
      if (this.at >= 0 && this.box.matches(":focus-visible")) this.point(this.at); // not by a click
    });
    this.box.addEventListener("click", ({ target }) => {
      const index = this.indexAt(target);
      if (index !== undefined) choose(index);
    });
  }

  // The row that an element is in.
  indexAt(element) {
    return element.closest(".room > .row")?.index;
  }

  close() {
    this.sized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  // titles: [look, title, way] of each column; way: how it is sorted, as aria-sort says it.
  title(titles) {
    const cell = ([look, title, way], column) =>
      this.sort
        ? html`<span class=${look} role="columnheader" aria-sort=${way}
            ><button type="button" @click=${() => this.sort(column)}>${title}</button></span>`
        : html`<span class=${look} aria-hidden=${typeof title === "string" || null}>${title}</span>`; // rows say it too
    render(titles.map(cell), this.head);
  }

  // Another list of n rows. at: the row that keys act on, -1 for none. top: the row at the upper edge; if it is not given,
  // the list stays where it is.
  load(n, at, top) {
    Object.assign(this, { n, at });
    if (this.sort) this.box.setAttribute("aria-rowcount", n + 1);
    this.fit();
    if (top !== undefined) this.top = top;
    this.draw();
  }

  // The box or its letters may have another size.
  size() {
    const { box, root, top } = this;
    if (!box.isConnected) return; // in no page it has none
    const narrow = root.clientWidth < this.narrow;
    this.height = narrow ? TOUCH : (this.usual * parseFloat(getComputedStyle(root).fontSize)) / 16;
    root.classList.toggle("narrow", narrow);
    root.style.setProperty("--row", `${this.height}px`);
    root.style.setProperty("--scrollbar", `${box.offsetWidth - box.clientWidth}px`); // beside it, the titles end too
    this.high = box.clientHeight - (this.sort ? this.head.offsetHeight : 0);
    this.fit();
    this.top = top;
    this.draw();
  }

  fit() {
    this.room.style.height = `${Math.min(this.n * this.height, TALLEST)}px`;
    this.scrolled = Math.min(this.scrolled, this.lowest);
  }

  // How far the box can be scrolled, in px.
  get lowest() {
    return Math.max(0, Math.min(this.n * this.height, TALLEST) - this.high);
  }

  // px of rows for each px that the box scrolls
  get scale() {
    const all = this.n * this.height;
    return all > TALLEST ? (all - this.high) / (TALLEST - this.high) : 1;
  }

  // The row at the upper edge, with its fraction. It is never read from the box, which would lay out the page.
  get top() {
    return (this.scrolled * this.scale) / this.height;
  }

  set top(row) {
    this.scrolled = Math.max(0, Math.min((row * this.height) / this.scale, this.lowest));
    this.box.scrollTop = this.scrolled;
  }

  // How many rows are in sight, with the fraction.
  get seen() {
    return this.high / this.height;
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { n, top, seen, at } = this;
    const first = Math.max(0, Math.floor(top) - SPARE);
    const last = Math.min(n, Math.ceil(top + seen) + SPARE);
    this.slots = Math.max(this.slots ?? 0, last - first);
    const indices = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    const y = (index) => (index - top) * this.height + this.scrolled;
    render(
      indices.map((index) => keyed(index % this.slots, this.element(index, y(index)))),
      this.room,
    );
    if (at >= first && at < last) this.box.setAttribute("aria-activedescendant", `${this.name}-${at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  element(index, y) {
    const { inside, label, look = "", selected, current, number = index + 1, of = this.n } = this.row(index);
    const looks = ["row", look, current && "current", index === this.at && "at"].filter(Boolean).join(" ");
    if (this.sort)
      return html`<div class=${looks} role="row" id="${this.name}-${index}" .index=${index} style="transform:translateY(${y}px)"
        aria-rowindex=${index + 2} aria-current=${current ? "step" : null} aria-selected=${selected}>${inside}</div>`;
    const seen = number === null;
    return html`<div class=${looks} role=${seen ? "presentation" : "option"} id="${this.name}-${index}" .index=${index}
      style="transform:translateY(${y}px)" aria-hidden=${seen || null} aria-setsize=${seen ? null : of} aria-posinset=${number}
      aria-label=${seen ? null : label} aria-selected=${seen ? null : Boolean(selected)}>${inside}</div>`;
  }

  // Make a row the one that keys act on, and bring it into sight.
  point(index) {
    this.at = Math.max(0, Math.min(this.n - 1, index));
    this.bring(this.at);
  }

  bring(index) {
    if (this.n) this.top = Math.min(Math.max(this.top, index + 1 - this.seen), index);
    this.draw();
  }
}

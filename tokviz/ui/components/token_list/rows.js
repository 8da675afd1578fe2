// The rows of the token list. Only those in sight and a few more are elements; all others are the height of a box. Rows
// come from the server in blocks, and while a block is on its way its rows are grey.

import { make, scaleOf, TALLEST } from "../../kit/elements.js";
import { figure, quantity, times } from "../../kit/words.js";
import { fromHex } from "../encoding.js";
import { home } from "../hues.js";
import { chip, hexOf, spoken } from "../token_view/marks.js";

const SPARE = 10; // rows drawn beyond those in sight, at each end
const ABOVE = 2; // rows above the one that the list opens at
const BLOCK = 100; // rows that are asked for at once
const KEPT = 40; // blocks that the browser keeps
const ROW = 34; // px, at the usual size of letters
const TOUCH_ROW = 44; // px
const LETTERS = 60; // of a token, before the style cuts it to the room that there is
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
const HEADS = ["Token", "Id", "Merge", "Bytes", "Use"];

export class TokenRows {
  // fetch(start, count) asks for rows and is answered by `take`. pin(id) pins a token. leave() is called by Escape.
  constructor({ fetch, pin, leave }) {
    Object.assign(this, { fetch, pin, leave, n: 0, most: 0, at: 0, pinned: null, height: ROW });
    this.blocks = new Map(); // number -> rows as columns
    this.asked = new Map(); // parity of a block's number -> the number of the block on its way
    this.drawn = new Map(); // index -> element
    this.spare = [];
    this.root = make("div", "list");
    const head = this.root.appendChild(make("div", "row head"));
    head.setAttribute("aria-hidden", "true"); // each row says what its figures are
    head.append(...HEADS.map((title) => make("span", title.toLowerCase(), title)));
    this.box = this.root.appendChild(make("div", "rows"));
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "listbox");
    this.box.setAttribute("aria-label", "Tokens");
    this.room = this.box.appendChild(make("div", "room"));
    this.room.setAttribute("role", "presentation");
    this.box.addEventListener("scroll", () => this.soon(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focus", () => this.point(this.at, this.box.matches(":focus-visible"))); // not by a click
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      this.point(row.index);
      this.choose();
    });
    this.sized = new ResizeObserver(() => this.size());
    this.sized.observe(this.root);
  }

  close() {
    this.sized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  // A new list of n tokens. most: the highest use in it. rows: its first ones. The list opens at its top, or with `at` near
  // it; `stay`: where it is, because the search only went on.
  load(n, most, rows, at = null, stay = false) {
    Object.assign(this, { n, most, at: stay ? this.at : (at ?? 0) });
    this.blocks.clear();
    this.asked.clear();
    this.blocks.set(0, rows);
    this.room.style.height = `${Math.min(n * this.height, TALLEST)}px`;
    this.alignHead();
    this.forget();
    if (!stay) this.box.scrollTop = at === null ? 0 : ((at - ABOVE) * this.height) / this.scale;
    this.draw();
  }

  take(block, rows) {
    if (this.asked.get(block % 2) === block) this.asked.delete(block % 2);
    this.blocks.set(block, rows);
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= KEPT) break;
      this.blocks.delete(old);
    }
    for (const [index, element] of this.drawn) {
      if (Math.floor(index / BLOCK) === block) this.fill(element, index);
    }
    this.mark();
  }

  // The rows that did not arrive are asked for again when they are next drawn.
  failed(block) {
    if (this.asked.get(block % 2) === block) this.asked.delete(block % 2);
  }

  show(id) {
    this.pinned = id;
    this.mark();
  }

  size() {
    this.alignHead();
    const narrow = this.root.clientWidth < 480;
    const scale = parseFloat(getComputedStyle(this.root).fontSize) / 16;
    const height = narrow ? TOUCH_ROW : Math.round(ROW * scale);
    this.root.classList.toggle("narrow", narrow);
    if (height !== this.height) {
      const top = (this.box.scrollTop * this.scale) / this.height;
      this.height = height;
      this.root.style.setProperty("--row", `${height}px`);
      this.room.style.height = `${Math.min(this.n * height, TALLEST)}px`;
      this.forget();
      this.box.scrollTop = (top * height) / this.scale;
    }
    this.draw();
  }

  get scale() {
    return scaleOf(this.n * this.height, this.box.clientHeight);
  }

  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  forget() {
    this.spare.push(...this.drawn.values());
    this.drawn.clear();
  }

  // The figures of the head stand above those of the rows, also beside a scrollbar.
  alignHead() {
    this.root.style.setProperty("--scrollbar", `${this.box.offsetWidth - this.box.clientWidth}px`);
  }

  // Draw the rows near the visible part. Elements that went out of it become those that come into it.
  draw() {
    const { height, n } = this;
    const { clientHeight, scrollTop } = this.box;
    const top = scrollTop * this.scale;
    const first = Math.max(0, Math.floor(top / height) - SPARE);
    const last = Math.min(n, Math.ceil((top + clientHeight) / height) + SPARE);
    for (const [index, element] of this.drawn) {
      if (index >= first && index < last) continue;
      this.drawn.delete(index);
      this.spare.push(element);
    }
    for (let index = first; index < last; index++) {
      const there = this.drawn.get(index);
      const element = there ?? this.spare.pop() ?? this.empty();
      element.style.transform = `translateY(${index * height - top + scrollTop}px)`;
      if (there) continue;
      this.drawn.set(index, element);
      this.fill(element, index);
      if (!element.isConnected) this.room.append(element);
    }
    for (const element of this.spare.splice(0)) element.remove();
    this.point(this.at, false);
  }

  empty() {
    const row = make("div", "row");
    row.setAttribute("role", "option");
    row.cells = HEADS.map((title) => row.appendChild(make("span", title.toLowerCase())));
    const track = row.cells.at(-1).appendChild(make("span", "track"));
    row.bar = track.appendChild(make("i", "bar"));
    row.used = row.cells.at(-1).appendChild(make("b"));
    return row;
  }

  rowAt(index) {
    const block = Math.floor(index / BLOCK);
    const rows = this.blocks.get(block);
    const i = index - block * BLOCK;
    if (!rows) {
      if (this.asked.get(block % 2) !== block) {
        this.asked.set(block % 2, block);
        this.fetch(block, block * BLOCK, BLOCK);
      }
      return null;
    }
    if (i >= rows.ids.length) return null; // the list has become shorter, and is about to come again
    return { id: rows.ids[i], rank: rows.ranks[i], use: rows.uses[i], special: rows.special[i], hex: rows.tokens[i] };
  }

  fill(element, index) {
    const row = this.rowAt(index);
    element.index = index;
    element.id = `row-${index}`;
    element.token = row ? row.id : null;
    element.setAttribute("aria-setsize", String(this.n));
    element.setAttribute("aria-posinset", String(index + 1));
    element.classList.toggle("waiting", !row);
    const [token, id, rank, bytes] = element.cells;
    if (!row) {
      element.setAttribute("aria-label", "on its way");
      for (const cell of [token, id, rank, bytes, element.used]) cell.textContent = "";
      element.bar.style.width = "0";
      return;
    }
    const data = fromHex(row.hex);
    const drawn = data.length ? chip(data, home(data), LETTERS) : make("span", "quiet", "no bytes");
    if (row.special) drawn.classList.add("inverse");
    token.replaceChildren(drawn);
    id.textContent = figure(row.id);
    rank.textContent = row.rank < 0 ? "–" : figure(row.rank + 1);
    bytes.textContent = figure(data.length);
    element.bar.style.width = `${row.use && Math.max(2, (100 * row.use) / this.most)}%`;
    element.used.textContent = row.use ? figure(row.use) : "–";
    const said = [
      data.length ? spoken(data, 0, data.length) : "no bytes",
      `id ${figure(row.id)}`,
      row.rank < 0 ? "no merge" : `merge ${figure(row.rank + 1)}`,
      quantity(data.length, "byte"),
      row.use ? `used ${times(row.use)}` : "not used",
    ];
    element.setAttribute("aria-label", said.join(", "));
    token.title = data.length ? hexOf(data) : "";
    this.marked(element);
  }

  mark() {
    for (const element of this.drawn.values()) this.marked(element);
  }

  marked(element) {
    const pinned = element.token !== null && element.token === this.pinned;
    element.classList.toggle("pinned", pinned);
    element.setAttribute("aria-selected", String(pinned));
  }

  // Make a row the one that keys act on. scroll: bring it into view.
  point(index, scroll = true) {
    this.at = Math.max(0, Math.min(this.n - 1, index));
    if (scroll && this.n) {
      const top = (this.at * this.height) / this.scale;
      const bottom = ((this.at + 1) * this.height - this.box.clientHeight) / this.scale;
      if (this.box.scrollTop > top) this.box.scrollTop = top;
      else if (this.box.scrollTop < bottom) this.box.scrollTop = bottom;
      this.draw();
      return;
    }
    for (const [at, element] of this.drawn) element.classList.toggle("at", at === this.at);
    if (this.drawn.has(this.at)) this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // Bring the list into sight, where it was left.
  come() {
    this.root.scrollIntoView({ block: "center" });
    this.box.focus({ preventScroll: true });
  }

  choose() {
    const row = this.n ? this.rowAt(this.at) : null;
    if (row) this.pin(row.id);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const step = { ...STEPS, PageDown: page, PageUp: -page }[event.key];
    if (step) this.point(this.at + step);
    else if (event.key === "Enter" || event.key === " ") this.choose();
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Look inside: the card of the pinned token, and the vocabulary-size slider. The owner names the views, says when they
// change, and fetches what only Python knows. The card is beside a view that is alone, under the pinned token of one of
// several, and comes up from the foot of a narrow window. Beside a view it is brief for a token that is pointed at.

import { make } from "../kit/elements.js";
import { END, startOf } from "./encoding.js";
import { replayHues } from "./hues.js";
import { PinnedCard } from "./pinned_card.js";
import { SizeSlider } from "./size.js";

const APART = 12; // px between a token and its card
const LINES = 110; // px of the lines under a token from which on the card covers them, and is not below the box
const HEADER = 60; // px of the page's
const PAUSE = 120; // ms without a change before the card asks again

export class Inside {
  // isOver: is the card under its token also if one view is alone?
  constructor(parent, { ask, sized, closeSize, narrow, isOver = false }) {
    Object.assign(this, { parent, ask, sized, narrow, isOver, sides: [] });
    this.key = this.pointed = this.waiting = this.due = null;
    this.root = make("div", "inside");
    this.card = new PinnedCard({
      close: () => this.leave(),
      pin: (start) => this.pin(this.key, start),
      find: (id) => this.find(id),
    });
    this.root.append(this.card.root);
    parent.addEventListener("click", (event) => {
      if (event.target.closest(".t, .row")) this.reveal();
      else if (!event.composedPath().includes(this.root)) this.lower();
    });
    this.slider = new SizeSlider((size) => this.resize(size), closeSize);
    this.coloured = new WeakMap(); // view -> the encoding whose Replay hues it has
    this.moved = new ResizeObserver(() => this.position());
    for (const element of [parent, this.card.root]) this.moved.observe(element);
  }

  close() {
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.due);
    this.moved.disconnect();
  }

  // Set the views: { key, view, name, glyph, series, merges, kind, called }; kind is that of a peer, or "".
  views(sides) {
    const pinned = this.side()?.view.pinned ?? null;
    this.sides = sides;
    for (const { view } of sides) this.hear(view);
    if (!sides.some(({ key }) => key === this.key)) {
      // its tokenizer was removed: pin the same place under another
      this.key = null;
      if (pinned !== null && sides.length && pinned < sides[0].view.encoding.n) {
        this.key = sides[0].key;
        sides[0].view.pin(pinned);
      }
    }
    this.slider.load(sides);
    this.changed();
  }

  // What to keep while another page is shown.
  state() {
    return { key: this.key, start: this.side()?.view.pinned ?? null, size: this.slider.size };
  }

  restore({ key, start, size }) {
    this.slider.set(size);
    this.pin(key, start);
  }

  hear(view) {
    view.chosen = (start, entering) => {
      const side = this.sides.find((other) => other.view === view);
      if (!side) return;
      this.pin(start === null ? null : side.key, start);
      if (!entering) return;
      this.card.root.focus({ preventScroll: true });
      this.card.root.scrollIntoView({ block: "nearest" });
    };
  }

  // On a narrow window a click elsewhere takes the sheet away, and with it the pin.
  lower() {
    if (this.narrow() && this.key !== null) this.pin(null);
  }

  // Show the beginning of the card of a token that is pointed at, if none is pinned (null: of none).
  peek(token) {
    this.pointed = token?.start ?? null;
    if (this.key === null) this.draw();
  }

  // Put the card where it belongs.
  position() {
    const { root, parent } = this;
    const side = this.side();
    const way = this.narrow() ? "sheet" : this.isOver || this.sides.length > 1 ? "over" : "beside";
    root.className = `inside ${way}`;
    root.inert = !side;
    root.hidden = !side && (way !== "beside" || this.pointed === null);
    parent.style.setProperty("--sheet", way === "sheet" && !root.hidden ? `${root.offsetHeight}px` : "0px");
    if (root.hidden || way !== "over" || !root.offsetParent) return; // without one it has left the page
    const { view } = side;
    const over = root.offsetParent.getBoundingClientRect();
    const column = view.box.closest(".column").getBoundingClientRect();
    const box = view.box.getBoundingClientRect();
    const rows = [...(view.spans.get(view.pinned)?.getClientRects() ?? [])];
    if (!rows.length) rows.push(column); // a table shows the tokens
    const token = rows.at(-1);
    const isLow = Math.abs(box.bottom - token.bottom) < LINES && box.bottom < innerHeight;
    const foot = isLow ? box.bottom : token.bottom;
    const high = root.offsetHeight + APART;
    const isAbove = foot + high > innerHeight && rows[0].top - high > HEADER;
    root.classList.toggle("above", isAbove);
    const at = {
      left: column.left - over.left,
      width: column.width,
      top: (isAbove ? rows[0].top - high : foot + APART) - over.top,
      at: token.left - column.left + token.width / 2,
    };
    for (const [name, px] of Object.entries(at)) root.style.setProperty(`--over-${name}`, `${px}px`);
  }

  // Scroll so that the pinned token is above the sheet (workbench.css).
  reveal() {
    const side = this.side();
    const token = side?.view.spans.get(side.view.pinned);
    if (token?.isConnected && this.root.matches(".sheet:not([hidden])"))
      // else a table shows the tokens
      token.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  side() {
    return this.sides.find(({ key }) => key === this.key) || null;
  }

  // The view that is looked into, or else the first.
  shown() {
    return this.side() || this.sides[0] || null;
  }

  pin(key, start = null) {
    for (const { view } of this.sides) view.pin(null);
    const side = this.sides.find((other) => other.key === key);
    this.key = side && start !== null && start < side.view.encoding.n ? key : null;
    if (this.key !== null) side.view.pin(startOf(side.view.encoding, start, side.view.k));
    this.draw();
    this.request();
  }

  // Return from the card to its token.
  leave() {
    const side = this.side();
    const start = side?.view.pinned;
    this.pin(null);
    if (side && start !== null) side.view.go(start);
  }

  // A text or an encoding changed. The tokens are drawn first, so that typing does not wait for the card.
  changed() {
    if (this.slider.size !== null) this.step();
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => setTimeout(() => this.drawAndAsk()));
  }

  drawAndAsk() {
    this.draw();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.request(), PAUSE);
  }

  draw() {
    const side = this.side();
    if (side) {
      const { view } = side;
      if (view.pinned === null || view.pinned >= view.encoding.n) this.key = null;
      else {
        const start = startOf(view.encoding, view.pinned, view.k);
        if (start !== view.pinned) view.pin(start);
      }
    }
    const shown = this.side();
    const [alone] = this.sides.length === 1 && this.pointed < this.sides[0].view.encoding.n ? this.sides : [];
    if (shown) this.card.show(shown, shown.view.pinned, this.sides.length > 1);
    else if (alone && this.pointed !== null) this.card.show(alone, this.pointed, false);
    else this.card.clear();
    this.position();
  }

  // Ask for the details of the pinned token, or tell that nothing is pinned.
  request() {
    const side = this.shown();
    if (side) this.ask(side.key, this.key === null ? null : side.view.pinned, this.sizeOf(side));
  }

  // Python's details of a token; they are out of date if it is not the token shown.
  answer(key, details) {
    if (!details || key !== this.key || !this.card.answer(details)) return;
    this.position();
    this.reveal();
  }

  sizeOf({ merges }) {
    const { size } = this.slider;
    return size === null || size >= 256 + merges ? null : size;
  }

  resize() {
    this.step();
    this.drawAndAsk();
    this.sized();
  }

  // Show every view at the slider's size. A token keeps its hue from size to size, as in Replay.
  step() {
    for (const side of this.sides) {
      const { view } = side;
      if (!view.encoding) continue;
      const size = this.sizeOf(side);
      const k = size === null ? END : Math.max(size - 256, view.encoding.characters || 0);
      const stale = k !== END && this.coloured.get(view) !== view.encoding;
      if (stale) {
        this.coloured.set(view, view.encoding);
        view.hueOf = replayHues(view.encoding);
      }
      if (k !== view.k) view.show(k);
      else if (stale) view.redraw();
      if (k === END && this.coloured.delete(view)) view.hueOf = (start) => view.ownHue(start);
    }
  }

  // Pin the next token with this id after the pinned one, or the first one of the text. False if the text has none.
  find(id) {
    const side = this.side();
    const { view } = side;
    const { starts, ids } = view.counted();
    const places = starts.filter((_, i) => ids[i] === id);
    if (!places.length) return false;
    const start = places.find((place) => place > view.pinned) ?? places[0];
    this.pin(side.key, start);
    view.go(start, false);
    this.reveal();
    return true;
  }
}

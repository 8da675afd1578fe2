// Look inside: below the token views a card for the pinned token and the byte ribbon, and the vocabulary-size slider,
// which the owner places. The owner names the views, says when they change, and fetches what only Python knows.

import { make } from "../kit/elements.js";
import { PinnedCard } from "../tokenview/card.js";
import { END, startOf } from "../tokenview/encoding.js";
import { replayHues } from "../tokenview/hues.js";
import { ByteRibbon } from "../tokenview/ribbon.js";
import { Sheet } from "./sheet.js";
import { SizeSlider } from "./size.js";

const IN_SIGHT = 200; // px of the card that are enough to read it
const PAUSE = 120; // ms without a change before the card asks again

export class Inside {
  constructor(parent, { ask, pinned = () => {}, sized = () => {} }) {
    Object.assign(this, { ask, pinned, sized, sides: [], key: null, waiting: null, due: null });
    this.root = make("div", "inside");
    const left = make("div", "inside-left");
    const right = make("div", "inside-right");
    this.root.append(left, right);
    parent.append(this.root);
    this.card = new PinnedCard(left, {
      unpin: () => this.leave(true),
      back: () => this.leave(false),
      find: (id) => this.find(id),
    });
    this.sheet = new Sheet(this.card.root);
    this.tapped = null; // the token that the present click pinned
    parent.addEventListener("click", (event) => this.bring(event));
    this.slider = new SizeSlider((size) => this.resize(size));
    this.ribbon = new ByteRibbon(right, { pin: (start) => this.pin(this.shown()?.key, start) });
    this.coloured = new WeakMap(); // view -> the encoding whose Replay hues it has
  }

  close() {
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.due);
    this.card.close();
    this.root.remove();
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
    this.root.hidden = !sides.length;
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
      this.tapped = entering ? null : start;
      if (!entering) return;
      this.card.root.focus({ preventScroll: true });
      this.card.root.scrollIntoView({ block: "nearest" });
    };
  }

  // After a tap: bring the card of the token that it pinned, if that is not in sight. A tap elsewhere puts it back.
  bring({ pointerType, target }) {
    const start = this.tapped;
    this.tapped = null;
    if (pointerType !== "touch") return;
    if (start !== null && this.side()) {
      const { top } = this.card.root.getBoundingClientRect();
      if (this.sheet.open || top > innerHeight - IN_SIGHT) this.sheet.show(this.side().view.spans.get(start));
    } else if (!this.card.root.contains(target)) this.sheet.close();
  }

  side() {
    return this.sides.find(({ key }) => key === this.key) || null;
  }

  // The view whose characters the ribbon shows.
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
    this.pinned(this.key, this.key === null ? null : side.view.pinned);
  }

  // Return from the card to its token; the pin stays or goes.
  leave(unpin) {
    const side = this.side();
    const start = side?.view.pinned;
    this.sheet.close();
    if (unpin) this.pin(null);
    if (side && start !== null) side.view.go(start);
  }

  // A text or an encoding changed. The tokens are drawn first, so that typing does not wait for the card.
  changed() {
    if (this.slider.size !== null) this.step();
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() =>
      setTimeout(() => {
        this.draw();
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.request(), PAUSE);
      }),
    );
  }

  draw() {
    const side = this.side();
    if (side) {
      const { view } = side;
      if (view.pinned === null || view.pinned >= view.encoding.n) {
        this.key = null;
        this.pinned(null, null);
      } else {
        const start = startOf(view.encoding, view.pinned, view.k);
        if (start !== view.pinned) view.pin(start);
      }
    }
    if (this.key === null) {
      this.sheet.close();
      this.card.clear();
    } else this.card.show(side, this.sides.length > 1);
    this.ribbon.show(this.shown()?.view || null, this.key === null ? null : side.view.pinned);
  }

  // Ask for the details of the pinned token, or tell that nothing is pinned.
  request() {
    const side = this.shown();
    if (side) this.ask(side.key, this.key === null ? null : side.view.pinned, this.sizeOf(side));
  }

  // Python's details of a token; they are out of date if it is not the token shown.
  answer(key, details) {
    if (details && key === this.key && this.card.answer(details)) this.ribbon.show(this.shown().view, details.start);
  }

  sizeOf({ merges }) {
    const { size } = this.slider;
    return size === null || size >= 256 + merges ? null : size;
  }

  resize() {
    this.step();
    this.draw();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.request(), PAUSE);
    this.sized(this.slider.size);
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
    view.reveal(start);
    if (this.sheet.open) this.sheet.show(view.spans.get(start));
    return true;
  }
}

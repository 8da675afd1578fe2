// The token view: a text as coloured tokens. This file cuts the text into blocks and lines and draws those in sight;
// drawing.js draws the tokens of a line, steps.js goes from step to step, and pointing.js answers to pointer and keys.
// panel.js puts figures and menus around the view, column.js is one of several, and Replay puts its player on it.
//
//   .view > .block > .line > .k > .t      or, out of sight,      .view > .block.bare > span
//
// An element .t has the place of its token as properties: start and end, in bytes.
//
// A block is some whole lines, or part of a very long one. Out of sight it is one node of plain text; it is drawn as spans
// when it comes near the visible part, and bare again when it is far away. So a text costs no more than the tokens in
// sight. A key draws anew the block in which it changes something.

import { make, setAttributes } from "../kit/elements.js";
import { END, holderOf, isLineStart, startOf } from "./encoding.js";
import { lineHues } from "./hues.js";

const NEAR = 1500; // bytes drawn at once; the others follow when they come near
const BLOCK = 200; // bytes after which the next line begins a block
const MOST = 1000; // blocks, about: in a very long text they are larger
const LONG_LINE = 4000; // bytes after which a line continues in another block
const KEPT = 2; // blocks far away that stay drawn
const ROW = 60; // characters in a row, for guessing the height of a block out of sight

// tokens.css draws less while a text area has the focus. A move within a component does not reach the document: its text
// area calls this for its own focus and blur.
export const onFocus = (event) => {
  const writes = event.type.startsWith("focus") && event.type !== "focusout";
  const area = event.composedPath()[0].matches?.("textarea");
  document.documentElement.classList.toggle("tokviz-writing", Boolean(writes && area));
};
for (const type of ["focusin", "focusout"]) document.addEventListener(type, onFocus);

export class TokenBlocks {
  // `box` is the element to draw in.
  constructor(box, label) {
    this.box = box;
    this.kind = "t"; // the class of what is drawn of a token
    this.ids = this.hex = false;
    box.classList.add("view", "chunks");
    setAttributes(box, { role: "group", "aria-label": label });
    this.blocks = []; // { start, end, isLine, element, isDrawn, far }; isLine: does a line begin with it?
    this.near = new IntersectionObserver((entries) => this.see(entries), { root: box, rootMargin: "300px 0px" });
  }

  close() {
    this.near.disconnect();
  }

  see(entries) {
    for (const { target, isIntersecting } of entries) {
      const { block } = target;
      if (!target.isConnected) continue;
      block.far = !isIntersecting;
      if (isIntersecting && !block.isDrawn) this.dress(block);
    }
    this.thin();
  }

  // Draw an encoding at step k. hueOf(start, end) is the hue of a token; without it, each line is coloured from left to
  // right as it is drawn.
  load(encoding, hueOf = null, k = END) {
    const { n } = encoding;
    Object.assign(this, { encoding, k, start: null, foreign: null, caret: null, pinned: null, pairs: [], born: [] });
    Object.assign(this, { census: null, ranked: null, stop: null, at: 0 });
    this.hueOf = hueOf || ((start) => this.ownHue(start));
    this.spans = new Map(); // start byte -> the element of a token that is drawn
    this.replace(0, this.blocks.length, n ? this.cut(0, n) : []);
    for (const block of this.blocks) if (block.start < NEAR) this.dress(block);
    if (n) this.rove(0);
    this.drawn();
  }

  // The bytes from start to stop of the old encoding became `count` bytes, or have other seams: draw the blocks that this
  // changes. All others keep their elements, and the view does not scroll.
  patch(encoding, start, stop, count) {
    if (!encoding.n || !this.encoding?.n) return this.load(encoding);
    const { blocks } = this;
    const longer = count - (stop - start);
    const moved = (at) => (at >= stop ? at + longer : Math.min(at, encoding.n - 1));
    if (this.pinned !== null) this.pinned = moved(this.pinned);
    if (this.start !== null || this.foreign) {
      this.start = this.foreign = null;
      this.pointed(null);
    }
    Object.assign(this, { encoding, census: null, ranked: null });

    const first = holderOf(blocks, Math.max(0, start - 1));
    let last = holderOf(blocks, stop);
    // A block further down changes if it began a line and now continues one, or the other way round.
    const isOther = ({ start, isLine }) => isLineStart(encoding, start + longer) !== isLine;
    while (last + 1 < blocks.length && isOther(blocks[last + 1])) last++;
    const old = blocks.slice(first, last + 1);
    const fresh = this.cut(old[0].start, old.at(-1).end + longer);
    for (const block of blocks.slice(last + 1)) {
      for (const piece of [block, ...block.element.getElementsByClassName(this.kind)]) {
        piece.start += longer;
        piece.end += longer;
      }
    }
    this.replace(first, old.length, fresh);
    this.spans = new Map(Array.from(this.box.getElementsByClassName(this.kind), (token) => [token.start, token]));
    const isSeen = old.some(({ isDrawn }) => isDrawn);
    for (const block of fresh) if (isSeen && block.start < fresh[0].start + NEAR) this.dress(block);
    this.rove(startOf(encoding, moved(this.at), this.k));
    this.drawn();
  }

  // Put blocks in the place of others.
  replace(at, count, fresh) {
    for (const { element } of this.blocks.splice(at, count, ...fresh)) {
      this.near.unobserve(element);
      element.remove();
    }
    const next = this.blocks[at + fresh.length]?.element ?? null;
    for (const block of fresh) {
      block.element = this.box.insertBefore(make("div", "block"), next);
      block.element.block = block;
      this.bare(block);
      this.near.observe(block.element);
    }
  }

  // Cut bytes into blocks.
  cut(from, to) {
    const { encoding } = this;
    const least = Math.max(BLOCK, encoding.n / MOST);
    const starts = [from];
    for (let i = from + 1; i < to; i++) {
      const size = i - starts.at(-1);
      const mayEnd = size >= LONG_LINE && encoding.seams[i] >= END;
      if (mayEnd || (size >= least && isLineStart(encoding, i))) starts.push(i);
    }
    return starts.map((start, i) => ({ start, end: starts[i + 1] ?? to, isLine: isLineStart(encoding, start) }));
  }

  bare(block) {
    const { element, start, end } = block;
    const { text, units } = this.encoding;
    const string = text.slice(units[start], units[end]);
    const lines = string.replace(/\n$/, "").split("\n");
    const rows = lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / ROW)), 0);
    block.isDrawn = false;
    element.classList.add("bare");
    element.style.containIntrinsicHeight = `auto ${rows}lh`;
    element.replaceChildren(make("span", "", string));
  }

  // A block as its lines, each with its tokens.
  dress(block) {
    const lines = [];
    let start = block.start;
    for (let i = start + 1; i <= block.end; i++) {
      if (i < block.end && !isLineStart(this.encoding, i)) continue;
      lines.push(this.line(start, i));
      start = i;
    }
    block.isDrawn = true;
    block.element.classList.remove("bare");
    block.element.replaceChildren(...lines);
  }

  // Undress the blocks that are far away, but for `kept` of them.
  thin(kept = KEPT) {
    const far = this.blocks.filter(({ far, isDrawn, element }) => far && isDrawn && !element.contains(this.stop));
    for (const block of far.slice(kept)) {
      for (let i = block.start; i < block.end; i++) this.spans.delete(i);
      this.bare(block);
    }
  }

  blockAt(byte) {
    return this.blocks[holderOf(this.blocks, byte)];
  }

  // The element of the token that starts here, which is drawn if it was not.
  drawnAt(start) {
    const block = this.blockAt(start);
    if (!block.isDrawn) this.dress(block);
    return this.spans.get(start);
  }

  // The hue of a token. Colours its block from left to right if that was not done yet.
  ownHue(start) {
    const block = this.blockAt(start);
    block.hues ??= lineHues(this.encoding, block.start, block.end);
    return block.hues[start - block.start];
  }
}

// The token view: a text as coloured tokens. This file cuts the text into blocks and lines and draws those in sight;
// drawing.js draws the tokens of a line, steps.js goes from step to step, and pointing.js answers to pointer and keys.
// panel.js puts figures and menus around the view, column.js is one of several, and Replay puts its player on it.
//
//   .view > .block > .line > .k > .t      or, out of sight,      .view > .block.bare > span
//
// An element .t has the place of its token as properties: start and end, in bytes.
//
// A block is some whole lines, or part of a very long one. Out of sight it is one node of plain text; it is dressed in
// spans when it comes near the visible part, and undressed when it is far away again. So a text costs no more than the
// tokens in sight.

import { make, setAttributes } from "../kit/elements.js";
import { END, holderOf, splice, startOf } from "./encoding.js";

const NEAR = 1500; // bytes dressed at once; the others follow when they come near
const BLOCK = 1000; // bytes after which the next line begins a block
const LONG_LINE = 4000; // bytes after which a line continues in another block
const KEPT = 5; // blocks that stay dressed, even far away
const ROW = 60; // characters in a row, for guessing the height of a block out of sight
export const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// tokens.css draws less while a text area has the focus. A move within a component does not reach the document: its text
// area calls this for its own focus and blur.
export const onFocus = (event) => {
  const writes = event.type.startsWith("focus") && event.type !== "focusout";
  const area = event.composedPath()[0].matches?.("textarea");
  document.documentElement.classList.toggle("tokviz-writing", Boolean(writes && area));
};
for (const type of ["focusin", "focusout"]) document.addEventListener(type, onFocus);

// A line or a block that is further down now.
function shift(piece, longer) {
  piece.start += longer;
  piece.end += longer;
}

export class TokenBlocks {
  // `box` is the element to draw in.
  constructor(box, label) {
    this.box = box;
    this.ids = this.hex = false;
    this.spare = [];
    box.classList.add("view", "chunks");
    setAttributes(box, { role: "group", "aria-label": label });
    this.blocks = [];
    this.near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const block = this.blockOf.get(target);
          if (!block) continue;
          block.far = !isIntersecting;
          if (block.far || block.lines) continue;
          this.dress(block);
          this.outline();
        }
        this.thin();
      },
      { root: box, rootMargin: "300px 0px" },
    );
  }

  close() {
    this.near.disconnect();
  }

  // Draw an encoding at step k. hueOf(start, end) is the hue of a token; without it, each line is coloured from left to
  // right as it is drawn.
  load(encoding, hueOf = null, k = END) {
    const { n, text } = encoding;
    Object.assign(this, { encoding, k, start: null, foreign: null, caret: null, pinned: null, pairs: [], born: [] });
    this.hues = hueOf ? null : new Uint8Array(n);
    this.hueOf = hueOf || ((start) => this.ownHue(start));
    this.hasRightToLeft = this.hasDirection = false;
    this.meet(text);
    this.forget();
    this.spans = new Map(); // start byte -> the element of a dressed token
    this.blockOf = new Map(); // element -> block
    this.stop = null;
    this.at = 0;
    this.near.disconnect();
    this.blocks = n ? this.cut(0, n, false).blocks : [];
    this.box.replaceChildren(...this.blocks.map((block) => this.house(block)));
    for (const block of this.blocks) if (block.start < NEAR) this.dress(block);
    if (n) this.rove(0);
    this.drawn();
  }

  // The bytes from start to stop of the old encoding became `count` bytes, or have other seams: draw what that changes.
  // All other lines keep their elements, and the view does not scroll.
  patch(encoding, start, stop, count) {
    if (!encoding.n || !this.encoding?.n) {
      const { caret } = this;
      this.load(encoding, this.hues ? null : this.hueOf);
      this.caret = caret;
      return;
    }
    const longer = count - (stop - start);
    const { blocks } = this;
    const first = holderOf(blocks, Math.max(0, start - 1));
    let last = holderOf(blocks, stop);
    const held = this.stop;
    if (this.pinned !== null && this.pinned >= start) {
      this.pinned = this.pinned >= stop ? this.pinned + longer : Math.min(this.pinned, encoding.n - 1);
    }
    if (this.start !== null || this.foreign) {
      this.start = this.foreign = null;
      this.pointed(null);
    }
    this.encoding = encoding;
    this.forget();
    this.meet(encoding.text.slice(encoding.units[start], encoding.units[start + count]));
    const spans = this.spans;
    this.spans = new Map();
    for (const [at, element] of spans) {
      if (at < start) this.spans.set(at, element);
      else if (at >= stop) {
        this.spans.set(at + longer, element);
        element.start += longer;
        element.end += longer;
      }
    }
    if (this.hues) this.hues = splice(this.hues, start, stop - start, new Uint8Array(count));

    // Cut the changed blocks again, and those after them until a block begins or continues a line as it did before.
    const from = blocks[first].start;
    let to = blocks[last].end;
    const cutTo = (end) => this.cut(from, end + longer, blocks[first].continues);
    let cut = cutTo(to);
    while (last + 1 < blocks.length && cut.broken === blocks[last + 1].continues) {
      last++;
      to = blocks[last].end;
      cut = cutTo(to);
    }
    const old = blocks.slice(first, last + 1);
    const fresh = cut.blocks;
    const kept = new Map();
    for (const line of old.flatMap((block) => block.lines || [])) {
      if (line.start >= stop) shift(line, longer);
      else if (line.end > start) continue;
      kept.set(`${line.start} ${line.end}`, line);
    }
    for (let i = last + 1; i < blocks.length; i++) {
      const block = blocks[i];
      shift(block, longer);
      for (const line of block.lines ?? []) shift(line, longer);
    }
    const shown = old.map((block) => Boolean(block.lines));
    const after = blocks[last + 1]?.element || null;
    fresh.forEach((block, i) => {
      if (i < old.length) {
        block.element = old[i].element;
        block.far = old[i].far;
        this.blockOf.set(block.element, block);
      } else {
        this.box.insertBefore(this.house(block), after);
      }
    });
    for (const block of old.slice(fresh.length)) {
      this.near.unobserve(block.element);
      this.blockOf.delete(block.element);
      block.element.remove();
    }
    this.blocks = blocks.slice(0, first).concat(fresh, blocks.slice(last + 1));
    fresh.forEach((block, i) => {
      const fromEnd = fresh.length - 1 - i;
      if (shown[i] || (fromEnd < shown.length && shown[shown.length - 1 - fromEnd])) this.dress(block, kept);
      else this.bare(block);
    });
    this.at = startOf(
      encoding,
      this.at < start ? this.at : this.at >= stop ? this.at + longer : Math.min(start, encoding.n - 1),
      this.k,
    );
    if (!held?.isConnected || held.start !== this.at) this.rove(this.at);
    this.drawn();
  }

  // Cut bytes into blocks. continues: does the first continue a line? `broken` in the answer: does a line end with the last?
  cut(from, to, continues) {
    const { bytes, seams } = this.encoding;
    const blocks = [];
    let block = { start: from, continues };
    let broken = false;
    for (let i = from; i < to; i++) {
      if (i > from && seams[i] >= END) {
        if (i - block.start >= (broken ? BLOCK : LONG_LINE)) {
          blocks.push(Object.assign(block, { end: i }));
          block = { start: i, continues: !broken };
        }
        broken = false;
      }
      if (bytes[i] === 10) broken = true;
    }
    blocks.push(Object.assign(block, { end: to }));
    return { blocks, broken };
  }

  // Give a block its element, with its bare text.
  house(block, element = make("div", "block")) {
    block.element = element;
    block.lines = null;
    this.blockOf.set(element, block);
    this.bare(block);
    this.near.observe(element);
    return element;
  }

  bare({ element, start, end }) {
    const { text, units } = this.encoding;
    const string = text.slice(units[start], units[end]);
    const rows = string.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / ROW)), 0);
    element.classList.add("bare");
    element.style.containIntrinsicHeight = `auto ${2.3 * Math.max(1, rows - (string.endsWith("\n") ? 1 : 0))}em`;
    element.replaceChildren(make("span", "", string));
  }

  // A block as its lines, each with its tokens. Lines in `kept`, by "start end", are reused.
  dress(block, kept = null) {
    const { bytes, seams } = this.encoding;
    block.lines = [];
    let start = block.start;
    let broken = false;
    for (let i = start; i <= block.end; i++) {
      if (i === block.end || (broken && seams[i] >= END)) {
        block.lines.push(kept?.get(`${start} ${i}`) || this.line(start, i));
        [start, broken] = [i, false];
      }
      if (bytes[i] === 10) broken = true;
    }
    const { element } = block;
    if (!kept || element.classList.contains("bare")) {
      element.classList.remove("bare");
      element.replaceChildren(...block.lines.map((line) => line.element));
      return;
    }
    // Insert only what is new: the browser lays out again whatever is removed and put back.
    const wanted = new Set(block.lines.map((line) => line.element));
    for (const child of [...element.childNodes]) if (!wanted.has(child)) child.remove();
    let child = element.firstChild;
    for (const line of block.lines) {
      if (line.element === child) child = child.nextSibling;
      else element.insertBefore(line.element, child);
    }
  }

  // Undress blocks that are far away until no more than `kept` are dressed.
  thin(kept = KEPT) {
    const dressed = this.blocks.filter(({ lines }) => lines);
    let many = dressed.length - kept;
    for (const block of dressed) {
      if (many <= 0) return;
      if (!block.far || block.element.contains(this.stop)) continue;
      for (let i = block.start; i < block.end; i++) this.spans.delete(i);
      block.lines = null;
      this.bare(block);
      many--;
    }
  }

  // Note if the text has other directions. This is never taken back: finding out that the last one has gone costs more.
  meet(text) {
    this.hasRightToLeft ||= RIGHT_TO_LEFT.test(text);
    this.hasDirection ||= this.hasRightToLeft || DIRECTION.test(text);
    this.box.classList.toggle("bidi", this.hasDirection);
  }

  forget() {
    this.census = this.ranked = null;
  }

  blockAt(byte) {
    return this.blocks[holderOf(this.blocks, byte)];
  }

  lineAt(byte) {
    const { lines } = this.blockAt(byte);
    return lines[holderOf(lines, byte)];
  }
}

// Replay: a text going through the steps: the window of the corpus, or the reader's own text.

import { SPLIT, startsAt } from "./encoding.js";
import { home, homeHues, pairHues, replayHues } from "./hues.js";
import { sharedEnds } from "./patches.js";
import { TokenView } from "./pointing.js";

export class Strip extends TokenView {
  constructor(box, label, pointed = () => {}) {
    super(box, label, pointed);
    this.entered = false; // until Enter, arrows step through merges instead of tokens
    this.box.tabIndex = 0;
    this.made = -1; // the merge whose tokens are underlined
    this.next = false; // does it show which pairs merge next?
    this.steady = false; // does each token have one hue in all of it? As where readers count
    this.box.addEventListener("scrollend", () => this.snap());
    this.pairs = this.born = [];
  }

  load(encoding, k) {
    super.load(encoding, this.steady ? homeHues(encoding) : replayHues(encoding), k);
    this.ranks = Float64Array.from(new Set(this.closed.map((seam) => encoding.seams[seam])));
  }

  // Draw another encoding at step k, where each token has one hue: the text was edited, or trained on anew. Lines that
  // stay as they are keep their elements, and the view does not scroll.
  change(encoding, k) {
    const before = this.encoding;
    if (!encoding.n || !before?.n) return this.load(encoding, k);
    this.unmark();
    this.thin(0); // only what is in sight needs to be drawn again now
    const [head, tail] = sharedEnds(asDrawn(before, this.k), asDrawn(encoding, k));
    Object.assign(this, { hueOf: homeHues(encoding), k });
    this.patch(encoding, head, before.n - tail, encoding.n - tail - head);
  }

  // Draw step k. `made`: the last merge in sight; others may have fired elsewhere since.
  step(k, made, marks) {
    this.made = made;
    if (k !== this.k) this.show(k);
    this.mark(marks);
  }

  mark(marks) {
    this.next = marks.pairs;
    super.mark(marks);
    this.dyePairs(this);
  }

  // Mark a copy of these tokens as they are marked here.
  markCopy(copy) {
    copy.places = (k) => this.places(k);
    copy.mark({ pairs: this.pairs.length > 0 });
    this.dyePairs(copy);
  }

  // A pair about to merge wears the two hues that it has wherever it is named (Vocabulary.pair).
  dyePairs({ pairs }) {
    if (!pairs.length) return;
    const pair = [...pairs[0].children].map(({ start, end }) => this.encoding.bytes.subarray(start, end));
    const hues = this.steady ? pair.map((token) => home(token)) : pairHues(...pair);
    for (const { children } of pairs) for (const [i, token] of [...children].entries()) dye(token, hues[i]);
  }

  unmark() {
    for (const pair of this.pairs) for (const token of pair.children) dye(token, this.hueOf(token.start, token.end));
    super.unmark();
    if (this.looks) this.differ(null);
  }

  // Underline where two tokens are neighbours in one chunk (no arguments: nowhere).
  underline(left, right) {
    if (!left || !right || !this.encoding) return this.differ(null);
    const { bytes, seams, n } = this.encoding;
    const here = new Set();
    const is = (start, end, token) =>
      end - start === token.length && token.every((byte, i) => bytes[start + i] === byte);
    const starts = [...startsAt(this.encoding, this.k), n];
    for (let i = 0; i + 2 < starts.length; i++) {
      const [start, seam, end] = starts.slice(i, i + 3);
      if (seams[seam] !== SPLIT && is(start, seam, left) && is(seam, end, right)) here.add(start).add(seam);
    }
    this.differ((start) => here.has(start) && "here");
  }

  places(k) {
    return super.places(k === this.k - 1 ? this.made : k);
  }

  // Scroll to a pair about to merge (after the last merge, to a token just made). looked: in the frame before, too.
  reveal(looked = false) {
    if (!this.pairs.length && !this.born.length) {
      const [seam] = this.places(this.next ? this.k : this.k - 1);
      if (seam === undefined) return;
      this.dress(this.blockAt(seam)); // it is too far away to be drawn
      this.mark({ pairs: this.next });
    }
    const marked = this.pairs.length ? this.pairs : this.born;
    const box = this.box.getBoundingClientRect();
    const inSight = (element) => {
      const rect = element.getBoundingClientRect();
      return rect.top >= box.top && rect.bottom <= box.bottom;
    };
    if (!marked.length || marked.some(inSight)) return;
    for (let pass = 0; pass < 2; pass++) {
      // lines get their true height once they are in sight, so scroll again
      this.box.scrollTop += marked[0].getBoundingClientRect().top - box.top - box.height / 3;
    }
    this.snap();
    if (!looked) requestAnimationFrame(() => this.reveal(true)); // some have it only when the next frame is drawn
  }

  // In presenter mode, scroll so that no row of text is half cut.
  snap() {
    if (!this.box.closest("dialog:modal")) return;
    const row = parseFloat(getComputedStyle(this.box).lineHeight);
    this.box.scrollTop = Math.round(this.box.scrollTop / row) * row;
  }
}

// An encoding in which only what is seen of it differs: where tokens begin, and which are special.
const asDrawn = ({ seams, whole, ...encoding }, k) => ({
  ...encoding,
  seams: seams.map((seam) => Number(seam >= k)),
  whole: new Map([...whole.keys()].map((start) => [start, true])),
});

function dye(token, hue) {
  token.className = token.className.replace(/\bh\d\b/, `h${hue}`);
}

// The ranks that fire in any of the texts, ascending.
export function stopsOf(strips) {
  return Float64Array.from(new Set(strips.flatMap((strip) => [...strip.ranks]))).sort();
}

// Replay: a text going through the steps: the window of the corpus, or the reader's own text.

import { replayHues } from "../hues.js";
import { TokenView } from "../token_view/pointing.js";

export class Strip extends TokenView {
  constructor(box, label, pointed = () => {}) {
    super(box, label, pointed);
    this.entered = false; // until Enter, arrows step through merges instead of tokens
    this.box.tabIndex = 0;
    this.made = -1; // the merge whose tokens are underlined
    this.pairs = this.born = [];
  }

  load(encoding, k) {
    super.load(encoding, replayHues(encoding), k);
    this.ranks = Float64Array.from(new Set(this.closed.map((seam) => encoding.seams[seam])));
  }

  // Draw step k. `made`: the last merge in sight; others may have fired elsewhere since.
  step(k, made, marks) {
    this.made = made;
    if (k !== this.k) this.show(k);
    this.mark(marks);
  }

  places(k) {
    return super.places(k === this.k - 1 ? this.made : k);
  }

  // Scroll to a pair about to merge (after the last merge, to a token just made).
  reveal() {
    const marked = this.pairs.length ? this.pairs : this.born;
    const box = this.box.getBoundingClientRect();
    const inSight = (element) => {
      const rect = element.getBoundingClientRect();
      return rect.top >= box.top && rect.bottom <= box.bottom;
    };
    if (!marked.length) return this.approach();
    if (marked.some(inSight)) return;
    for (let pass = 0; pass < 2; pass++) {
      // lines get their true height once they are in sight, so scroll again
      this.box.scrollTop += marked[0].getBoundingClientRect().top - box.top - box.height / 3;
    }
  }

  // A pair too far away to be drawn: draw it, and look again.
  approach() {
    const [seam] = this.places(this.k);
    if (seam === undefined) return;
    this.dress(this.blockAt(seam));
    this.mark({});
    if (this.pairs.length) this.reveal();
  }
}

// The ranks that fire in any of the texts, ascending.
export function stopsOf(strips) {
  return Float64Array.from(new Set(strips.flatMap((strip) => [...strip.ranks]))).sort();
}

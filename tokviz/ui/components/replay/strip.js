// Replay: a text on its way through the steps, the window of the corpus or a text of the reader's own.

import { replayHues } from "../hues.js";
import { TokenView } from "../token_view/pointing.js";

export class Strip extends TokenView {
  constructor(box, label, pointed = () => {}) {
    super(box, label, pointed);
    this.entered = false; // Enter lets the keys in, or arrows would not step
    this.box.tabIndex = 0;
    this.made = -1; // the merge whose tokens are barred
    this.pairs = this.born = [];
  }

  load(encoding, k) {
    super.load(encoding, replayHues(encoding), k);
    this.ranks = Float64Array.from(new Set(this.closed.map((seam) => encoding.seams[seam])));
  }

  // Draw step k. `made`: the merge that was done last; between it and k others may have fired elsewhere.
  step(k, made, marks) {
    this.made = made;
    if (k !== this.k) this.show(k);
    this.mark(marks);
  }

  places(k) {
    return super.places(k === this.k - 1 ? this.made : k);
  }

  // Scroll so that a pair about to merge is in sight (or, after the last, a token just made).
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
      // lines on the way get their true height in the first
      this.box.scrollTop += marked[0].getBoundingClientRect().top - box.top - box.height / 3;
    }
  }

  // A pair that is too far away to be dressed: dress it, and look again.
  approach() {
    const [seam] = this.places(this.k);
    if (seam === undefined) return;
    this.dress(this.blockAt(seam));
    this.mark({});
    if (this.pairs.length) this.reveal();
  }
}

// The ranks that fire in any of the texts, in their order.
export function stopsOf(strips) {
  return Float64Array.from(new Set(strips.flatMap((strip) => [...strip.ranks]))).sort();
}

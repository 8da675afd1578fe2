// The tokens of any step: which seams each merge closes, and how many tokens each step has. A move from one step to
// another redraws only the tokens that differ.

import { make } from "../kit/elements.js";
import { DrawnTokens } from "./drawing.js";
import { endOf, firstWhere, OPEN, startOf, WHOLE } from "./encoding.js";

export class SteppedTokens extends DrawnTokens {
  // The seams that merges closed, by rank, then by place.
  get closed() {
    if (!this.ranked) {
      const { n, seams } = this.encoding;
      const keys = new Float64Array(n); // rank and place in one number, which is sorted quickly
      let many = 0;
      this.wholes = 0; // seams that are never a boundary
      for (let i = 0; i < n; i++) {
        if (seams[i] === WHOLE) this.wholes++;
        else if (seams[i] < OPEN) keys[many++] = seams[i] * n + i;
      }
      this.ranked = Array.from(keys.subarray(0, many).sort(), (key) => key % n);
    }
    return this.ranked;
  }

  // The place in `closed` of the first seam whose rank is k or more.
  firstClosed(k) {
    const { closed } = this;
    return firstWhere(closed.length, (i) => this.encoding.seams[closed[i]] >= k);
  }

  // The seams that the merge of rank k closes.
  places(k) {
    return this.closed.slice(this.firstClosed(k), this.firstClosed(k + 1));
  }

  // How many tokens there are at step k.
  count(k = this.k) {
    const closed = this.firstClosed(k); // first, since it counts `wholes`
    return this.encoding.n - this.wholes - closed;
  }

  // Go to step k, redrawing only the tokens that differ.
  show(k) {
    const { encoding } = this;
    const isForward = k > this.k;
    const [low, high] = isForward ? [this.k, k] : [k, this.k];
    const moved = this.closed.slice(this.firstClosed(low), this.firstClosed(high)).sort((a, b) => a - b);
    const held = this.focused();
    this.point(null);
    this.unmark();
    this.k = k;
    this.census = null;
    const changed = new Set();
    for (const seam of moved) {
      if (!this.blockAt(seam).isDrawn) continue;
      const before = startOf(encoding, seam - 1, k);
      changed.add(before);
      if (isForward) {
        this.spans.get(seam).remove();
        this.spans.delete(seam);
      } else {
        this.spans.get(before).after(this.take(seam));
        changed.add(seam);
      }
    }
    for (const start of changed) this.paint(start, endOf(encoding, start, k));
    if (encoding.n) this.rove(startOf(encoding, this.at, k), held !== null);
    this.drawn();
    if (held !== null) this.point(this.focused()); // a focus that did not move causes no event
  }

  // Box the pairs that merge k is about to join, and underline the tokens that merge k - 1 made.
  mark({ pairs = true } = {}) {
    this.unmark();
    for (const seam of this.places(this.k - 1)) {
      const element = this.spans.get(startOf(this.encoding, seam, this.k));
      if (!element) continue;
      element.classList.add("born");
      this.born.push(element);
    }
    if (!pairs) return;
    for (const seam of this.places(this.k)) {
      const right = this.spans.get(seam);
      if (!right) continue;
      const left = this.spans.get(startOf(this.encoding, seam - 1, this.k));
      const pair = make("span", "pair");
      left.before(pair);
      pair.append(left, right);
      this.pairs.push(pair);
    }
  }

  unmark() {
    for (const pair of this.pairs) pair.replaceWith(...pair.childNodes);
    for (const element of this.born) element.classList.remove("born");
    this.pairs = [];
    this.born = [];
  }
}

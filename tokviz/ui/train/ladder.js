// The ladder: the merges of a training in their order, each with its pair, its token and its count.
//
// A row is { of, k, kind, mark }: merge k of a training (training.js), and how it moved. Its kind is "gone" if the
// training before this one made it.

import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, times } from "../kit/words.js";

const LETTERS = 16; // of a token, before the style cuts it to the room that there is
const KEPT = 300; // pairs whose chips stay
const TITLES = { nth: "Merge", made: "Pair → token", count: "Count", share: "", moved: "" };

export class Ladder {
  // chosen(number): the reader chose this merge, counted from 1. entered(): Enter was pressed on it.
  constructor({ chosen, entered }) {
    Object.assign(this, { list: [], length: 0, step: 0 });
    this.pairs = new Map(); // a pair by its bytes -> its chips, which are elements, and its words
    this.rows = new Rows({
      label: "Merges in order",
      titles: Object.entries(TITLES),
      height: 32,
      narrow: 32.5 * parseFloat(getComputedStyle(document.documentElement).fontSize), // larger letters need more
      row: (place) => this.row(this.list[place]),
      choose: (place) => this.list[place].kind !== "gone" && chosen(this.list[place].k + 1),
      enter: () => entered(),
      move: (step) => this.length > 0 && chosen(Math.max(1, Math.min(this.length, this.step + step))),
    });
    this.root = this.rows.root;
    this.root.classList.add("ladder");
  }

  close() {
    this.rows.close();
  }

  // Show these rows of a training. step: the merge whose row is the current one, counted from 1; 0 for none.
  show(list, { count, length }, step) {
    const most = count.reduce((most, count) => Math.max(most, count), 1);
    Object.assign(this, { list, length, most, step });
    if (this.pairs.size > KEPT) this.pairs.clear();
    this.rows.load(list.length, this.place);
  }

  // Make another row the current one, and bring it into sight.
  point(step) {
    this.step = step;
    if (step) this.rows.point(this.place);
    else this.rows.load(this.list.length, this.place);
  }

  // The place of the current row; -1 for none.
  get place() {
    return this.list.findIndex(({ k, kind }) => k + 1 === this.step && kind !== "gone");
  }

  row(row) {
    const { of, k, kind, mark } = row;
    const { chips, said } = this.pairOf(row);
    const gone = kind === "gone";
    const current = !gone && k + 1 === this.step;
    const count = of.count[k];
    const share = gone ? 0 : Math.max(3, (100 * count) / this.most);
    const inside = html`<span class="nth">${figure(k + 1)}</span><span class="made">${chips}</span><span
      class="count">${figure(count)}</span><span class="share"><i class="bar" style="width:${share}%"></i></span><span
      class="moved">${mark}</span>`;
    return {
      inside,
      current,
      selected: current,
      look: !gone && k >= this.step ? `${kind} later` : kind,
      number: gone ? null : k + 1, // the sentence below the ladder tells of it
      of: this.length,
      label: `Merge ${k + 1}: ${said}, ${times(count)}`,
    };
  }

  pairOf({ of: { left, right, id, vocabulary, names }, k }) {
    const key = `${vocabulary.bytes(left[k]).length} ${names[k]}`;
    if (!this.pairs.has(key)) {
      const ids = [left[k], right[k], id[k]];
      const [a, b, made] = ids.map((id) => vocabulary.chip(id, undefined, LETTERS));
      const said = ids.map((id) => vocabulary.spoken(id));
      const sign = (text) => html`<span class="quiet">${text}</span>`;
      const chips = [a, sign("+"), b, sign("→"), made];
      this.pairs.set(key, { chips, said: `${said[0]} and ${said[1]} make ${said[2]}` });
    }
    return this.pairs.get(key);
  }
}

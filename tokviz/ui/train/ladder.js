// The ladder: the merges of a training in their order, each with its pair, its token and its count. It knows nothing of
// where the merges come from.
//
// A row is { left, right, count }: the bytes of the two tokens, and how often they stood side by side. Changes say what
// another training made of the rows before: `old` has for each row its place then (-1: it is new), and `gone` lists the
// rows that are no longer there, each with its place then as `at`.

import { make } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, times } from "../kit/words.js";
import { chip, spoken } from "../tokenview/marks.js";

const ABOVE = 3; // rows above the one that the ladder opens at
const LETTERS = 16; // of a token, before the style cuts it to the room that there is
const KEPT = 300; // pairs whose chips stay
const TITLES = { nth: "Merge", made: "Pair → token", count: "Count", share: "", moved: "" };

// How a row moved: the class of its mark, and the mark.
function moveOf(place, old) {
  if (old < 0) return ["new", "+ new"];
  if (old > place) return ["up", `↑ ${figure(old - place)}`];
  return old < place ? ["down", `↓ ${figure(place - old)}`] : ["", ""];
}

export class Ladder {
  // chosen(number): the reader chose this merge, counted from 1. entered(): Enter was pressed on it.
  constructor({ chosen, entered }) {
    Object.assign(this, { merges: [], list: [], step: 0 });
    this.pairs = new Map(); // the bytes of a pair -> its chips, which are elements, and its words
    this.rows = new Rows({
      label: "Merges in order",
      titles: Object.entries(TITLES),
      height: 32,
      narrow: 520,
      row: (place) => this.row(this.list[place]),
      choose: (place) => this.list[place].kind !== "gone" && chosen(this.list[place].number),
      enter: () => entered(),
      move: (step) => this.merges.length > 0 && chosen(Math.max(1, Math.min(this.merges.length, this.step + step))),
    });
    this.root = this.rows.root;
    this.root.classList.add("ladder");
    this.none = this.root.appendChild(make("p", "ladder-none quiet"));
    this.none.hidden = true;
  }

  close() {
    this.rows.close();
  }

  // Show these rows. changes: what moved, is new or gone, to be marked; null for no marks. step: the merge whose row is
  // the current one, counted from 1; 0 for none.
  show(merges, changes = null, step = this.step) {
    Object.assign(this, { merges, step });
    const most = merges.reduce((most, { count }) => Math.max(most, count), 1);
    const list = merges.map((merge, place) => {
      const [kind, mark] = changes ? moveOf(place, changes.old[place]) : ["", ""];
      return { merge, number: place + 1, kind, mark, share: Math.max(3, (100 * merge.count) / most) };
    });
    for (const { at, ...merge } of (merges.length && changes?.gone) || []) {
      const row = { merge, number: at + 1, kind: "gone", mark: "× gone", share: 0 };
      list.splice(Math.min(at, list.length), 0, row);
    }
    this.list = list;
    if (this.pairs.size > KEPT) this.pairs.clear();
    this.rows.load(list.length, this.placeOf(step));
  }

  // In place of rows, where there are none.
  say(words) {
    this.none.hidden = !words;
    this.none.textContent = words;
  }

  // Make another row the current one, and bring it into sight.
  point(step) {
    this.step = step;
    const place = this.placeOf(step);
    if (place >= 0) this.rows.point(place);
    else this.rows.load(this.list.length, place);
  }

  // Begin with the current row in sight.
  open() {
    const { rows } = this;
    if (rows.at + 1 > rows.seen) rows.load(rows.n, rows.at, rows.at - ABOVE);
  }

  placeOf(step) {
    return this.list.findIndex(({ number, kind }) => number === step && kind !== "gone");
  }

  row({ merge, number, kind, mark, share }) {
    const { chips, said } = this.pairOf(merge);
    const gone = kind === "gone";
    const current = !gone && number === this.step;
    const inside = html`<span class="nth">${figure(number)}</span><span class="made">${chips}</span><span
      class="count">${figure(merge.count)}</span><span class="share"><i class="bar" style="width:${share}%"></i></span><span
      class="moved">${mark}</span>`;
    return {
      inside,
      current,
      selected: current,
      look: !gone && number > this.step ? `${kind} later` : kind,
      number: gone ? null : number, // the sentence below the ladder tells of it
      of: this.merges.length,
      label: `Merge ${number}: ${said}, ${times(merge.count)}`,
    };
  }

  pairOf({ left, right }) {
    const key = `${left}|${right}`;
    if (!this.pairs.has(key)) {
      const all = [left, right, Uint8Array.of(...left, ...right)];
      const [a, b, made] = all.map((bytes) => chip(bytes, undefined, LETTERS));
      const said = all.map((bytes) => spoken(bytes, 0, bytes.length));
      const sign = (text) => html`<span class="quiet">${text}</span>`;
      const chips = [a, sign("+"), b, sign("→"), made];
      this.pairs.set(key, { chips, said: `${said[0]} and ${said[1]} make ${said[2]}` });
    }
    return this.pairs.get(key);
  }
}

// What changed, in a sentence.
export function changesInWords({ up, down, fresh, gone }) {
  const said = [
    [up, "up"],
    [down, "down"],
    [fresh, "new"],
    [gone.length, "gone"],
  ].filter(([many]) => many);
  return said.map(([many, what]) => `${figure(many)} ${what}`).join(", ") || "no merge moved";
}

// Why there are fewer merges than were asked for. stopped: what the server says of it; "" if it says nothing.
export const whyEnded = (stopped, least) =>
  ({
    min_count: `no other pair occurs ${least === 2 ? "twice" : times(least)}`,
    no_pairs: "no pair is left, and each chunk is one token",
    bytes: "with one more merge, all tokens together would have too many bytes",
  })[stopped] ?? "";

// Why there is no row. least: the least count of a pair that may merge.
export function noRows(asked, least) {
  if (!asked) return "No merges are asked for. Ask for more tokens.";
  const often = least < 3 ? "twice" : times(least);
  return `${least < 2 ? "There is no pair" : `No pair occurs ${often}`} yet. Write more.`;
}

// The ladder: the merges of a training in their order, each with its pair, its token and its count. Only the rows in
// sight are elements. It knows nothing of where the merges come from.
//
// A row is { left, right, count }: the bytes of the two tokens, and how often they stood side by side. Changes say what
// another training made of the rows before: `old` has for each row its place then (-1: it is new), and `gone` lists the
// rows that are no longer there, each with its place then as `at`.

import { make } from "../../kit/elements.js";
import { figure, quantity, times } from "../../kit/words.js";
import { chip, spoken } from "../token_view/marks.js";

const SPARE_RUNGS = 6; // rows drawn beyond those in sight, at each end
const RUNG = 32; // px, at the usual size of letters
const TOUCH_RUNG = 44; // px
const NARROW_LADDER = 520; // px
const RUNGS_ABOVE = 3; // rows above the one that is brought into sight
const RUNG_LETTERS = 16; // of a token, before the style cuts it to the room that there is
const LADDER_HEADS = ["Merge", "Pair → token", "Count", "", ""];
const RUNG_PARTS = ["number", "made", "count", "bar", "mark"];
const LADDER_KEYS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

// How a row moved: the class of its mark, and the mark.
function moveOf(place, old) {
  if (old < 0) return ["new", "+ new"];
  if (old > place) return ["up", `↑ ${figure(old - place)}`];
  return old < place ? ["down", `↓ ${figure(place - old)}`] : ["", ""];
}

export class Ladder {
  // chosen(number): the reader chose this merge, counted from 1. entered(): Enter was pressed on it.
  constructor({ chosen, entered }) {
    Object.assign(this, { chosen, entered, rows: [], list: [], step: 0, height: RUNG, top: 0 });
    this.drawn = new Map(); // place in the list -> element
    this.spare = [];
    this.root = make("div", "ladder");
    const head = this.root.appendChild(make("div", "ladder-row ladder-head"));
    head.setAttribute("aria-hidden", "true"); // each row says what its figures are
    head.append(...LADDER_HEADS.map((title, i) => make("span", `ladder-${RUNG_PARTS[i]}`, title)));
    this.box = this.root.appendChild(make("div", "ladder-rows"));
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "listbox");
    this.box.setAttribute("aria-label", "Merges in order");
    this.room = this.box.appendChild(make("div", "ladder-room"));
    this.room.setAttribute("role", "presentation");
    this.none = this.root.appendChild(make("p", "ladder-none quiet"));
    this.none.hidden = true;
    this.box.addEventListener(
      "scroll",
      () => {
        this.top = this.box.scrollTop;
        this.frame ||= requestAnimationFrame(() => this.draw());
      },
      { passive: true },
    );
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", ({ target }) => {
      const row = target.closest(".ladder-row");
      if (row?.merge) this.chosen(row.merge);
    });
    this.sized = new ResizeObserver(() => this.size());
    this.sized.observe(this.root);
  }

  close() {
    this.sized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  // Show these rows. changes: what moved, is new or gone, to be marked; null for no marks. step: the merge whose row is
  // the current one, counted from 1; 0 for none.
  show(rows, changes = null, step = this.step) {
    Object.assign(this, { rows, step });
    const most = rows.reduce((most, { count }) => Math.max(most, count), 1);
    const list = rows.map((row, place) => {
      const [kind, mark] = changes ? moveOf(place, changes.old[place]) : ["", ""];
      return { row, number: place + 1, kind, mark, share: row.count / most };
    });
    for (const { at, ...row } of (rows.length && changes?.gone) || []) {
      list.splice(Math.min(at, list.length), 0, { row, number: at + 1, kind: "gone", mark: "× gone", share: 0 });
    }
    this.list = list;
    this.room.style.height = `${list.length * this.height}px`;
    this.draw();
  }

  // In place of rows, where there are none; or at the end of the list.
  say(words, end = false) {
    this.none.classList.toggle("end", end);
    this.none.hidden = !words;
    this.none.textContent = words;
  }

  // Make another row the current one, and bring it into sight.
  point(step) {
    this.step = step;
    const place = this.placeOf(step);
    const view = this.box.clientHeight;
    const low = place * this.height;
    if (place >= 0 && (low < this.top || low + this.height > this.top + view)) {
      this.top = Math.max(0, low < this.top ? low : low + this.height - view);
      this.box.scrollTop = this.top;
    }
    this.draw();
  }

  // Begin with the current row in sight.
  open() {
    const low = this.placeOf(this.step) * this.height;
    if (low + this.height <= this.box.clientHeight) return;
    this.box.scrollTop = this.top = low - RUNGS_ABOVE * this.height;
    this.draw();
  }

  placeOf(step) {
    return this.list.findIndex(({ number, kind }) => number === step && kind !== "gone");
  }

  size() {
    const narrow = this.root.clientWidth < NARROW_LADDER;
    const scale = parseFloat(getComputedStyle(this.root).fontSize) / 16;
    const height = narrow ? TOUCH_RUNG : Math.round(RUNG * scale);
    this.root.classList.toggle("narrow", narrow);
    this.sight = this.box.clientHeight;
    this.root.style.setProperty("--scrollbar", `${this.box.offsetWidth - this.box.clientWidth}px`);
    if (height !== this.height) {
      this.root.style.setProperty("--row", `${height}px`);
      this.top *= height / this.height;
      this.height = height;
      this.room.style.height = `${this.list.length * height}px`;
      this.spare.push(...this.drawn.values());
      this.drawn.clear();
      this.box.scrollTop = this.top;
    }
    this.draw();
  }

  // --- the rows in sight ---

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { height, list, sight = 0 } = this;
    const top = Math.max(0, Math.min(this.top, list.length * height - sight)); // the list may be shorter now
    const first = Math.max(0, Math.floor(top / height) - SPARE_RUNGS);
    const last = Math.min(list.length, Math.ceil((top + sight) / height) + SPARE_RUNGS);
    for (const [place, element] of this.drawn) {
      if (place >= first && place < last) continue;
      this.drawn.delete(place);
      this.spare.push(element);
    }
    for (let place = first; place < last; place++) {
      const element = this.drawn.get(place) ?? this.spare.pop() ?? this.empty();
      this.drawn.set(place, element);
      this.fill(element, place);
    }
    for (const element of this.spare.splice(0)) element.remove();
    const elements = [...this.drawn].sort(([a], [b]) => a - b).map(([, element]) => element);
    elements.forEach((element, i) => {
      // in their order, also for screen readers
      if (this.room.children[i] !== element) this.room.insertBefore(element, this.room.children[i] ?? null);
    });
    const current = elements.find(({ current }) => current);
    if (current) this.box.setAttribute("aria-activedescendant", current.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  empty() {
    const element = make("div", "ladder-row");
    for (const part of RUNG_PARTS) element[part] = element.appendChild(make("span", `ladder-${part}`));
    element.length_ = element.bar.appendChild(make("i"));
    return element;
  }

  // Only what differs is written: most rows stay as they are from key to key.
  fill(element, place) {
    const { row, number, kind, mark, share } = this.list[place];
    const { left, right, count } = row;
    const gone = kind === "gone";
    const current = !gone && number === this.step;
    element.merge = gone ? null : number;
    const state = [place, number, count, kind, mark, share, current, !gone && number > this.step, this.height].join();
    if (element.state !== state) {
      element.state = state;
      element.current = current;
      element.id = `ladder-${place}`;
      element.style.transform = `translateY(${place * this.height}px)`;
      element.className = `ladder-row ${kind}`;
      element.classList.toggle("current", current);
      element.classList.toggle("later", !gone && number > this.step);
      element.number.textContent = figure(number);
      element.count.textContent = figure(count);
      element.length_.style.width = `${gone ? 0 : Math.max(3, 100 * share)}%`;
      element.mark.textContent = mark;
      if (gone) {
        element.setAttribute("role", "presentation");
        element.setAttribute("aria-hidden", "true"); // the sentence below the ladder tells of it
        element.removeAttribute("aria-selected");
      } else {
        element.removeAttribute("aria-hidden");
        element.setAttribute("role", "option");
        element.setAttribute("aria-selected", String(current));
        element.setAttribute("aria-posinset", number);
        element.setAttribute("aria-setsize", this.rows.length);
      }
    }
    const pair = `${left}|${right}|${count}|${number}`;
    if (element.pair === pair) return;
    element.pair = pair;
    const made = Uint8Array.of(...left, ...right);
    element.made.replaceChildren(
      chip(left, undefined, RUNG_LETTERS),
      make("span", "ladder-sign", "+"),
      chip(right, undefined, RUNG_LETTERS),
      make("span", "ladder-sign", "→"),
      chip(made, undefined, RUNG_LETTERS),
    );
    const said = [left, right, made].map((bytes) => spoken(bytes, 0, bytes.length));
    element.setAttribute("aria-label", `Merge ${number}: ${said[0]} and ${said[1]} make ${said[2]}, ${times(count)}`);
  }

  key(event) {
    const { length } = this.rows;
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const step = { ...LADDER_KEYS, PageDown: page, PageUp: -page }[event.key];
    if (step && length) this.chosen(Math.max(1, Math.min(length, this.step + step)));
    else if (event.key === "Enter" && length) this.entered();
    else return;
    event.preventDefault();
    event.stopPropagation();
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

// Why there are fewer merges than were asked for; "" if there are not. stopped: what the server says of it.
export function whyEnded(stopped, made, asked, least) {
  const why = {
    min_count: `no other pair occurs ${least === 2 ? "twice" : times(least)}`,
    no_pairs: "no pair is left, and each chunk is one token",
    bytes: "with one more, all tokens together would have too many bytes",
  }[stopped];
  return why ? `The list ends after ${figure(made)} of ${quantity(asked, "merge")}: ${why}.` : "";
}

// Why there is no row. least: the least count of a pair that may merge.
export function noRows(asked, least) {
  if (!asked) return `${quantity(0, "merge")} are asked for. Ask for more.`;
  const often = least < 3 ? "twice" : times(least);
  return `No pair stands ${least < 2 ? "side by side" : often} yet. Write on.`;
}

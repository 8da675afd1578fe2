// The tokens as a table, one row each, sorted by any column. It replaces the text of a view and answers to the same
// keys and pointer.

import { html } from "../kit/html.js";
import { keys, oneTabStop } from "../kit/keys.js";
import { Rows } from "../kit/rows.js";
import { figure } from "../kit/words.js";
import { placeIn, startOf, toHex } from "./encoding.js";
import { hexOf, spoken } from "./marks.js";

const KEPT = 300; // rows whose cells stay

// The row of token i of those that the view has at its step.
export function tokenRow(view, i) {
  const { starts, ids, ranks, often } = view.counted();
  const { bytes, n } = view.encoding;
  const start = starts[i];
  const end = i + 1 < starts.length ? starts[i + 1] : n;
  const id = ids[i] < 0 ? null : ids[i];
  return {
    number: view.numberAt(i),
    id,
    start,
    end,
    bytes: bytes.subarray(start, end),
    characters: charactersIn(bytes, start, end),
    merge: ranks[i] < 0 ? null : ranks[i] + 1,
    times: id === null ? null : often.get(id),
  };
}

export const plainHex = (bytes) => hexOf(bytes).replaceAll("\u00a0", " ");

// How many characters begin between two bytes.
function charactersIn(bytes, start, end) {
  let count = 0;
  for (let i = start; i < end; i++) if ((bytes[i] & 0xc0) !== 0x80) count++;
  return count;
}

const orNone = (number) => (number === null ? "–" : figure(number));
const COLUMNS = [
  { name: "No.", value: ({ number }) => number },
  { name: "Id", value: ({ id }) => id },
  {
    name: "Token",
    look: "shown",
    value: ({ bytes }) => toHex(bytes),
    cell: (token, view) => view.chip(token),
    label: ({ bytes }) => spoken(bytes, 0, bytes.length),
  },
  {
    name: "Bytes",
    look: "spelt",
    value: ({ bytes }) => bytes.length,
    cell: ({ bytes }) => plainHex(bytes.subarray(0, 24)),
    title: ({ bytes }) => plainHex(bytes),
  },
  { name: "Characters", value: ({ characters }) => characters },
  { name: "Start", value: ({ start }) => start },
  { name: "Merge", value: ({ merge }) => merge }, // counted from 1
  { name: "Times here", value: ({ times }) => times },
];

// The numbers of the tokens in the order of a column; those with equal values are in the order of the text, and those
// without one count as the highest.
function orderBy(view, column, isDescending) {
  const order = Array.from(view.counted().starts, (_, i) => i);
  if (!column && !isDescending) return order;
  const values = order.map((i) => COLUMNS[column].value(tokenRow(view, i)) ?? Infinity);
  const way = isDescending ? -1 : 1;
  return order.sort((a, b) => (values[a] < values[b] ? -way : values[a] > values[b] ? way : a - b));
}

export class TokenTable {
  constructor(view) {
    this.view = view;
    this.cells = new Map(); // row -> the cells of its row, in which the chip is an element
    this.order = [];
    this.active = 0; // the start of the token in the active row
    this.sortedBy = 0;
    this.descending = false;
    this.rows = new Rows({
      height: 32,
      row: (row) => this.row(row),
      choose: (row) => this.choose(row),
      enter: () => Boolean(view.chosen) && view.chosen(this.active, true),
      leave: () => Boolean(view.chosen) && view.pinned !== null && view.chosen(null),
      move: (step) => this.move(step),
      sort: (column) => this.sort(column),
    });
    this.root = this.rows.root;
    this.box = this.rows.box;
    this.root.hidden = true;
    this.box.classList.add("token-table");
    this.box.setAttribute("aria-colcount", COLUMNS.length);
    this.title();
    oneTabStop(this.rows.head);
    this.rows.head.addEventListener(
      "keydown",
      keys({ ArrowDown: () => this.order.length > 0 && this.go(this.active) }),
    );
    const startOfRow = ({ target }) => {
      const row = this.rows.indexAt(target);
      return row === undefined ? this.focused() : this.startAt(row);
    };
    this.box.addEventListener("pointerover", (event) => view.point(startOfRow(event)));
    this.box.addEventListener("pointerleave", () => view.point(this.focused()));
    this.box.addEventListener("focusin", () => view.point(this.focused()));
    this.box.addEventListener("focusout", () => view.point(null));
  }

  close() {
    this.rows.close();
  }

  get shown() {
    return this.view.table === this;
  }

  // Replace the view's text by the table, or bring the text back.
  show(on) {
    if (on === this.shown) return;
    this.view.table = on ? this : null;
    this.root.hidden = !on;
    this.view.box.hidden = on;
    if (!on) return this.rows.load(0, -1);
    this.active = this.view.pinned ?? this.view.at;
    this.load();
    this.rows.size();
    this.reveal(this.active);
  }

  // The view's tokens have changed.
  load() {
    const { view } = this;
    this.order = orderBy(view, this.sortedBy, this.descending);
    this.cells.clear();
    this.title();
    const { length } = this.order;
    if (length) this.active = startOf(view.encoding, Math.min(this.active, view.encoding.n - 1), view.k);
    this.rows.load(length, length ? this.rowOf(this.active) : -1);
  }

  title() {
    const way = (column) => (column !== this.sortedBy ? "none" : this.descending ? "descending" : "ascending");
    this.rows.title(COLUMNS.map(({ name, look = "amount" }, column) => [look, name, way(column)]));
  }

  sort(column) {
    this.descending = column === this.sortedBy && !this.descending;
    this.sortedBy = column;
    this.load();
    if (!this.order.length) return;
    this.active = this.startAt(0);
    this.rows.load(this.order.length, 0, 0);
  }

  row(row) {
    const { view } = this;
    if (this.cells.size > KEPT) this.cells.clear();
    if (!this.cells.has(row)) {
      const token = tokenRow(view, this.order[row]);
      const cell = ({ look = "amount", value, cell, label, title }) => html`<span class=${look} role="gridcell"
        aria-label=${label?.(token)} title=${title?.(token)}>${cell ? cell(token, view) : orNone(value(token))}</span>`;
      this.cells.set(row, { token, inside: COLUMNS.map(cell) });
    }
    const { token, inside } = this.cells.get(row);
    const { start, end, id } = token; // which is outlined as the view outlines it
    return { inside, look: view.marksOf(start, end, id), selected: start === view.pinned };
  }

  startAt(row) {
    return this.view.counted().starts[this.order[row]];
  }

  // The row in the table of the token that holds this byte.
  rowOf(start) {
    const { view } = this;
    return this.order.indexOf(placeIn(view.counted().starts, startOf(view.encoding, start, view.k)));
  }

  outline() {
    if (this.shown) this.rows.draw();
  }

  focused() {
    return this.box.getRootNode().activeElement === this.box && this.order.length ? this.active : null;
  }

  // Go to this token's row and focus it.
  go(start) {
    this.active = startOf(this.view.encoding, start, this.view.k);
    this.rows.point(this.rowOf(start));
    this.box.focus({ preventScroll: true });
    this.view.point(this.focused());
  }

  reveal(start) {
    if (this.order.length) this.rows.bring(this.rowOf(start));
  }

  choose(row) {
    const { box, view } = this;
    const selection = box.getRootNode().getSelection?.() || document.getSelection();
    if (selection && !selection.isCollapsed && box.contains(selection.anchorNode)) return;
    const start = this.startAt(row);
    this.go(start);
    view.chosen?.(start, false);
  }

  // From the first row, up leads to the title that it is sorted by.
  move(step) {
    const { length } = this.order;
    if (!length) return false;
    const row = this.rows.at + step;
    if (row === -1) this.rows.head.children[this.sortedBy].firstChild.focus();
    else this.go(this.startAt(Math.max(0, Math.min(length - 1, row))));
  }
}

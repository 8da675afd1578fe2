// The tokens as a table, one row each, sorted by any column. It replaces the text of a view and answers to the same
// keys and pointer.

import { html } from "../kit/html.js";
import { keys, oneTabStop } from "../kit/keys.js";
import { Rows } from "../kit/rows.js";
import { figure } from "../kit/words.js";
import { END, placeIn, startOf } from "./encoding.js";
import { hexOf, spoken } from "./marks.js";

const KEPT = 300; // rows whose cells stay
const NO_RANK = END; // tokens without a merge come after all others

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
const TABLE_COLUMNS = [
  { name: "No.", is: "amount", cell: ({ number }) => orNone(number), key: (view) => view.counted().starts },
  { name: "Id", is: "amount", cell: ({ id }) => orNone(id), key: (view) => view.counted().ids },
  {
    name: "Token",
    is: "shown",
    key: alphabetical,
    cell: (token, view) => view.chip(token),
    label: ({ bytes }) => spoken(bytes, 0, bytes.length),
  },
  {
    name: "Bytes",
    is: "spelt",
    key: lengths,
    cell: ({ bytes }) => plainHex(bytes.subarray(0, 24)),
    title: ({ bytes }) => plainHex(bytes),
  },
  {
    name: "Characters",
    is: "amount",
    cell: ({ characters }) => figure(characters),
    key: (view) => lengths(view, (from, to) => charactersIn(view.encoding.bytes, from, to)),
  },
  { name: "Start", is: "amount", cell: ({ start }) => figure(start), key: (view) => view.counted().starts },
  {
    name: "Merge", // counted from 1
    is: "amount",
    cell: ({ merge }) => orNone(merge),
    key: (view) => view.counted().ranks.map((rank) => (rank < 0 ? NO_RANK : rank)),
  },
  {
    name: "Times here",
    is: "amount",
    cell: ({ times }) => orNone(times),
    key: (view) => view.counted().ids.map((id) => view.counted().often.get(id < 0 ? null : id)),
  },
];

function lengths(view, size = (from, to) => to - from) {
  const { starts } = view.counted();
  return starts.map((start, i) => size(start, i + 1 < starts.length ? starts[i + 1] : view.encoding.n));
}

// The place of each token's bytes in their alphabetical order. Equal ids have equal bytes, so each id is placed once.
function alphabetical(view) {
  const { starts, ids } = view.counted();
  const { bytes, n } = view.encoding;
  const first = new Map();
  ids.forEach((id, i) => {
    if (!first.has(id)) first.set(id, i);
  });
  const bytesOf = (i) => bytes.subarray(starts[i], i + 1 < starts.length ? starts[i + 1] : n);
  const compare = (a, b) => {
    const left = bytesOf(a);
    const right = bytesOf(b);
    const same = left.findIndex((byte, i) => byte !== right[i]);
    return same < 0 ? left.length - right.length : left[same] - (right[same] ?? -1);
  };
  const place = new Map([...first].sort((a, b) => compare(a[1], b[1])).map(([id], place) => [id, place]));
  return ids.map((id) => place.get(id));
}

// The numbers of the tokens, ordered by their keys; tokens with equal keys in the order of the text.
function orderBy(keys, descending) {
  const n = keys.length;
  if (!descending && keys.every((key, i) => !i || keys[i - 1] <= key)) return Int32Array.from(keys, (_, i) => i);
  const greatest = keys.reduce((most, key) => Math.max(most, key), 0);
  const packed = Float64Array.from(keys, (key, i) => (descending ? greatest - key : key + 1) * n + i); // < 2 ** 53
  return Int32Array.from(packed.sort(), (pack) => pack % n);
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
    this.box.setAttribute("aria-colcount", TABLE_COLUMNS.length);
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
    this.order = orderBy(TABLE_COLUMNS[this.sortedBy].key(view), this.descending);
    this.rowsOf = null;
    this.cells.clear();
    this.title();
    const { length } = this.order;
    if (length) this.active = startOf(view.encoding, Math.min(this.active, view.encoding.n - 1), view.k);
    this.rows.load(length, length ? this.rowOf(this.active) : -1);
  }

  title() {
    const way = (column) => (column !== this.sortedBy ? "none" : this.descending ? "descending" : "ascending");
    this.rows.title(TABLE_COLUMNS.map(({ name, is }, column) => [is, name, way(column)]));
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
      const cell = ({ is, cell, label, title }) => html`<span class=${is} role="gridcell"
        aria-label=${label?.(token)} title=${title?.(token)}>${cell(token, view)}</span>`;
      this.cells.set(row, { token, inside: TABLE_COLUMNS.map(cell) });
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
    if (!this.rowsOf) {
      this.rowsOf = new Int32Array(this.order.length);
      this.order.forEach((number, row) => {
        this.rowsOf[number] = row;
      });
    }
    const { starts } = view.counted();
    return this.rowsOf[placeIn(starts, startOf(view.encoding, start, view.k))];
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

// The tokens as a table, one row each, sorted by any column. It replaces the text of a view and answers to the same
// keys and pointer. Only the rows in sight exist, so a hundred thousand cost no more than twenty.
//
// The grid has the focus and names its active row (aria-activedescendant): rows come and go under it as it scrolls.

import { make, makeButton, scaleOf, setAttributes, TALLEST } from "../../kit/elements.js";
import { oneTabStop } from "../../kit/keys.js";
import { figure } from "../../kit/words.js";
import { END, placeIn, startOf } from "../encoding.js";
import { hexOf, spoken } from "./marks.js";

const SPARE_ROWS = 4; // drawn beyond each edge
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
  { name: "Token", is: "shown", key: alphabetical, cell: (token, view) => view.chip(token) },
  { name: "Bytes", is: "spelt", key: lengths, cell: ({ bytes }) => plainHex(bytes.subarray(0, 24)) },
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
function placesBy(keys, descending) {
  const n = keys.length;
  if (!descending && keys.every((key, i) => !i || keys[i - 1] <= key)) return Int32Array.from(keys, (_, i) => i);
  const greatest = keys.reduce((most, key) => Math.max(most, key), 0);
  const packed = Float64Array.from(keys, (key, i) => (descending ? greatest - key : key + 1) * n + i); // < 2 ** 53
  return Int32Array.from(packed.sort(), (pack) => pack % n);
}

let tables = 0;

export class TokenTable {
  constructor(view) {
    this.view = view;
    this.box = make("div", "token-table");
    this.box.hidden = true;
    this.box.tabIndex = 0;
    setAttributes(this.box, { role: "grid", "aria-colcount": TABLE_COLUMNS.length });
    this.name = `tokens-${++tables}`;
    this.head = this.box.appendChild(make("div", "table-head row"));
    setAttributes(this.head, { role: "row", "aria-rowindex": "1" });
    this.titles = TABLE_COLUMNS.map(({ name, is }, column) => {
      const title = this.head.appendChild(make("span", is));
      title.setAttribute("role", "columnheader");
      title.append(makeButton("", name, () => this.sort(column)));
      return title;
    });
    oneTabStop(this.head);
    this.body = this.box.appendChild(make("div", "table-body"));
    this.body.setAttribute("role", "rowgroup");
    this.rows = [];
    this.active = 0; // the start of the token in the active row
    this.sortedBy = 0;
    this.descending = false;
    this.box.addEventListener("scroll", () => this.draw());
    this.resized = new ResizeObserver(() => {
      if (this.shown) this.measure();
    });
    this.resized.observe(this.box);
    const rowAt = (event) => event.target.closest?.(".table-body .row");
    this.box.addEventListener("pointerover", (event) => view.point(rowAt(event)?.start ?? this.focused()));
    this.box.addEventListener("pointerleave", () => view.point(this.focused()));
    this.box.addEventListener("focusin", () => view.point(this.focused()));
    this.box.addEventListener("focusout", () => view.point(null));
    this.box.addEventListener("click", (event) => {
      const row = rowAt(event);
      const selection = this.box.getRootNode().getSelection?.() || document.getSelection();
      if (!row || (selection && !selection.isCollapsed && this.box.contains(selection.anchorNode))) return;
      this.go(row.start);
      view.chosen?.(row.start, false);
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  close() {
    this.resized.disconnect();
  }

  get shown() {
    return this.view.table === this;
  }

  // Replace the view's text by the table, or bring the text back.
  show(on) {
    if (on === this.shown) return;
    this.view.table = on ? this : null;
    this.box.hidden = !on;
    this.view.box.hidden = on;
    if (!on) {
      this.rows = [];
      this.body.replaceChildren();
      return;
    }
    this.active = this.view.pinned ?? this.view.at;
    this.load();
    this.reveal(this.active);
  }

  // The view's tokens have changed.
  load() {
    const { view } = this;
    this.order = placesBy(TABLE_COLUMNS[this.sortedBy].key(view), this.descending);
    this.places = null;
    this.box.setAttribute("aria-rowcount", this.order.length + 1);
    this.titles.forEach((title, column) => {
      const way = column !== this.sortedBy ? "none" : this.descending ? "descending" : "ascending";
      title.setAttribute("aria-sort", way);
    });
    for (const row of this.rows) row.place = -1; // so that each row is filled again
    if (this.order.length) this.active = startOf(view.encoding, Math.min(this.active, view.encoding.n - 1), view.k);
    this.measure();
  }

  sort(column) {
    this.descending = column === this.sortedBy && !this.descending;
    this.sortedBy = column;
    this.box.scrollTop = 0;
    this.load();
    if (this.order.length) this.active = this.startAt(0);
    this.outline();
  }

  measure() {
    if (!this.order.length || !this.box.clientHeight) return;
    if (!this.rows.length) this.rows.push(this.row());
    this.height = this.rows[0].getBoundingClientRect().height;
    this.body.style.height = `${Math.min(this.order.length * this.height, TALLEST)}px`;
    this.draw();
  }

  // How far the rows are scrolled and how much of them is in sight, in px.
  sight() {
    const high = this.box.clientHeight - this.head.offsetHeight;
    const scale = scaleOf(this.order.length * this.height, high);
    return { top: this.box.scrollTop * scale, high, scale };
  }

  draw() {
    if (!this.height || !this.order.length) return;
    const { top, high, scale } = this.sight();
    const first = Math.max(0, Math.floor(top / this.height) - SPARE_ROWS);
    const last = Math.min(this.order.length, Math.ceil((top + high) / this.height) + SPARE_ROWS);
    const [stay, free] = [true, false].map((inSight) =>
      this.rows.filter(({ place }) => (place >= first && place < last) === inSight),
    );
    const there = new Map(stay.map((row) => [row.place, row]));
    const rows = [];
    for (let place = first; place < last; place++) {
      const row = there.get(place) || free.pop() || this.row();
      if (row.place !== place) this.fill(row, place);
      row.style.transform = `translateY(${place * this.height - top + top / scale}px)`;
      rows.push(row);
    }
    for (const row of free) row.remove();
    this.rows = rows;
    rows.forEach((row, i) => {
      // in the order of the table, also for screen readers
      if (this.body.children[i] !== row) this.body.insertBefore(row, this.body.children[i] || null);
    });
    this.outline();
  }

  row() {
    const row = this.body.appendChild(make("div", "row"));
    row.setAttribute("role", "row");
    row.place = -1;
    row.cells = TABLE_COLUMNS.map(({ is }) => {
      const cell = row.appendChild(make("span", is));
      cell.setAttribute("role", "gridcell");
      return cell;
    });
    return row;
  }

  fill(row, place) {
    const { view } = this;
    const told = tokenRow(view, this.order[place]);
    row.place = place;
    row.start = told.start;
    row.end = told.end;
    row.token = told.id;
    row.id = `${this.name}-${told.start}`;
    row.dataset.start = told.start;
    row.setAttribute("aria-rowindex", place + 2);
    TABLE_COLUMNS.forEach(({ cell, is }, column) => {
      row.cells[column].replaceChildren(cell(told, view));
      if (is === "shown") row.cells[column].setAttribute("aria-label", spoken(told.bytes, 0, told.bytes.length));
      if (is === "spelt") row.cells[column].title = plainHex(told.bytes);
    });
  }

  startAt(place) {
    return this.view.counted().starts[this.order[place]];
  }

  // The place in the table of the token that holds this byte.
  placeOf(start) {
    const { view } = this;
    if (!this.places) {
      this.places = new Int32Array(this.order.length);
      this.order.forEach((number, place) => {
        this.places[number] = place;
      });
    }
    const { starts } = view.counted();
    return this.places[placeIn(starts, startOf(view.encoding, start, view.k))];
  }

  // Outline the rows as the view outlines its tokens.
  outline() {
    const { view } = this;
    if (!this.shown || !this.order.length) return;
    const pointed = view.start === null ? null : view.token(view.start);
    const foreign = view.start === null ? view.foreign : null;
    const caret = view.caret === null || !view.encoding.n ? null : view.beforeCaret();
    let active = null;
    for (const row of this.rows) {
      const { start, end, token } = row;
      const hover = start === view.start || (Boolean(foreign) && start < foreign[1] && end > foreign[0]);
      row.classList.toggle("hover", hover);
      row.classList.toggle("twin", !hover && Boolean(pointed) && token !== null && token === pointed.id);
      row.classList.toggle("caret", start === caret);
      row.classList.toggle("found", Boolean(view.matches?.has(start)));
      row.classList.toggle("now", Boolean(view.now?.has(start)));
      row.classList.toggle("active", start === this.active);
      row.setAttribute("aria-selected", start === view.pinned);
      if (start === this.active) active = row.id;
    }
    if (active) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
  }

  focused() {
    return this.box.getRootNode().activeElement === this.box && this.order.length ? this.active : null;
  }

  // Go to this token's row and focus it.
  go(start) {
    this.active = startOf(this.view.encoding, start, this.view.k);
    this.reveal(start);
    this.box.focus({ preventScroll: true });
    this.view.point(this.focused());
  }

  reveal(start) {
    if (!this.height) return;
    const { top, high, scale } = this.sight();
    const here = this.placeOf(start) * this.height;
    if (here < top) this.box.scrollTop = here / scale;
    else if (here + this.height > top + high) this.box.scrollTop = (here + this.height - high) / scale;
    this.draw();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.order.length) return;
    const { view } = this;
    const onTitle = event.target !== this.box;
    const last = this.order.length - 1;
    const place = this.placeOf(this.active);
    const page = Math.max(1, Math.floor(this.sight().high / this.height) - 1);
    const moves = onTitle
      ? { ArrowDown: 0 }
      : { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: last };
    if (!onTitle && event.key === "ArrowUp" && place === 0) this.titles[this.sortedBy].firstChild.focus();
    else if (event.key in moves) this.go(this.startAt(Math.min(last, Math.max(0, moves[event.key]))));
    else if (!onTitle && event.key === "Enter" && view.chosen) view.chosen(this.active, true);
    else if (!onTitle && event.key === "Escape" && view.chosen && view.pinned !== null) view.chosen(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Replay: the ledger. All merges as a table to search, sort and save as CSV; only the rows in sight exist.
//
// A row has a place in `order`, which lists the merges that are shown: all of them in learned order, until the reader
// sorts or searches.

import { saveFile } from "../../kit/copy_and_save.js";
import { byTouch, make, makeButton } from "../../kit/elements.js";
import { figure, rate } from "../../kit/words.js";
import { placeIn } from "../encoding.js";
import { hexOf } from "../token_view/marks.js";

const CURRENT_ROW = 3; // rows above the current one
const LETTER = 0.875; // em of the table's letters; here and below as in ledger.css
const GAP = 9; // px between columns
const SIDES = 22; // px of a row's padding
const BORDERS = 18; // px of borders and scroll bar

export class Ledger {
  constructor(root, stage) {
    const find = (selector) => root.querySelector(selector);
    this.stage = stage;
    this.box = find(".ledger");
    this.query = find(".ledger-head input");
    this.hits = find(".ledger-head [role=status]");
    this.table = this.box.appendChild(make("div", "table"));
    this.table.setAttribute("role", "table");
    this.table.setAttribute("aria-label", "Merges");
    this.head = this.table.appendChild(make("div", "head-row row"));
    this.head.setAttribute("role", "row");
    this.head.setAttribute("aria-rowindex", "1");
    this.body = this.table.appendChild(make("div", "body"));
    this.body.setAttribute("role", "rowgroup");
    this.rows = [];
    this.box.addEventListener("scroll", () => this.draw(this.box.scrollTop));
    this.resized = new ResizeObserver(() => this.rest());
    this.resized.observe(this.box);
    this.query.addEventListener("input", () => this.arrange());
    this.box.addEventListener("click", ({ target }) => {
      const merge = target.closest("[data-merge]")?.dataset.merge;
      if (merge !== undefined) stage.go(Number(merge));
    });
    find(".csv").addEventListener("click", () => this.save());
  }

  close() {
    this.resized.disconnect();
  }

  // merges, vocabulary: of the training. bytes: of the corpus, null if unknown.
  load(merges, vocabulary, bytes, title) {
    Object.assign(this, { merges, vocabulary, bytes, title, texts: null, current: 0, sorted: null, down: false });
    this.query.value = "";
    const { count, replaced, tied, tokens, length } = merges;
    const bytesPerToken = (k) => (bytes === null ? NaN : bytes / tokens[k + 1]);
    const number = (values) => ({
      value: (k) => values[k],
      cell: (k) => figure(values[k]),
      widest: figure(values.reduce((a, b) => (a > b ? a : b), 0)),
    });
    const chips = (...tokens) => {
      const cell = make("span", "chips");
      cell.append(...tokens);
      return cell;
    };
    this.columns = [
      {
        title: "Merge",
        value: (k) => k,
        cell: (k) => figure(merges.number(k)),
        widest: length ? figure(merges.number(length - 1)) : "",
      },
      {
        title: "Pair",
        value: (k) => this.textOf(merges.left[k]),
        cell: (k) => chips(...vocabulary.pair(merges.left[k], merges.right[k])),
        room: 6.4,
      },
      {
        title: "Token",
        value: (k) => this.textOf(merges.id[k]),
        cell: (k) => chips(vocabulary.chip(merges.id[k])),
        room: 4.6,
      },
      ...(merges.rank
        ? [{ title: "Here", ...number(replaced) }]
        : [
            { title: "Count", ...number(count) },
            { title: "Replaced", ...number(replaced) },
            { title: "Tied", ...number(tied), cell: (k) => (tied[k] > 1 ? figure(tied[k]) : "–") },
          ]),
      { title: "Tokens", ...number(tokens), value: (k) => tokens[k + 1], cell: (k) => figure(tokens[k + 1]) },
      {
        title: "Bytes per\u00a0token",
        value: bytesPerToken,
        widest: "0.00",
        cell: (k) => (bytes === null ? "–" : rate(bytesPerToken(k))),
      },
    ];
    // Columns are as wide as their largest figure or the longest word of their title, so that scrolling never changes a
    // width. Measured in digits: fonts differ.
    const digits = ({ widest, title }) => Math.max(widest.length, ...title.split(" ").map((word) => word.length)) + 0.2;
    const narrow = byTouch() ? (ch) => `max(${ch}ch, 44px)` : (ch) => `${ch}ch`; // a finger needs 44 px to hit a title
    const width = (column) =>
      column.room ? `minmax(${column.room}em,${column.room}fr)` : narrow(digits(column).toFixed(1));
    const ems = this.columns.reduce((sum, { room }) => sum + (room ?? 0), 0).toFixed(1);
    const figures = this.columns.filter(({ room }) => !room).map(width);
    const letters = [`${ems}em`, ...figures].join(" + ");
    this.table.style.setProperty("--widths", this.columns.map(width).join(" "));
    // The same for the page around it, where a letter is larger: LETTER is in ledger.css.
    const columns = this.box.closest(".columns");
    const between = GAP * (this.columns.length - 1) + SIDES;
    this.table.style.setProperty("--least", `calc(${letters} + ${between}px)`);
    columns.style.setProperty("--ledger", `calc(${LETTER} * (${letters}) + ${between + BORDERS}px)`);
    this.drawHead();
    this.arrange();
  }

  // A token as text, for searching and sorting.
  textOf(id) {
    const bytes = this.vocabulary.bytes(id);
    return bytes ? LEDGER_TEXT.decode(bytes) : "";
  }

  // --- sorting and searching ---

  drawHead() {
    const held = this.head.contains(this.head.getRootNode().activeElement)
      ? [...this.head.children].findIndex((cell) => cell.contains(cell.getRootNode().activeElement))
      : -1;
    this.head.replaceChildren(
      ...this.columns.map((column) => {
        const cell = make("span", column.room ? "tokens-of" : "");
        cell.setAttribute("role", "columnheader");
        const button = cell.appendChild(makeButton("", column.title, () => this.sort(column)));
        if (column === this.sorted) {
          cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
          button.append(make("span", "way", this.down ? "↓" : "↑"));
          button.lastChild.setAttribute("aria-hidden", "true");
        }
        return cell;
      }),
    );
    if (held >= 0) this.head.children[held].firstChild.focus();
  }

  // First click: descending for figures, ascending for all else. Second: the other way. Third: back to learned order.
  sort(column) {
    const first = typeof column.value(0) === "number" && column !== this.columns[0];
    if (this.sorted !== column) [this.sorted, this.down] = [column, first];
    else if (this.down === first) this.down = !first;
    else this.sorted = null;
    this.drawHead();
    this.arrange(this.sorted !== null);
  }

  // Find which merges are shown, and in which order. toTop: show the first of them, until the player moves.
  arrange(toTop = false) {
    const { length } = this.merges;
    const query = this.query.value;
    let order = Float64Array.from({ length }, (_, k) => k);
    if (query) {
      this.texts ??= Array.from({ length }, (_, k) => this.textOf(this.merges.id[k]));
      const number = /^[\d,]+$/.test(query) ? Number(query.replace(/,/g, "")) : null;
      order = order.filter(
        (k) => this.texts[k].includes(query) || number === this.merges.number(k) || number === this.merges.id[k],
      );
    }
    if (this.sorted) {
      const values = Array.from({ length }, (_, k) => this.sorted.value(k));
      const way = this.down ? -1 : 1;
      order.sort((a, b) => way * (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0) || a - b);
    }
    this.order = order;
    this.stays = toTop;
    if (toTop) this.box.scrollTop = 0;
    this.hits.textContent = !query ? "" : order.length ? `${figure(order.length)} found` : "None found";
    this.table.setAttribute("aria-rowcount", order.length + 1);
    this.rest();
  }

  // --- the rows in sight ---

  // Measure and draw anew: the rows, the width, or the size of the letters may have changed.
  rest() {
    if (!this.order || !this.box.clientHeight) return;
    this.rows = [];
    this.body.replaceChildren();
    if (!this.order.length) {
      this.body.style.height = "0";
      return;
    }
    const probe = this.row(0);
    this.body.append(probe.element);
    this.height = probe.element.getBoundingClientRect().height;
    this.rows = [];
    probe.element.remove();
    this.sight = Math.ceil(this.box.clientHeight / this.height) + 1; // rows
    this.end = Math.max(0, this.order.length * this.height + this.body.offsetTop - this.box.clientHeight);
    this.body.style.height = `${this.order.length * this.height}px`;
    this.top = null;
    this.show(this.current, true);
  }

  row(place) {
    const element = make("div", "row");
    element.setAttribute("role", "row");
    element.tabIndex = -1;
    const row = { element, place: -1 };
    this.rows.push(row);
    this.fill(row, place);
    return row;
  }

  fill(row, place) {
    const merge = this.order[place];
    Object.assign(row, { place, merge });
    row.element.dataset.merge = merge;
    row.element.setAttribute("aria-rowindex", place + 2);
    row.element.style.transform = `translateY(${place * this.height || 0}px)`;
    row.element.replaceChildren(
      ...this.columns.map((column) => {
        const cell = make("span", column.room ? "tokens-of" : "");
        cell.setAttribute("role", "cell");
        cell.append(column.cell(merge));
        return cell;
      }),
    );
    this.dress(row);
  }

  dress({ element, merge }) {
    element.classList.toggle("current", merge === this.current);
    element.classList.toggle("later", merge > this.current);
    if (merge === this.current) element.setAttribute("aria-current", "step");
    else element.removeAttribute("aria-current");
  }

  // The place of a merge in the order shown. If it is not shown: in learned order that of the next one, else -1.
  placeOf(merge) {
    return this.sorted ? this.order.indexOf(merge) : placeIn(this.order, merge);
  }

  // Make merge `current` the current one, and its row the fourth in sight.
  show(current, arranged = false) {
    if (current !== this.current) this.stays = false;
    this.current = current;
    if (!this.order?.length) return;
    if (!this.height) {
      if (!arranged) this.rest();
      return;
    }
    // Compute scrollTop instead of reading it back, which would lay the page out at each step.
    const place = this.stays ? -1 : this.placeOf(current);
    const follows = place >= 0;
    const top = follows ? Math.max(0, Math.min((place - CURRENT_ROW) * this.height, this.end)) : this.box.scrollTop;
    this.draw(top);
    for (const row of this.rows) this.dress(row);
    if (follows) this.box.scrollTop = top;
  }

  draw(top) {
    if (!this.height || !this.order.length) return;
    const first = Math.max(0, Math.min(Math.floor(top / this.height), this.order.length - this.sight));
    const last = Math.min(this.order.length, first + this.sight);
    const wanted = new Set();
    for (let place = first; place < last; place++) wanted.add(place);
    for (const row of this.rows) wanted.delete(row.place);
    if (!wanted.size) return;
    const held = this.focused();
    const free = this.rows.filter((row) => row !== held && (row.place < first || row.place >= last));
    for (const place of wanted) {
      const row = free.pop();
      if (row) this.fill(row, place);
      else this.row(place);
    }
    for (const row of free) row.element.remove();
    this.rows = this.rows.filter((row) => !free.includes(row)).sort((a, b) => a.place - b.place);
    this.rows.forEach((row, i) => {
      // in their order, also for screen readers
      if (this.body.children[i] !== row.element) this.body.insertBefore(row.element, this.body.children[i] || null);
    });
  }

  // --- keys: Enter lets them in, arrows go from row to row, Enter goes to that merge ---

  focused() {
    const element = this.box.getRootNode().activeElement;
    return this.rows.find((row) => row.element === element) || null;
  }

  // Handle a key; true if it was meant for the ledger.
  key(event) {
    const held = this.focused();
    if (!held) {
      if (event.key !== "Enter" || event.target !== this.box || !this.order.length) return false;
      this.hold(Math.max(0, Math.min(this.stays ? 0 : this.placeOf(this.current), this.order.length - 1)));
      return true;
    }
    const page = Math.max(1, this.sight - 3);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (moves[event.key]) this.hold(Math.max(0, Math.min(this.order.length - 1, held.place + moves[event.key])));
    else if (event.key === "Enter") this.stage.go(held.merge);
    else if (event.key === "Escape") this.box.focus();
    else return false;
    return true;
  }

  hold(place) {
    const head = this.body.offsetTop;
    const low = place * this.height;
    const { scrollTop, clientHeight } = this.box;
    const top = Math.min(low, Math.max(scrollTop, low + this.height + head - clientHeight));
    this.box.scrollTop = top;
    this.draw(top);
    this.rows.find((row) => row.place === place)?.element.focus({ preventScroll: true });
  }

  // --- CSV ---

  // Every merge, in the order shown. Tokens are JSON strings, so that no spreadsheet takes one for a formula; tokens
  // that are not UTF-8 have only their bytes.
  save() {
    const { left, right, id, count, replaced, tied, tokens, rank } = this.merges;
    const told = (token) => {
      const bytes = this.vocabulary.bytes(token);
      try {
        return bytes ? `"${JSON.stringify(STRICT_UTF8.decode(bytes)).replaceAll('"', '""')}"` : "";
      } catch {
        return "";
      }
    };
    const hex = (token) => hexOf(this.vocabulary.bytes(token) || []).replaceAll("\u00a0", "");
    const lines = [
      "merge,left_id,right_id,id,left,right,token,token_hex,count,replaced,tied,tokens_after,bytes_per_token",
    ];
    for (const k of this.order) {
      lines.push(
        [
          this.merges.number(k),
          left[k],
          right[k],
          id[k],
          told(left[k]),
          told(right[k]),
          told(id[k]),
          hex(id[k]),
          rank ? "" : count[k],
          replaced[k],
          rank ? "" : tied[k],
          tokens[k + 1],
          this.bytes === null ? "" : this.bytes / tokens[k + 1],
        ].join(),
      );
    }
    saveFile(`merges of ${this.title}.csv`, "text/csv", `${lines.join("\r\n")}\r\n`);
  }
}

const LEDGER_TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

// Replay: the ledger. All merges as a table to search, sort and save as CSV.
//
// A row has a place in `order`, which lists the merges that are shown: all of them in learned order, until the reader
// sorts or searches.

import { saveFile } from "../kit/copy_and_save.js";
import { byTouch } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, rate } from "../kit/words.js";
import { placeIn } from "../tokenview/encoding.js";
import { hexOf } from "../tokenview/marks.js";

const ABOVE = 3; // rows above the current one
const KEPT = 300; // merges whose cells stay
const LETTER = 0.875; // em of the table's letters; here and below as in ledger.css
const GAP = 8; // px between columns
const SIDES = 22; // px of a row's padding
const BORDERS = 18; // px of borders and scroll bar

export class Ledger {
  constructor(root, stage) {
    const find = (selector) => root.querySelector(selector);
    this.stage = stage;
    this.query = find(".ledger-head input");
    this.hits = find(".ledger-head [role=status]");
    this.cells = new Map(); // merge -> its cells, in which the chips are elements
    this.order = [];
    this.rows = new Rows({
      label: "Merge ledger. Enter goes to the rows, arrows step",
      height: 36.4,
      row: (place) => this.row(this.order[place]),
      choose: (place) => stage.go(this.order[place]),
      enter: (place) => (place < 0 ? this.enter() : stage.go(this.order[place])),
      leave: () => this.leave(),
      move: (step) => this.rows.at >= 0 && this.rows.point(this.rows.at + step),
      sort: (column) => this.sort(this.columns[column]),
    });
    this.rows.box.classList.add("ledger");
    this.rows.box.addEventListener("blur", () => this.leave());
    find(".ledger-head").after(this.rows.root);
    this.query.addEventListener("input", () => this.arrange());
    find(".csv").addEventListener("click", () => this.save());
  }

  close() {
    this.rows.close();
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
    const chips = (...tokens) => html`<span class="chips">${tokens}</span>`;
    this.cells.clear();
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
    this.rows.root.style.setProperty("--widths", this.columns.map(width).join(" "));
    // The same for the page around it, where a letter is larger: LETTER is in ledger.css.
    const columns = this.rows.root.closest(".columns");
    const between = GAP * (this.columns.length - 1) + SIDES;
    this.rows.root.style.setProperty("--least", `calc(${letters} + ${between}px)`);
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
    const way = this.down ? "descending" : "ascending";
    this.rows.title(
      this.columns.map((column) => [column.room ? "tokens-of" : "", column.title, column === this.sorted ? way : null]),
    );
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
    this.hits.textContent = !query ? "" : order.length ? `${figure(order.length)} found` : "None found";
    this.rows.load(order.length, -1, toTop ? 0 : undefined);
    this.show(this.current);
  }

  // --- rows ---

  row(merge) {
    if (this.cells.size > KEPT) this.cells.clear();
    if (!this.cells.has(merge)) {
      const cell = ({ room, cell }) =>
        html`<span class=${room ? "tokens-of" : ""} role="gridcell">${cell(merge)}</span>`;
      this.cells.set(merge, this.columns.map(cell));
    }
    const look = merge > this.current ? "later" : "";
    return { inside: this.cells.get(merge), look, current: merge === this.current };
  }

  // The place of a merge in the order shown. If it is not shown: in learned order that of the next one, else -1.
  placeOf(merge) {
    return this.sorted ? this.order.indexOf(merge) : placeIn(this.order, merge);
  }

  // Make merge `current` the current one, and its row the fourth in sight.
  show(current) {
    if (current !== this.current) this.stays = false;
    this.current = current;
    const place = this.stays ? -1 : this.placeOf(current);
    if (place >= 0) this.rows.top = place - ABOVE;
    this.rows.draw();
  }

  // Enter lets the keys in, and Escape out: until then arrows step.
  enter() {
    if (!this.order.length) return false;
    return this.rows.point(this.stays ? 0 : this.placeOf(this.current));
  }

  leave() {
    return this.rows.at >= 0 && this.rows.load(this.order.length, -1);
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

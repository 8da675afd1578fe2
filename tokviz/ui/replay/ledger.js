// Replay: the list of all merges, to search, sort and save as CSV.
//
// A row has a place in `order`, which lists the merges that are shown: all of them in learned order, until the reader
// sorts or searches.

import { saveFile } from "../kit/copy_and_save.js";
import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure } from "../kit/words.js";
import { placeIn } from "../tokenview/encoding.js";
import { hexOf } from "../tokenview/marks.js";

const ABOVE = 3; // rows above the one that is done
const KEPT = 300; // merges whose cells stay
const NAMES = "merge,left_id,right_id,id,left,right,token,token_hex,count,replaced,tied,tokens_after,bytes_per_token";
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

export class Ledger {
  constructor(stage) {
    this.stage = stage;
    this.cells = new Map(); // merge -> its cells, in which the chips are elements
    this.order = [];
    this.rows = new Rows({
      label: "All merges",
      height: 34,
      narrow: 400,
      row: (place) => this.row(this.order[place]),
      choose: (place) => stage.go(this.order[place]),
      sort: (column) => this.sort(this.columns[column]),
    });
    this.rows.box.classList.add("ledger");
  }

  close() {
    this.rows.close();
  }

  load({ n_bytes, title }) {
    const { merges, vocabulary } = this.stage;
    Object.assign(this, { merges, bytes: n_bytes, title, texts: null, done: -1, next: 0 });
    Object.assign(this, { sorted: null, down: false, query: "" });
    const { left, right, id, count, replaced, tokens, rank, length } = merges;
    const figures = (title, value, widest) => ({ title, value, cell: (k) => figure(value(k)), widest: figure(widest) });
    const most = (values) => values.reduce((a, b) => (a > b ? a : b), 0);
    const chips = (title, value, cell, room) => ({ title, value, cell, room });
    const places = figures(rank ? "Here" : "Replaced", (k) => replaced[k], most(replaced));
    this.cells.clear();
    this.columns = [
      { ...figures("Merge", (k) => merges.number(k), length && merges.number(length - 1)), isOrder: true },
      chips(
        "Pair",
        (k) => this.textOf(left[k]),
        (k) => vocabulary.pair(left[k], right[k]),
        5,
      ),
      chips(
        "Token",
        (k) => this.textOf(id[k]),
        (k) => vocabulary.chip(id[k]),
        4.5,
      ),
      ...(rank ? [] : [figures("Count", (k) => count[k], most(count))]),
      places,
      figures("Tokens left", (k) => tokens[k + 1], tokens[0]),
    ];
    // A column of figures is as wide as its largest figure or its title, so that scrolling never changes a width.
    const width = ({ room, title, widest }) =>
      room
        ? `minmax(${room}em, ${room}fr)`
        : `${Math.max(widest.length, ...title.split(" ").map((word) => word.length)) + 0.5}ch`;
    this.rows.root.style.setProperty("--widths", this.columns.map(width).join(" "));
    this.arrange();
  }

  // A token as text, for searching and sorting.
  textOf(id) {
    const bytes = this.stage.vocabulary.bytes(id);
    return bytes ? TEXT.decode(bytes) : "";
  }

  // --- sorting and searching ---

  // First click: descending for figures, ascending for all else. Second: the other way. Third: back to learned order.
  sort(column) {
    const first = !column.room && !column.isOrder;
    if (this.sorted !== column) [this.sorted, this.down] = [column, first];
    else if (this.down === first) this.down = !first;
    else this.sorted = null;
    this.arrange(this.sorted !== null);
  }

  search(query) {
    this.query = query;
    this.arrange();
    this.stage.draw();
  }

  // Find which merges are shown, and in which order. toTop: show the first of them, until the player moves.
  arrange(toTop = false) {
    const { query, sorted } = this;
    const { length, id } = this.merges;
    const way = this.down ? "descending" : "ascending";
    this.rows.title(
      this.columns.map((column) => [column.room ? "tokens-of" : "", column.title, column === sorted ? way : null]),
    );
    let order = Float64Array.from({ length }, (_, k) => k);
    if (query) {
      this.texts ??= Array.from({ length }, (_, k) => this.textOf(id[k]));
      const number = /^[\d,]+$/.test(query) ? Number(query.replace(/,/g, "")) : null;
      order = order.filter(
        (k) => this.texts[k].includes(query) || number === this.merges.number(k) || number === id[k],
      );
    }
    if (sorted) {
      const values = Array.from({ length }, (_, k) => sorted.value(k));
      const sign = this.down ? -1 : 1;
      order.sort((a, b) => sign * (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0) || a - b);
    }
    this.order = order;
    this.stays = toTop;
    this.rows.load(order.length, 0, toTop ? 0 : undefined);
    this.show(this.done, this.next);
  }

  // --- rows ---

  row(merge) {
    if (this.cells.size > KEPT) this.cells.clear();
    if (!this.cells.has(merge)) {
      const cell = ({ room, cell }) =>
        html`<span class=${room ? "tokens-of" : ""} role="gridcell">${cell(merge)}</span>`;
      this.cells.set(merge, this.columns.map(cell));
    }
    const look = merge === this.next ? "later next" : merge > this.next ? "later" : "";
    return { inside: this.cells.get(merge), look, current: merge === this.done };
  }

  // The place of a merge in the order shown. If it is not shown: in learned order that of the next one, else -1.
  placeOf(merge) {
    return this.sorted ? this.order.indexOf(merge) : placeIn(this.order, merge);
  }

  // Mark the merge that is done and the one that is next, and show the first of them as the fourth row in sight, where
  // the keys begin.
  show(done, next) {
    if (next !== this.next) this.stays = false;
    Object.assign(this, { done, next });
    if (!this.rows.root.isConnected) return; // its fold is closed
    const place = this.stays ? -1 : this.placeOf(Math.max(0, done));
    if (place >= 0) Object.assign(this.rows, { top: place - ABOVE, at: Math.min(place, this.order.length - 1) });
    this.rows.draw();
  }

  template() {
    const { query, order } = this;
    const found = query && (order.length ? `${figure(order.length)} found` : "None found");
    return html`<div class="flow ledger-head"><input type="search" aria-label="Find a merge by its token, number or id"
        placeholder="Find a merge: token, number or id" autocomplete="off" spellcheck="false"
        .value=${query} @input=${({ target }) => this.search(target.value)}>
      <span class="quiet small" role="status">${found}</span>
      <button type="button" class="small" @click=${() => this.save()}>Save CSV</button></div>${this.rows.root}`;
  }

  // --- CSV ---

  // Every merge, in the order shown. Tokens are JSON strings, so that no spreadsheet takes one for a formula; tokens
  // that are not UTF-8 have only their bytes.
  save() {
    const { left, right, id, count, replaced, tied, tokens, rank } = this.merges;
    const bytesOf = (token) => this.stage.vocabulary.bytes(token);
    const told = (token) => {
      try {
        return bytesOf(token) ? `"${JSON.stringify(STRICT_UTF8.decode(bytesOf(token))).replaceAll('"', '""')}"` : "";
      } catch {
        return "";
      }
    };
    const hex = (token) => hexOf(bytesOf(token) || []).replaceAll("\u00a0", "");
    const inCorpus = (number) => (rank ? "" : number);
    const line = (k) => [
      ...[this.merges.number(k), left[k], right[k], id[k], told(left[k]), told(right[k]), told(id[k]), hex(id[k])],
      ...[inCorpus(count[k]), replaced[k], inCorpus(tied[k]), tokens[k + 1]],
      this.bytes === null ? "" : this.bytes / tokens[k + 1],
    ];
    const lines = [NAMES, ...Array.from(this.order, (k) => line(k).join())];
    saveFile(`merges of ${this.title}.csv`, "text/csv", `${lines.join("\r\n")}\r\n`);
  }
}

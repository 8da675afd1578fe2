// Replay: the list of all merges, to search, to sort and to save as CSV. A row is a place in `order`, which has the merges
// that the search finds.

import { saveFile } from "../kit/copy_and_save.js";
import { keepSought, sought } from "../kit/field.js";
import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure } from "../kit/words.js";
import { hexOf } from "../tokenview/marks.js";

const ABOVE = 3; // rows above the one that is done
const KEPT = 300; // merges whose cells stay
const NAMES = "merge,left_id,right_id,id,left,right,token,token_hex,count,replaced,tied,tokens_after,bytes_per_token";
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

export class Ledger {
  constructor(stage) {
    this.stage = stage;
    this.cells = new Map(); // merge -> its cells, in which the chips are elements
    this.rows = new Rows({
      label: "All merges",
      height: 34,
      narrow: 400,
      row: (place) => this.row(this.order[place]),
      choose: (place) => stage.go(this.order[place]),
      sort: (column) => this.arrange(this.query, this.columns[column]),
    });
    this.rows.root.classList.add("ledger");
  }

  close() {
    this.rows.close();
  }

  // A press on a title sorts: figures from the largest on, all else from the first on.
  load() {
    const { merges, vocabulary } = this.stage;
    const { left, right, id, count, replaced, tokens, rank, length } = merges;
    const figures = (title, values, sign = -1) => {
      const largest = figure(values.reduce((a, b) => Math.max(a, b), 0));
      const widest = Math.max(largest.length, ...title.split(" ").map((word) => word.length));
      return {
        title,
        way: sign < 0 ? "descending" : "ascending",
        width: `${widest + 0.5}ch`, // so that scrolling never changes it
        cell: (k) => figure(values[k]),
        key: (k) => sign * values[k],
      };
    };
    const chips = (title, em, ids, cell) => ({
      title,
      look: "tokens-of",
      way: "ascending",
      width: `minmax(${em}em, ${em}fr)`,
      cell,
      key: (k) => this.textOf(ids[k]),
    });
    const numbers = Float64Array.from({ length }, (_, k) => merges.number(k));
    this.columns = [
      figures("Merge", numbers, 1),
      chips("Pair", 5, left, (k) => vocabulary.pair(left[k], right[k])),
      chips("Token", 4.5, id, (k) => vocabulary.chip(id[k])),
      ...(rank ? [] : [figures("Count", count)]),
      figures(rank ? "Here" : "Replaced", replaced),
      figures("Tokens left", tokens.subarray(1)),
    ];
    this.rows.root.style.setProperty("--widths", this.columns.map(({ width }) => width).join(" "));
    this.cells.clear();
    Object.assign(this, { texts: null, done: -1, next: 0 });
    this.arrange(sought(`merges.${this.stage.data.title}`), this.columns[0]);
  }

  // A token as text.
  textOf(id) {
    const bytes = this.stage.vocabulary.bytes(id);
    return bytes ? TEXT.decode(bytes) : "";
  }

  // Find which merges are shown, and in which order.
  arrange(query, sorted) {
    const { merges } = this.stage;
    if (query) this.texts ??= Array.from(merges.id, (id) => this.textOf(id));
    const number = /^[\d,]+$/.test(query) ? Number(query.replace(/,/g, "")) : null;
    const isFound = (k) =>
      !query || this.texts[k].includes(query) || number === merges.number(k) || number === merges.id[k];
    const keys = Array.from({ length: merges.length }, (_, k) => sorted.key(k));
    const order = [...keys.keys()].filter(isFound);
    order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
    Object.assign(this, { query, sorted, order });
    this.rows.title(this.columns.map((one) => [one.look ?? "", one.title, one === sorted ? one.way : null]));
    this.rows.load(order.length, 0, 0);
  }

  // --- rows ---

  row(merge) {
    const { stage, done, next } = this;
    if (this.cells.size > KEPT) this.cells.clear();
    if (!this.cells.has(merge)) {
      const cell = ({ look = "", cell }) => html`<span class=${look} role="gridcell">${cell(merge)}</span>`;
      this.cells.set(merge, this.columns.map(cell));
    }
    // While the reader predicts, nothing may tell of the merges to come.
    const isSecret = merge === next ? stage.veiled : merge > next && stage.predicting;
    const look = [merge >= next && "later", merge === next && "next", isSecret && "secret"].filter(Boolean).join(" ");
    return { inside: this.cells.get(merge), look, current: merge === done };
  }

  // Mark the merge that is done and the one that is next. If they are others than before, show the first of them as the
  // fourth row in sight, where the keys begin.
  show(done, next) {
    const isMoved = done !== this.done || next !== this.next;
    Object.assign(this, { done, next });
    if (!this.rows.root.isConnected) this.done = null; // its fold is closed
    const place = isMoved ? this.order.indexOf(Math.max(0, done)) : -1;
    if (place >= 0) Object.assign(this.rows, { top: place - ABOVE, at: place });
    this.rows.draw();
  }

  template() {
    const { query, order, sorted, stage } = this;
    const found = query && (order.length ? `${figure(order.length)} found` : "None found");
    const search = ({ target }) => {
      keepSought(`merges.${stage.data.title}`, target.value);
      this.arrange(target.value, sorted);
      stage.draw();
    };
    return html`<div class="flow ledger-head"><input type="search" aria-label="Find a merge by its token, number or id"
        placeholder="Find a merge: token, number or id" autocomplete="off" spellcheck="false" .value=${query} @input=${search}>
      <span class="quiet small" role="status">${found}</span>
      <button type="button" class="small" @click=${() => this.save()}>Save CSV</button></div>${this.rows.root}`;
  }

  // Save the merges of the list as CSV. Tokens are JSON strings, so that no spreadsheet takes one for a formula; tokens
  // that are not UTF-8 have only their bytes.
  save() {
    const { merges, vocabulary, data } = this.stage;
    const { left, right, id, count, replaced, tied, tokens, rank } = merges;
    const told = (token) => {
      const text = this.textOf(token);
      return !text || text.includes("\ufffd") ? "" : `"${JSON.stringify(text).replaceAll('"', '""')}"`;
    };
    const hex = (token) => hexOf(vocabulary.bytes(token) ?? []).replaceAll("\u00a0", "");
    const inCorpus = (number) => (rank ? "" : number);
    const line = (k) => [
      ...[merges.number(k), left[k], right[k], id[k], told(left[k]), told(right[k]), told(id[k]), hex(id[k])],
      ...[inCorpus(count[k]), replaced[k], inCorpus(tied[k]), tokens[k + 1]],
      data.n_bytes === null ? "" : data.n_bytes / tokens[k + 1],
    ];
    const lines = [NAMES, ...this.order.map((k) => line(k).join())];
    saveFile(`merges of ${data.title}.csv`, "text/csv", `${lines.join("\r\n")}\r\n`);
  }
}

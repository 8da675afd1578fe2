// Replay: the list of all merges in learned order, to search and to save as CSV. A row is a place in `order`, which has
// the merges that the search finds.

import { saveFile } from "../kit/copy_and_save.js";
import { keepSought, sought } from "../kit/field.js";
import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, times } from "../kit/words.js";
import { placeIn } from "../tokenview/encoding.js";
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
    });
    this.rows.root.classList.add("ledger");
  }

  close() {
    this.rows.close();
  }

  load() {
    const { merges, vocabulary } = this.stage;
    const { left, right, id, count, replaced, tokens, rank, length } = merges;
    const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
    // A column of figures is as wide as its largest figure or its title, so that scrolling never changes a width.
    const figures = (title, largest, value) => ({
      title,
      width: `${Math.max(figure(largest).length, ...title.split(" ").map((word) => word.length)) + 0.5}ch`,
      cell: (k) => figure(value(k)),
    });
    const chips = (title, em, cell) => ({ title, look: "tokens-of", width: `minmax(${em}em, ${em}fr)`, cell });
    this.columns = [
      figures("Merge", length && merges.number(length - 1), (k) => merges.number(k)),
      chips("Pair", 5, (k) => vocabulary.pair(left[k], right[k])),
      chips("Token", 4.5, (k) => vocabulary.chip(id[k])),
      !rank && figures("Count", most(count), (k) => count[k]),
      figures(rank ? "Here" : "Replaced", most(replaced), (k) => replaced[k]),
      figures("Tokens left", tokens[0], (k) => tokens[k + 1]),
    ].filter(Boolean);
    this.rows.title(this.columns.map(({ look = "", title }) => [look, title]));
    this.rows.root.style.setProperty("--widths", this.columns.map(({ width }) => width).join(" "));
    this.cells.clear();
    Object.assign(this, { texts: null, done: -1, next: 0 });
    this.search(sought(`merges.${this.stage.data.title}`));
  }

  // A token as text.
  textOf(id) {
    const bytes = this.stage.vocabulary.bytes(id);
    return bytes ? TEXT.decode(bytes) : "";
  }

  search(query) {
    const { merges } = this.stage;
    const all = Array.from(merges.id.keys());
    if (query) this.texts ??= Array.from(merges.id, (id) => this.textOf(id));
    const number = /^[\d,]+$/.test(query) ? Number(query.replace(/,/g, "")) : null;
    const isFound = (k) => this.texts[k].includes(query) || number === merges.number(k) || number === merges.id[k];
    Object.assign(this, { query, order: query ? all.filter(isFound) : all });
    this.rows.load(this.order.length, 0);
  }

  // --- rows ---

  row(merge) {
    const { stage, done, next } = this;
    if (this.cells.size > KEPT) this.cells.clear();
    if (!this.cells.has(merge)) {
      const cell = ({ look = "", cell }) => html`<span class=${look}>${cell(merge)}</span>`;
      this.cells.set(merge, { inside: this.columns.map(cell), label: this.spoken(merge) });
    }
    const { inside, label } = this.cells.get(merge);
    // While the reader predicts, nothing may tell of the merges to come.
    const isSecret = merge === next ? stage.veiled : merge > next && stage.predicting;
    const look = [merge >= next && "later", merge === next && "next", isSecret && "secret"].filter(Boolean).join(" ");
    const isDone = merge === done;
    return { inside, look, current: isDone, selected: isDone, label: isSecret ? "still to be predicted" : label };
  }

  spoken(merge) {
    const { merges, vocabulary } = this.stage;
    const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => vocabulary.spoken(ids[merge]));
    return `merge ${figure(merges.number(merge))}: ${left} and ${right} make ${id}, ${times(merges.count[merge])}`;
  }

  // Mark the merge that is done and the one that is next, and show the first of them as the fourth row in sight, where
  // the keys begin.
  show(done, next) {
    Object.assign(this, { done, next });
    if (!this.rows.root.isConnected) return; // its fold is closed
    const place = placeIn(this.order, Math.max(0, done));
    Object.assign(this.rows, { top: place - ABOVE, at: Math.min(place, this.order.length - 1) });
    this.rows.draw();
  }

  template() {
    const { query, order, stage } = this;
    const found = query && (order.length ? `${figure(order.length)} found` : "None found");
    const search = ({ target }) => {
      keepSought(`merges.${stage.data.title}`, target.value);
      this.search(target.value);
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

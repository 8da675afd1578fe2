// Above the rows: the search and how it is read, the filters, what is listed in a sentence, and the order.

import { choice, select } from "../kit/choices.js";
import { make } from "../kit/elements.js";
import { html, live, render } from "../kit/html.js";
import { keys } from "../kit/keys.js";
import { fromHex } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip } from "../tokenview/marks.js";

const BYS = { text: "Text", bytes: "Bytes", id: "Id", pattern: "Pattern" };
const EXAMPLES = { text: "every", bytes: "20 65 76", id: "1753, 2000-2100", pattern: "^ [A-Z]\\w+$" };
const SEARCH_LIMIT = 500; // characters, as in vocabulary/listing.py
const SORTS = [
  ["id", "Lowest id first"],
  ["id down", "Highest id first"],
  ["use down", "Most used first"],
  ["use", "Least used first"],
  ["length", "Shortest first"],
  ["length down", "Longest first"],
  ["text", "By text, A to Z"],
  ["text down", "By text, Z to A"],
];
const USES = { any: "any", used: "used", unused: "not used" };
const ANY = ["", "any"];

export class Tools {
  // change(fields): the choice changes. down(pins): Enter in the search (pins), or an arrow. csv(), copyLink(): their
  // buttons.
  constructor(acts) {
    Object.assign(this, acts);
    this.root = make("div", "tools");
  }

  // choice: what is listed. all: what does not change with the search, null before the first answer. told: what Python
  // answered to it. fault: what is wrong with the search. Those that are not given stay.
  show(fields) {
    Object.assign(this, fields);
    render([this.search(), this.filters(), this.summary(), this.none()], this.root);
  }

  get field() {
    return this.root.querySelector("input");
  }

  clear() {
    this.change({ search: "" });
    this.field.focus();
  }

  search() {
    const { choice: chosen, fault } = this;
    const press = keys({
      Escape: () => (chosen.search === "" ? false : this.clear()),
      ArrowDown: () => this.down(false),
      Enter: () => this.down(true),
    });
    const by = (by) => {
      this.change({ by });
      this.field.focus();
    };
    return html`<div class="flow search">
        <input type="search" role="searchbox" maxlength=${SEARCH_LIMIT} spellcheck="false" autocapitalize="off"
          autocorrect="off" autocomplete="off" aria-label="Search the tokens" aria-describedby="fault"
          aria-invalid=${Boolean(fault)} placeholder="For example ${EXAMPLES[chosen.by]}" .value=${live(chosen.search)}
          @input=${({ target }) => this.change({ search: target.value })} @keydown=${press}>
        ${choice({ label: "Search by", options: BYS, value: chosen.by, choose: by })}
      </div>
      <p class="note bad fault" id="fault" role="alert" ?hidden=${!fault}>${fault}</p>`;
  }

  filters() {
    const { all, told } = this;
    const odd = () => {
      this.change({ odd: "" });
      this.root.querySelector("[aria-label=Use]").focus(); // the button goes
    };
    return html`<div class="flow filters">
      ${
        all && [
          this.filter("Kind", "kind", optionsOf(all.kinds)),
          this.filter("Length", "length", [[0, "any"], ...lengthsOf(all)]),
          this.filter("Script", "script", optionsOf([...all.scripts.map(({ name }) => name), ...all.all_scripts])),
          this.filter("Use", "use", Object.entries(USES)),
        ]
      }
      <button type="button" class="set" ?hidden=${!told?.odd} @click=${odd}
        aria-label="Only tokens that are ${told?.odd}. Press to list all tokens.">Only: ${told?.odd} ×</button>
    </div>`;
  }

  filter(label, name, options) {
    const choose = (value) => this.change({ [name]: value });
    return select({ label, options, value: this.choice[name], choose, prefix: `${label}: ` });
  }

  summary() {
    const { choice: chosen, told } = this;
    const said = told && `${told.said}${told.over ? "" : "; the search goes on"}`;
    const [, number, rest] = /^(\S*)(.*)$/s.exec(said ?? "");
    const sort = (order) => {
      const [sort, down] = order.split(" ");
      this.change({ sort, down: Boolean(down) });
    };
    const value = chosen.down ? `${chosen.sort} down` : chosen.sort;
    return html`<div class="flow ends summary">
      <p class="said" role="status"><b>${number}</b>${rest}</p>
      <div class="flow order">
        ${select({ label: "Sort by", options: SORTS, value, choose: sort })}
        <button type="button" aria-label="CSV of all that is listed" @click=${this.csv}>CSV</button>
        <button type="button" aria-label="Copy link to this list" @click=${this.copyLink}>Copy link</button>
      </div>
    </div>`;
  }

  none() {
    const none = this.told?.none;
    const chips = none?.tokens.map(fromHex).map((token) => chip(token, home(token)));
    return html`<div class="none" ?hidden=${!none}>${none && html`<p>${none.said}</p>${chips}`}</div>`;
  }
}

const optionsOf = (names) => [ANY, ...[...new Set(names)].map((name) => [name, name])];

const lengthsOf = ({ lengths }) =>
  lengths.flatMap((n, i) => {
    const last = i + 1 === lengths.length;
    return n ? [[i + 1, `${i + 1}${last ? " bytes or more" : i ? " bytes" : " byte"}`]] : [];
  });

// Above the rows: the search and how it is read, the filters with their charts, what is listed in a sentence, and the order.

import { select } from "../kit/choices.js";
import { make } from "../kit/elements.js";
import { html, live, render } from "../kit/html.js";
import { keys } from "../kit/keys.js";
import { menu } from "../kit/menu.js";
import { fromHex } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip } from "../tokenview/marks.js";
import { charts, lengthInWords } from "./charts.js";

const BYS = [
  ["text", "in the text"],
  ["bytes", "as bytes"],
  ["id", "by id"],
  ["pattern", "by pattern"],
];
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

export class Tools {
  // change(fields): the choice changes. down(pins): Enter in the search (pins), or an arrow. csv(), copyLink(status): what
  // is saved and copied, and `status` says so. use(): the choice of what use is counted in, on a phone.
  constructor(acts) {
    Object.assign(this, acts);
    this.root = make("div", "tools");
    this.narrow = matchMedia("(max-width: 999px)");
    this.narrow.onchange = () => this.show();
  }

  close() {
    this.narrow.onchange = null;
  }

  // choice: what is listed. all: what does not change with the search, null before the first answer. told: what Python
  // answered to it. fault: what is wrong with the search. Those that are not given stay.
  show(fields) {
    Object.assign(this, fields);
    const isPhone = this.narrow.matches;
    const { all, told } = this;
    const pick = (name, value) => this.change({ [name]: value });
    render(
      [
        this.search(),
        html`<div class="flow filters">${isPhone && this.fold("filtering", "Filters")}${
          (!isPhone || this.filtering) && this.filters()
        }${this.fold("charting", "Charts")}${isPhone && [this.order(), this.more()]}${this.only()}</div>`,
        all && told && this.charting && charts(all, told, this.choice, pick),
        this.summary(isPhone),
        this.none(),
      ],
      this.root,
    );
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
    return html`<div class="search">
        <input type="search" role="searchbox" maxlength=${SEARCH_LIMIT} spellcheck="false" autocapitalize="off"
          autocorrect="off" autocomplete="off" aria-label="Search the tokens" aria-describedby="fault"
          aria-invalid=${Boolean(fault)} placeholder="For example ${EXAMPLES[chosen.by]}" .value=${live(chosen.search)}
          @input=${({ target }) => this.change({ search: target.value })} @keydown=${press}>
        ${select({ label: "Search", options: BYS, value: chosen.by, choose: by })}
      </div>
      <p class="note bad fault" id="fault" role="alert" ?hidden=${!fault}>${fault}</p>`;
  }

  // A button that shows and hides a part.
  fold(name, words) {
    const press = () => this.show({ [name]: !this[name] });
    return html`<button type="button" class="unfolds" aria-expanded=${Boolean(this[name])} @click=${press}>${words}</button>`;
  }

  filters() {
    const { all } = this;
    const any = (names) => [["", "any"], ...[...new Set(names)].map((name) => [name, name])];
    if (!all) return false;
    const lengths = all.lengths.flatMap((n, i) => (n ? [[i + 1, lengthInWords(i + 1, all.lengths.length)]] : []));
    return [
      this.filter("Kind", "kind", any(all.kinds)),
      this.filter("Length", "length", [[0, "any"], ...lengths]),
      this.filter("Script", "script", any([...all.scripts.map(({ name }) => name), ...all.all_scripts])),
      this.filter("Use", "use", Object.entries(USES)),
      this.narrow.matches && this.use(),
    ];
  }

  filter(label, name, options) {
    const choose = (value) => this.change({ [name]: value });
    return select({ label, options, value: this.choice[name], choose, prefix: `${label}: ` });
  }

  // The set of tokens to which the list is limited, and the way out.
  only() {
    const { told } = this;
    const press = () => {
      this.change({ odd: "" });
      this.field.focus(); // the button goes
    };
    return html`<button type="button" class="set" ?hidden=${!told?.odd} @click=${press}
      aria-label="Only tokens that are ${told?.odd}. Press to list all tokens.">Only: ${told?.odd} ×</button>`;
  }

  order() {
    const { sort, down } = this.choice;
    const choose = (order) => {
      const [sort, down] = order.split(" ");
      this.change({ sort, down: Boolean(down) });
    };
    return select({ label: "Sort by", options: SORTS, value: down ? `${sort} down` : sort, choose });
  }

  more() {
    const items = () => [
      { label: "Save CSV", act: this.csv },
      { label: "Copy link", tell: this.copyLink },
    ];
    return menu({ label: "More", items, dots: true, sheet: true });
  }

  summary(isPhone) {
    const { told } = this;
    const [head, rest] = told?.said ?? ["", ""];
    const copy = () => this.copyLink(this.status);
    return html`<div class="flow ends summary">
      <p class="said" role="status"><b>${head}</b> ${rest}</p>
      ${
        !isPhone &&
        html`<div class="flow order">${this.order()}<button type="button" aria-label="Save CSV of all that is listed"
          @click=${this.csv}>Save CSV</button><button type="button" aria-label="Copy link to this list"
          @click=${copy}>Copy link</button></div>`
      }
    </div>`;
  }

  none() {
    const none = this.told?.none;
    const chips = none?.tokens.map(fromHex).map((token) => chip(token, home(token)));
    return html`<div class="empty" ?hidden=${!none}>${none && html`<p>${none.said}</p>${chips}`}</div>`;
  }
}

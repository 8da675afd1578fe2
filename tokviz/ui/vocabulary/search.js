// Above the rows: the search and how it is read, the filters with their charts, what is listed in a sentence, and the order.

import { select } from "../kit/choices.js";
import { html, live } from "../kit/html.js";
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
const USES = [
  ["any", "any"],
  ["used", "used"],
  ["unused", "not used"],
];

// list: the TokenList whose state is drawn.
export function tools(list) {
  const { told, filtering, charting } = list;
  const isPhone = list.narrow.matches;
  const fold = (name, words) => html`<button type="button" class="unfolds" aria-expanded=${Boolean(list[name])}
    @click=${() => list.set({ [name]: !list[name] })}>${words}</button>`;
  return html`${search(list)}
    <div class="flow filters">${isPhone && fold("filtering", "Filters")}${
      told && (filtering || !isPhone) && [filters(list), isPhone && list.uses()]
    }${fold("charting", "Charts")}${isPhone && [order(list), more(list)]}${told?.odd && only(list, told.odd)}</div>
    ${told && charting && charts(told, list.choice, (fields) => list.change(fields))}
    <div class="flow ends summary">
      <p class="said" role="status"><b>${told?.said[0]}</b> ${told?.said[1]}</p>${
        !isPhone &&
        html`<div class="flow order">${order(list)}<button type="button" aria-label="Save CSV of all that is listed"
          @click=${() => list.csv()}>Save CSV</button><button type="button" aria-label="Copy link to this list"
          @click=${() => list.copyLink(list.status)}>Copy link</button></div>`
      }</div>
    ${told?.none && nothingFound(told.none)}`;
}

function search(list) {
  const { choice, fault } = list;
  const press = keys({
    Escape: () => (choice.search === "" ? false : list.clear()),
    ArrowDown: () => list.down(false),
    Enter: () => list.down(true),
  });
  const choose = (by) => {
    list.change({ by });
    list.field.focus();
  };
  return html`<div class="search">
      <input type="search" role="searchbox" maxlength=${SEARCH_LIMIT} spellcheck="false" autocapitalize="off"
        autocorrect="off" autocomplete="off" aria-label="Search the tokens" aria-describedby="fault"
        aria-invalid=${Boolean(fault)} placeholder="For example ${EXAMPLES[choice.by]}" .value=${live(choice.search)}
        @input=${({ target }) => list.change({ search: target.value })} @keydown=${press}>
      ${select({ label: "Search", options: BYS, value: choice.by, choose })}
    </div>
    <p class="note bad fault" id="fault" role="alert" ?hidden=${!fault}>${fault}</p>`;
}

function filters(list) {
  const { kinds, lengths, scripts, all_scripts: allScripts } = list.told.frame;
  const any = (names) => [["", "any"], ...[...new Set(names)].map((name) => [name, name])];
  const inWords = (n, i) => (n ? [[i + 1, lengthInWords(i + 1, lengths.length)]] : []);
  return [
    ["Kind", "kind", any(kinds)],
    ["Length", "length", [[0, "any"], ...lengths.flatMap(inWords)]],
    ["Script", "script", any([...scripts.map(({ name }) => name), ...allScripts])],
    ["Use", "use", USES],
  ].map(([label, name, options]) => {
    const choose = (value) => list.change({ [name]: value });
    return select({ label, options, value: list.choice[name], choose, prefix: `${label}: ` });
  });
}

// The set of tokens to which the list is limited, and the way out.
const only = (list, odd) => {
  const press = () => {
    list.change({ odd: "" });
    list.field.focus(); // the button goes
  };
  return html`<button type="button" class="set" @click=${press}
    aria-label="Only tokens that are ${odd}. Press to list all tokens.">Only: ${odd} ×</button>`;
};

const order = (list) => {
  const { sort, down } = list.choice;
  const choose = (order) => list.change({ sort: order.split(" ")[0], down: order.endsWith(" down") });
  return select({ label: "Sort by", options: SORTS, value: down ? `${sort} down` : sort, choose });
};

const more = (list) => {
  const items = () => [
    { label: "Save CSV", act: () => list.csv() },
    { label: "Copy link", tell: (status) => list.copyLink(status) },
  ];
  return menu({ label: "More", items, dots: true, sheet: true });
};

const nothingFound = ({ said, tokens }) =>
  html`<div class="empty"><p>${said}</p>${tokens.map(fromHex).map((token) => chip(token, home(token)))}</div>`;

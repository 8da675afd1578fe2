// The choice of a tokenizer: models by name, with a search, and then the visitor's own. A panel below the button that
// opens it; on a narrow window a sheet.
//
// choice(list, { state, redraw, pick, close, chosen }) is what html.js draws.
//   list       what the server answers to "tokens.choices" (choosing.py); none until it has
//   state      what the panel keeps while it is open: {} at first. redraw() draws again. What was typed, and neither
//              chosen from nor closed, is there when it opens again
//   pick(name) is called with the name of what was chosen, and close() when nothing was
//   chosen     the names of what is chosen already
//   many       is the choice one of several, so that a pick of what is chosen takes it away?
// enter(panel) is to be called when it has been opened: it makes the panel fit, and gives it the focus.

import { byTouch } from "../kit/elements.js";
import { keepSought, sought } from "../kit/field.js";
import { html, live } from "../kit/html.js";
import { keys, walk } from "../kit/keys.js";
import { goRound } from "../kit/menu.js";
import { pressTo } from "./page_link.js";

const FIRST = 5; // models, before all others are asked for
const FEWEST = 260; // px below the button that are enough
const NEAR = 3; // names that are like another one
const KNOWN = 8; // names of tiktoken's table that are shown

const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const asName = (query) => query.trim().toLowerCase().replace(/\s+/g, "-");

// How many letters of a word have to change until it is the other.
function distance(word, other) {
  let row = [...other, ""].map((_, i) => i);
  for (const [i, letter] of [...word].entries()) {
    const next = [i + 1];
    for (const [j, there] of [...other].entries())
      next.push(Math.min(row[j] + (letter !== there), row[j + 1] + 1, next[j] + 1));
    row = next;
  }
  return row.at(-1);
}

// The row of a model about which only its encoding is known.
const rowOf = ({ marks }, name, encoding, title = name) => ({
  name,
  title,
  encoding,
  ...(marks[encoding] ?? { not: `tokviz does not have ${encoding}` }),
});

const calledOf = ({ name, title, own }) => (own ? title : name);
const wordsOf = (row) =>
  [row.title, calledOf(row), row.encoding ?? "", ...(row.also ?? [])].map(letters).filter(Boolean);

// What a search finds: { rows, says }. Whole names come first.
function find(list, query) {
  const [name, sought] = [asName(query), letters(query)];
  const known = Object.entries(list.known).map(([name, encoding]) => rowOf(list, name, encoding));
  const rows = [...list.own, ...list.models];
  const holds = (row) => sought && wordsOf(row).some((word) => word.includes(sought));
  const isOther = (row) => !wordsOf(row).includes(sought);
  const byLength = (a, b) => a.name.length - b.name.length;
  const found = rows.filter(holds).sort((a, b) => isOther(a) - isOther(b));
  found.push(...known.filter(holds).sort(byLength).slice(0, KNOWN));
  if (found.some((row) => row.name === name)) return { rows: found };
  const begins = ([start]) => name.startsWith(start) && name.length > start.length && /^[\w.:-]+$/.test(name);
  const prefix = list.prefixes.find(begins);
  if (prefix) return { rows: [rowOf(list, name, prefix[1], `Add: ${name}`), ...found] };
  if (found.length) return { rows: found };
  const near = [...rows, ...known]
    .map((row) => ({ row, far: Math.min(...wordsOf(row).map((word) => distance(sought, word))) }))
    .filter(({ far }) => far <= 0.4 * sought.length)
    .sort((a, b) => a.far - b.far)
    .slice(0, NEAR)
    .map(({ row }) => row);
  return { rows: near, says: `No model of that name.${near.length ? ` Near: ${near.map(calledOf).join(", ")}` : ""}` };
}

// What is shown: [{ heading, rows, says }].
function groupsOf(list, { query, all }) {
  if (query.trim()) return [find(list, query)];
  const rest = list.models.slice(FIRST);
  const makers = [...Map.groupBy(rest, ({ maker }) => maker)].map(([heading, rows]) => ({ heading, rows }));
  const more = { rows: [{ title: `${rest.length} more models`, more: true }] };
  return [
    { heading: "Models", rows: list.models.slice(0, FIRST) },
    ...(all ? makers : [more]),
    ...(list.own.length ? [{ heading: "Yours, and what you opened in the library", rows: list.own }] : []),
  ];
}

// own: the name of what the choice would replace; undefined where it adds one.
export function choice(list, { state, redraw, pick, close, chosen, own, many }) {
  state.query ??= sought("choice");
  const groups = list ? groupsOf(list, state) : [];
  const change = (fields) => redraw(Object.assign(state, fields));
  const notOf = ({ name, not }) =>
    not ?? (!many && chosen.includes(name) && name !== own ? "shown already" : undefined);
  const end = (event) => {
    keepSought("choice", "");
    close(event);
  };
  const take = (option) => {
    if (!option || notOf(option)) return;
    keepSought("choice", "");
    pick(option.name);
  };
  const seek = ({ target }) => {
    keepSought("choice", target.value);
    change({ query: target.value });
  };
  const showAll = ({ currentTarget: row }) => {
    const [panel, place] = [row.closest(".chooser"), row.id];
    panel.focus(); // the row goes, and another has its place
    change({ all: true });
    panel.querySelector(`#${place}`).focus();
  };
  const press = keys({
    Enter: ({ target }) => target.matches("input") && Boolean(state.query) && take(groups[0].rows[0]),
    Escape: end,
    Tab: goRound,
  });
  const arrows = walk("input, .chooser-row");
  const hear = (event) => {
    press(event);
    arrows(event);
  };
  let n = 0;
  const draw = (option) => {
    const { name, title, encoding, price, context, series, glyph } = option;
    const not = notOf(option);
    const mark = glyph && html`<span class="mark" aria-hidden="true" style="color: var(--k-${series})">${glyph}</span>`;
    return html`<button type="button" class="chooser-row plain" id="chooser-${n++}" tabindex="-1" role="option"
      aria-selected=${chosen.includes(name)} aria-disabled=${not ? "true" : null}
      @click=${option.more ? showAll : () => take(option)}><span class="chooser-mark">${mark}</span><span
      class=${option.more ? "link" : "chooser-name"}>${title} <span>${encoding}</span></span>
      <span class="chooser-price">${price} <span>${not ?? context}</span></span></button>`;
  };
  const { says = list ? "" : "The list is on its way." } = groups[0] ?? {};
  return html`<div class="scrim" @click=${close}></div>
    <div class="menu-panel chooser" role="dialog" aria-label="Choose a tokenizer" tabindex="-1" @keydown=${hear}
      @focusout=${(event) => leave(event, close)}>
    <div class="menu-top"><b>Choose a tokenizer</b><button type="button" class="plain" @click=${end}>Close ×</button></div>
    <input type="search" role="combobox" aria-label="Model or tokenizer" placeholder="Model or tokenizer, for example gpt-4o"
      aria-expanded="true" aria-controls="chooser-list" autocomplete="off" autocapitalize="off" autocorrect="off"
      spellcheck="false" maxlength="80" .value=${live(state.query)} @input=${seek}>
    <p class="chooser-says quiet" role="status">${says}</p>
    <div class="chooser-list" id="chooser-list" role="listbox" aria-label="Models and tokenizers">${groups.map(
      ({ heading, rows }) =>
        html`<div role="group" aria-label=${heading}>${
          heading && html`<p class="menu-heading" aria-hidden="true">${heading}</p>`
        }${rows.map(draw)}</div>`,
    )}</div>
    <div class="chooser-foot quiet">${
      list &&
      html`<span>${list.read}</span>
      <details><summary>Sources</summary><ul>${list.sources.map(drawSource)}</ul></details>`
    }
      <a href="library" @click=${pressTo("library")}>Open a file in the library</a></div>
  </div>`;
}

const drawSource = ({ source, url, read, of }) =>
  html`<li>${url ? html`<a href=${url} target="_blank" rel="noreferrer">${source}</a>` : source}, read on ${read}: ${of.join("; ")}.</li>`;

function leave(event, close) {
  const { currentTarget, relatedTarget } = event;
  if (document.hasFocus() && !currentTarget.parentElement.contains(relatedTarget)) close(event);
}

export function enter(panel) {
  const { top } = panel.getBoundingClientRect();
  panel.style.setProperty("--room", `${Math.max(FEWEST, innerHeight - top - 16)}px`);
  const field = panel.querySelector("input");
  (byTouch() ? panel : field).focus({ preventScroll: true });
  if (!byTouch()) field.select();
}

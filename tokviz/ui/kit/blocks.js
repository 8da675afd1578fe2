// Draws the blocks and cells of tokviz/base/blocks.py. Each is an object with the fields of its record and its `kind`.
//
// A field of which the record says nothing is left out.
//
// drawer(cells, ...blocks) adds kinds to those below, and gives draw(blocks, on). What draws tokens is added so, because it
// lies outside this folder (tokenview/token_kinds.js). on has
//   change({name: value}, typing)   what the reader put in or pressed; typing: whether more letters may follow. It is null
//                           in a file without a server, where a field is text
//   kept                    a Map of what the drawing remembers: first values of fields, what is chosen
//   part(name, make)        the element of something that draws itself, which is made once (see parts.js)

import { addressOf, copyText } from "./copy_and_save.js";
import { html, live, nothing } from "./html.js";
import { walk } from "./keys.js";
import { figure } from "./words.js";

const NONE = "–"; // in place of a value that is not there
const AMOUNT = /^\W?\d[\d.,]*(?:\s(?:\w\w|%|✓))?$/; // $0.15, 412 MB, 5 %
const WIDE = 4; // columns; a table of more is scrolled within its box where there is no room
const MARKS = { good: "✓ ", bad: "× ", warn: "! ", info: "" };

// --- cells: (its fields, cell) => what is drawn; cell draws one inside it ---

const CELLS = {
  strong: ({ text }) => html`<b>${text}</b>`,
  code: ({ text }) => html`<code dir="ltr">${text}</code>`,
  quiet: ({ text }) => html`<span class="quiet">${text}</span>`,
  veiled: ({ text }) => html`<span class="quiet veil">${text}</span>`,
  mark: ({ tone, text }) => html`<span class=${`outcome ${tone}`}>${MARKS[tone]}${text}</span>`,
  bar: ({ share, text }, cell) =>
    html`<span class="bar-of"><i class="bar" style="--share: ${100 * share}%"></i><span class="of-bar">${cell(text)}</span></span>`,
  series: ({ series, glyph, text, note }) => html`<span class="series" title=${note || nothing}
    ><span class="mark" aria-hidden="true" style="color: var(--k-${series})">${glyph}</span
    ><span role=${AMOUNT.test(text) ? "img" : nothing} aria-label=${AMOUNT.test(text) ? note : nothing}>${text}</span></span>`,
};

// --- blocks: (its fields, {cell, draw, on}) => what is drawn; draw draws blocks inside it ---

const BLOCKS = {
  field: (field, { on }) =>
    on.change
      ? FIELDS[field.takes](field, first(on, field.name, field.value), on)
      : html`<p class="typed">${field.titled && html`<b>${field.label}: </b>`}${field.words || field.value}</p>`,
  choice: (choice, { cell, draw, on }) => {
    const { name, options, value, blocks = [] } = choice;
    const chosen = blocks.length ? on.kept.get(name) : value;
    const held = options.some(([to]) => to === chosen) ? chosen : value;
    const press = (to) => {
      if (!blocks.length) return on.change({ [name]: to });
      on.kept.set(name, to);
      on.redraw();
    };
    const at = options.findIndex(([to]) => to === held);
    if (!blocks.length && !on.change) return html`<p class="typed">${cell(options[at][1])}</p>`;
    const shown = blocks[at];
    return [buttons(choice, held, press, cell), shown ? draw(shown) : nothing];
  },
  button: ({ name, value, text, label }, { cell, on }) =>
    on.change &&
    html`<button type="button" class="button" aria-label=${label || nothing} @focus=${describe}
      @click=${() => on.change({ [name]: value })}>${cell(text)}</button>`,
  copy: ({ text, label, is_query: isQuery }) => {
    const copy = ({ currentTarget: { nextElementSibling: status } }) =>
      isQuery ? copyText(addressOf(text), status, "Link copied.") : copyText(text, status);
    return html`<p class="words"><button type="button" class="button" @click=${copy}>${label}</button><span class="quiet" role="status"></span></p>`;
  },
  line: ({ cells, tone, level }, { cell }) =>
    LINES[tone]?.(cells.map(cell), level) ?? html`<p class="words">${cells.map(cell)}</p>`,
  table: (table, { cell }) => drawTable(table, cell),
  list: ({ items, title, numbered, marked = [], none, foot, across, framed }, { cell }) => html`<div
    class=${framed ? "list framed" : "list"}>${title && html`<b>${title}</b>`}${
      items.length
        ? html`<ol class=${across > 1 ? `across-${across}` : ""}>${items.map(
            (item, i) =>
              html`<li class=${marked.includes(i) ? "marked" : ""}>${numbered && html`<span class="rank">${i + 1}</span>`}${cell(item)}</li>`,
          )}</ol>`
        : html`<p class="quiet">${cell(none)}</p>`
    }${foot && html`<p class="foot">${foot}</p>`}</div>`,
  columns: ({ items, names = [] }, { cell }) =>
    html`<ol class="columns">${
      names.length > 0 &&
      html`<li class="names" aria-hidden="true">${names.map((name) => html`<span>${name}</span>`)}</li>`
    }${items.map(
      (cells) =>
        html`<li>${cells.map((value, i) => html`<span>${names[i] && i > 0 && html`<span class="unseen">${names[i]}: </span>`}${cell(value)}</span>`)}</li>`,
    )}</ol>`,
  chips: ({ items, label, more }, { cell }) =>
    html`<ul class="chips" aria-label=${label || nothing}>${items.map(
      (item) => html`<li>${cell(item)}</li>`,
    )}${more > 0 && html`<li class="quiet">and ${figure(more)} more</li>`}</ul>`,
  // A screen reader speaks an error at once; anything else when the reader comes to it.
  note: ({ tone, what, way_out }) => html`<div class=${`note ${tone}`} role=${tone === "bad" ? "alert" : "note"}>
    <p><b>${what}</b>${way_out && html` <span class="way-out">${way_out}</span>`}</p></div>`,
  group: ({ blocks, across, framed }, { draw }) =>
    html`<div class=${`group across-${across}`}>${blocks.map(
      (block) => html`<div class=${framed ? "framed" : ""}>${draw([block])}</div>`,
    )}</div>`,
  fold: ({ title, blocks }, { draw }) => html`<details><summary>${title}</summary>${draw(blocks)}</details>`,
  code: ({ text }) => html`<pre tabindex="0" role="region" aria-label="Text of a file">${text}</pre>`,
};

const buttons = ({ options, label }, held, press, cell) =>
  html`<div class="choice buttons" role="group" aria-label=${label}>${options.map(
    ([to, words]) =>
      html`<button type="button" aria-pressed=${to === held} @click=${() => press(to)}>${cell(words)}</button>`,
  )}</div>`;

// A phone corrects nothing in a field, because what is typed there counts as it is.
const FIELDS = {
  text: ({ name, label, lines, titled }, value, on) => {
    const area = html`<textarea class="area" name=${name} rows=${lines} aria-label=${label} spellcheck="false" autocapitalize="off"
      autocorrect="off" autocomplete="off" .value=${live(value)} @input=${({ target }) => put(on, name, target.value)}></textarea>`;
    return titled ? html`<label class="titled"><b>${label}</b>${area}</label>` : area;
  },
  number: (
    { name, label },
    value,
    on,
  ) => html`<label class="number">${label}<input type="text" inputmode="numeric" name=${name} spellcheck="false"
    autocomplete="off" .value=${live(value)} @input=${({ target }) => put(on, name, target.value)}></label>`,
  slider: (
    { name, label, ends: [least, most, step], words },
    value,
    on,
  ) => html`<label class="slider">${label}<input type="range" name=${name}
    min=${least} max=${most} step=${step} .value=${live(String(value))} @input=${({ target }) => put(on, name, Number(target.value))}><b>${words}</b></label>`,
};

const LINES = {
  head: (cells) => html`<p class="words above">${cells}</p>`,
  quiet: (cells) => html`<p class="words quiet">${cells}</p>`,
  live: (cells) => html`<p class="words" aria-live="polite">${cells}</p>`,
  text: (cells) => html`<span class="text">${cells}</span>`,
  title: (cells, level) =>
    ({
      2: html`<h2 dir="auto">${cells}</h2>`,
      3: html`<h3 dir="auto">${cells}</h3>`,
      4: html`<h4 dir="auto">${cells}</h4>`,
    })[level],
};

// What is in a field. It is filled once: what the reader types stays, however late an answer comes.
function first(on, name, value) {
  const key = `field ${name}`;
  if (!on.kept.has(key)) on.kept.set(key, value);
  return on.kept.get(key);
}

function put(on, name, value) {
  on.kept.set(`field ${name}`, value);
  on.change({ [name]: value }, true);
}

function drawTable({ titles, rows, label, marked = [], wide = [] }, cell) {
  const isNumber = (value) =>
    value === null ||
    [value, value?.[0]].some((one) => typeof one === "number") ||
    value?.kind === "bar" ||
    AMOUNT.test(value?.text ?? value);
  const width = Math.max(titles.length, ...rows.map((row) => row.length));
  const looks = Array.from({ length: width }, (_, i) => {
    const amount = i > 0 && rows.every((row) => isNumber(row[i])) && rows.some((row) => row[i] !== null);
    return `${amount ? "amount" : ""} ${wide.includes(i) ? "wide" : ""}`;
  });
  const table = html`<table class="figures" aria-label=${label || nothing} @keydown=${walk("a", "button")}>${
    titles.length > 0 &&
    html`<thead><tr>${titles.map((title, i) => html`<th scope="col" class=${looks[i]}>${cell(title)}</th>`)}</tr></thead>`
  }<tbody>${rows.map(
    ([name, ...rest], at) =>
      html`<tr class=${marked.includes(at) ? "marked" : ""}><th scope=${rest.length || width === 1 ? "row" : "rowgroup"}
        colspan=${rest.length ? nothing : width}>${cell(name)}</th>${rest.map(
          (value, i) =>
            html`<td class=${looks[i + 1]}>${value === null || value === "" ? html`<span class="quiet">${NONE}</span>` : cell(value)}</td>`,
        )}</tr>`,
  )}</tbody></table>`;
  return width > WIDE
    ? html`<div class="sideways" role="region" tabindex="0" aria-label=${label}>${table}</div>`
    : table;
}

// What a pointer is told of the tokens in a button, for who comes with keys.
const describe = ({ currentTarget: button }) => {
  const told = [...button.querySelectorAll("[title]")].map(({ title }) => title);
  if (told.length) button.setAttribute("aria-description", told.join("; "));
};

// A function that draws blocks of these kinds, and of the kinds above.
export function drawer(cells = {}, ...blocks) {
  const [ofCells, ofBlocks] = [{ ...CELLS, ...cells }, Object.assign({}, BLOCKS, ...blocks)];
  return function draw(given, on) {
    const within = { on, draw: (inner) => draw(inner, on), cell, plain: BLOCKS };
    function cell(value) {
      if ((value ?? "") === "") return nothing;
      if (typeof value === "number") return figure(value);
      if (typeof value === "string") return value;
      if (Array.isArray(value)) return html`<span class="parts">${value.map(cell)}</span>`;
      return ofCells[value.kind]?.(value, cell, within) ?? ofBlocks[value.kind](value, within);
    }
    return given.map((block) => ofBlocks[block.kind]?.(block, within) ?? cell(block));
  };
}

// The blocks and cells that show tokens, for kit/blocks.js: a chip, a merge, chips of an encoding, a text in tokens.

import { setAttributes, sign } from "../kit/elements.js";
import { html, nothing } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { END, endOf, fromHex, idOf, isSpecial, read, startOf } from "./encoding.js";
import { home, homeHues, pairHues } from "./hues.js";
import { bytesInWords, chip, drawPieces, piecesOf, spoken } from "./marks.js";
import { linkedChip } from "./page_link.js";
import { TokenView } from "./pointing.js";
import { drawParts } from "./sentences.js";

const MOST = 160; // tokens of a row of chips that are drawn
const LETTERS = { row: 60, pair: 8, made: 16, alone: 40 }; // of a token, before it is cut

const marked = (text) => {
  const bytes = new TextEncoder().encode(text);
  return drawPieces(piecesOf(bytes, 0, bytes.length));
};

// A chip; a link to the token's card if it has an id and links can name its tokenizer. Screen readers hear its bytes in
// words, because a mark has no text of its own.
function chipOf(bytes, hue, letters, id, called, size) {
  const drawn = chip(bytes, hue, letters);
  const said = spoken(bytes, 0, bytes.length) || "nothing";
  setAttributes(drawn, { role: "img", "aria-label": said, title: bytesInWords(bytes, size ?? bytes.length) });
  return linkedChip(drawn, called, id, said);
}

export function mergeOf({ left, right, made = true, ids, called }) {
  const [one, other] = [fromHex(left), fromHex(right)];
  const hues = pairHues(one, other);
  const part = (bytes, i) => chipOf(bytes, hues[i], LETTERS.pair, ids?.[i] ?? null, called);
  const token = made && chip(Uint8Array.from([...one, ...other]), undefined, LETTERS.made);
  return html`<span class="merge-of">${part(one, 0)}${sign("+", "plus")}${part(other, 1)}${made && [sign("→", "becomes"), token]}</span>`;
}

const CELLS = {
  chip: ({ data, size, words, id, called, under }) =>
    html`<span class=${under ? "chip-of under" : "chip-of"}>${chipOf(
      fromHex(data),
      undefined,
      LETTERS.alone,
      id,
      called,
      size,
    )}${words && html`<span class="quiet">${words}</span>`}</span>`,
  goto: ({ text: link, to }) => drawParts([{ link, to }]),
  merge: mergeOf,
  visible: ({ text, sought }) =>
    html`<code class=${sought ? "sought" : nothing} dir="ltr">${text ? marked(text) : html`<span class="quiet">(nothing)</span>`}</code>`,
};

const BLOCKS = {
  chips: (given, within) => (Array.isArray(given.items) ? within.plain.chips(given, within) : chipsOf(given)),
  tokens: ({ encoding, label, head = [], ids, home: byBytes, beside, under = [] }, { cell, on }) => html`<div
    class=${beside ? "tokens beside" : "tokens"}>${head.length > 0 && html`<p class="words above">${head.map(cell)}</p>`}${under.map(cell)}${
      encoding && viewOf(on, label, { encoding, ids, byBytes })
    }</div>`,
};

// The element of a view, which is loaded again only if its text is another one.
function viewOf(on, label, { encoding, ids, byBytes }) {
  const part = on.part(label, () => {
    const box = document.createElement("div");
    box.className = "view";
    const view = new TokenView(box, label);
    return { box, view, close: () => view.close() };
  });
  const said = JSON.stringify([encoding, ids]);
  if (part.said !== said) {
    part.said = said;
    part.view.ids = ids;
    const loaded = read(encoding);
    part.view.load(loaded, byBytes ? homeHues(loaded) : null);
  }
  return part.box;
}

// The tokens of an encoding as chips. A line ends after a newline.
function chipsOf({ items, ids, label }) {
  const encoding = read(items);
  const { bytes, n } = encoding;
  const drawn = [];
  let count = 0;
  for (let at = startOf(encoding, 0, END); at < n; count++) {
    const end = endOf(encoding, at, END);
    if (count < MOST) {
      const token = chip(bytes.subarray(at, end), home(bytes, at, end), LETTERS.row);
      const id = idOf(encoding, at, end);
      if (ids && id !== null) token.textContent = String(id);
      token.classList.toggle("inverse", isSpecial(encoding, at));
      token.classList.toggle("gap", id === null);
      drawn.push(token);
      if (bytes[end - 1] === 10 && end < n) drawn.push(document.createElement("br"));
    }
    at = end;
  }
  return html`<span class="chips" role=${label ? "group" : nothing} aria-label=${label || nothing}>${drawn}${
    count > MOST && html`<span class="quiet"> and ${figure(count - MOST)} more</span>`
  }</span>`;
}

export const TOKEN_KINDS = [CELLS, BLOCKS];

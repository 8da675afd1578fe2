// The byte ribbon: characters that the tokenizer split, each above its two to four bytes, which have the colours of
// their tokens. Whole characters of several bytes beside a split one are shown too.

import { html } from "../kit/html.js";
import { quantity } from "../kit/words.js";
import { endOf, idOf, startOf } from "./encoding.js";
import { codePoint, hexOf, INVISIBLE, onCircle, UNSEEN } from "./marks.js";

const WIDE = 6; // characters shown
const FAR = 400; // bytes on either side of the token in which these are looked for

// The ribbon of the characters of several bytes around byte `near` of a view's text; false if none of them is split.
// pin(start) is called with the first byte of the token whose cell was clicked.
export function ribbonOf(view, near, pin) {
  const { encoding, k } = view;
  const shown = windowed(encoding, k, near);
  if (!shown?.some(({ segments }) => segments.length > 1)) return false;
  const [{ start }, { end }] = [shown[0], shown.at(-1)];
  const text = encoding.text.slice(encoding.units[start], encoding.units[end]);
  const tokens = new Set(shown.flatMap(({ segments }) => segments.map(({ token }) => token)));
  const press = ({ target }) => {
    const cell = target.closest(".seg");
    if (cell) pin(Number(cell.dataset.token));
  };
  return html`<section class="ribbons group">
    <h3>“<span class="quoted" dir="auto">${(shown.length === 1 && nameOf(text)) || text}</span>”, ${quantity(tokens.size, "token")}</h3>
    <p class="told quiet">Each cell is a byte. A token starts at a dark edge; ↩ marks cells of a token that started earlier.</p>
    <div class="ribbon" role="list" aria-label="Characters and their bytes" @click=${press}>${shown.map((character) =>
      drawn(view, character),
    )}</div></section>`;
}

function drawn({ encoding, hueOf }, { start, end, segments }) {
  const { bytes, text: all, units } = encoding;
  const text = all.slice(units[start], units[end]);
  const name = nameOf(text);
  const told = segments.map(({ token, id, start: from, end: to }) => {
    const of = token === from ? `token ${id ?? "without id"}` : "the token before";
    return `${hexOf(bytes.subarray(from, to))} of ${of}`;
  });
  const cellsOf = (from, to) =>
    Array.from(
      bytes.subarray(from, to),
      (byte, i) => html`<span class="cell" data-byte=${from + i}>${hexOf([byte])}</span>`,
    );
  const segment = ({ token, stop, id, start: from, end: to }) => html`<span
    class="seg h${hueOf(token, stop)} ${token === from ? "opens" : ""}" data-token=${token}><span class="cells">${cellsOf(from, to)}</span><span
    class="own">${token === from ? (id ?? "–") : "↩"}</span></span>`;
  return html`<div class="char" role="listitem" title=${codePoint(text)}><span class=${name ? "g name" : "g"}
    aria-hidden="true">${name || onCircle(text)}</span><span class="brace"></span><span class="segs"
    aria-hidden="true">${segments.map(segment)}</span><span class="unseen">${name || text} ${codePoint(text)}: ${told.join(", ")}</span></div>`;
}

// The name of an invisible character.
function nameOf(text) {
  if (!UNSEEN.test(text)) return "";
  const [short, long] = INVISIBLE.get(text.codePointAt(0)) || [];
  return text === "\u200d" ? "joiner" : short || long || codePoint(text);
}

// At most WIDE characters of several bytes beside each other, around the token at `near`, with the tokens in them.
function windowed(encoding, k, near) {
  const { bytes, n } = encoding;
  let at = near;
  const stop = endOf(encoding, near, k);
  while (at < stop && bytes[at] < 0x80) at++; // the token may begin with a space
  if (at === stop) return null;
  let [from, to] = [at, at];
  while (from > 0 && bytes[from - 1] >= 0x80 && (at - from < FAR || bytes[from] < 0xc0)) from--;
  while (to < n && bytes[to] >= 0x80 && (to - at < FAR || bytes[to] < 0xc0)) to++;
  const all = [];
  for (let i = from; i < to; i++) {
    if (bytes[i] >= 0xc0) all.push({ start: i, end: i + 1 });
    else if (all.length) all.at(-1).end = i + 1;
  }
  const wanted = all.findIndex(({ end }) => at < end);
  const first = all.length <= WIDE ? 0 : Math.max(0, Math.min(wanted - 1, all.length - WIDE));
  return all.slice(first, first + WIDE).map(({ start, end }) => {
    const segments = [];
    for (let token = startOf(encoding, start, k); token < end; token = segments.at(-1).stop) {
      const stop = endOf(encoding, token, k);
      const id = idOf(encoding, token, stop);
      segments.push({ token, stop, id, start: Math.max(token, start), end: Math.min(stop, end) });
    }
    return { start, end, segments };
  });
}

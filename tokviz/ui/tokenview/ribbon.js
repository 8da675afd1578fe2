// The byte ribbon: characters that the tokenizer split, each above its two to four bytes, which have the colours of
// their tokens. Whole characters of several bytes beside a split one are shown too.

import { make, setAttributes, unspoken } from "../kit/elements.js";
import { figure, quantity } from "../kit/words.js";
import { endOf, idOf, startOf } from "./encoding.js";
import { codePoint, hexOf, INVISIBLE, onCircle, UNSEEN } from "./marks.js";

const RIBBONS = 2; // stretches shown
const WIDE = 6; // characters shown of each stretch

export class ByteRibbon {
  // `pin(start)` is called with the first byte of the token whose cell was clicked.
  constructor(parent, { pin = () => {} } = {}) {
    this.root = make("section", "card ribbons");
    this.root.setAttribute("aria-label", "Split characters");
    parent.append(this.root);
    this.root.addEventListener("click", (event) => {
      const cell = event.target.closest?.(".seg");
      if (cell) pin(Number(cell.dataset.token));
    });
  }

  // Show the split characters of a view's text, from byte `near` on (null: from the start).
  show(view, near = null) {
    const { stretches, cut } = view ? splitStretches(view.encoding, view.k) : { stretches: [], cut: 0 };
    this.root.hidden = !view?.encoding.n;
    const at = near === null ? -1 : stretches.findIndex(({ start, end }) => start <= near && near < end);
    const first = Math.max(0, at);
    const shown = stretches.slice(first, first + RIBBONS);
    if (shown.length < RIBBONS && first) shown.unshift(...stretches.slice(Math.max(0, first - 1), first));
    const ribbons = shown.map((stretch) => windowed(view.encoding, view.k, stretch, near));
    const drawn = ribbons.flatMap(({ characters }) => characters);
    for (const part of drawn.flatMap(({ segments }) => segments)) part.hue = view.hueOf(part.token, part.stop);
    const key = JSON.stringify([
      cut,
      drawn.map(({ start, end }) => view.encoding.text.slice(view.encoding.units[start], view.encoding.units[end])),
      ribbons,
    ]);
    if (key === this.key) return;
    this.key = key;
    const parts = [];
    if (!ribbons.length) {
      parts.push(make("h3", "", "No split characters"));
      parts.push(
        make(
          "p",
          "caption quiet",
          "Each character of this text is inside one token. Emoji and letters of many scripts are often split.",
        ),
      );
    }
    for (const [i, ribbon] of ribbons.entries()) parts.push(...this.draw(view, ribbon, i === 0));
    const more = cut - drawn.filter(({ segments }) => segments.length > 1).length;
    if (ribbons.length && more > 0) {
      parts.push(
        make(
          "p",
          "caption quiet more-cut",
          more === 1
            ? "1 more character is split in this text: pin one of its tokens to see it here."
            : `${figure(more)} more characters are split in this text: pin a token of one to see it here.`,
        ),
      );
    }
    this.root.replaceChildren(...parts);
  }

  draw(view, { characters, tokens, before, after }, first) {
    const { encoding } = view;
    const text = encoding.text.slice(encoding.units[characters[0].start], encoding.units[characters.at(-1).end]);
    const title = make("h3");
    const seen = (characters.length === 1 && nameOf(text)) || text;
    const quoted = make("span", "", `${before ? "…" : ""}${seen}${after ? "…" : ""}`);
    quoted.dir = "auto";
    quoted.className = "quoted";
    title.append("“", quoted, `”, ${quantity(tokens.length, "token")}`);
    const note = make("p", "caption quiet");
    if (first)
      note.append(
        "Each cell is a byte. A token starts at a dark edge; ↩ marks cells of a token that started earlier. ",
      );
    const across = tokens.filter(({ start, end }) =>
      characters.some((c) => start < c.start && c.start < end && end < c.end),
    );
    if (across.length === 1) {
      note.append(
        "One token, ",
        make("span", "hex", hexOf(encoding.bytes.subarray(across[0].start, across[0].end))),
        ", begins in one character and ends in the middle of the next.",
      );
    } else if (across.length > 1) {
      note.append(`${figure(across.length)} tokens begin in one character and end in the middle of another.`);
    }
    const ribbon = make("div", "ribbon");
    setAttributes(ribbon, { role: "list", "aria-label": "Characters and their bytes" });
    ribbon.append(...characters.map((character) => this.character(encoding, character)));
    return [title, note, ribbon];
  }

  character(encoding, { start, end, segments }) {
    const text = encoding.text.slice(encoding.units[start], encoding.units[end]);
    const element = make("div", "char");
    element.setAttribute("role", "listitem");
    const name = nameOf(text);
    element.title = codePoint(text);
    const seen = name || onCircle(text);
    element.append(unspoken(make("span", name ? "g name" : "g", seen)), make("span", "brace"));
    const row = element.appendChild(unspoken(make("span", "segs")));
    for (const segment of segments) {
      const opens = segment.token === segment.start;
      const part = row.appendChild(make("span", `seg h${segment.hue}${opens ? " opens" : ""}`));
      part.dataset.token = segment.token;
      const cells = part.appendChild(make("span", "cells"));
      for (let i = segment.start; i < segment.end; i++) {
        const cell = cells.appendChild(make("span", "cell", hexOf(encoding.bytes.subarray(i, i + 1))));
        cell.dataset.byte = i;
      }
      part.append(make("span", "own", opens ? (segment.id === null ? "–" : String(segment.id)) : "↩"));
    }
    const told = segments.map((segment) => {
      const bytes = hexOf(encoding.bytes.subarray(segment.start, segment.end));
      return segment.token === segment.start
        ? `${bytes} of token ${segment.id ?? "without id"}`
        : `${bytes} of the token before`;
    });
    element.append(make("span", "unseen", `${name || text} ${codePoint(text)}: ${told.join(", ")}`));
    return element;
  }
}

// The name of an invisible character.
function nameOf(text) {
  if (!UNSEEN.test(text)) return "";
  const [short, long] = INVISIBLE.get(text.codePointAt(0)) || [];
  return text === "\u200d" ? "joiner" : short || long || codePoint(text);
}

// The stretches of characters of several bytes in which boundaries of step k split one, and how many are split.
function splitStretches(encoding, k) {
  const { bytes, seams, n } = encoding;
  const stretches = [];
  let cut = 0;
  let start = -1;
  let splits = 0;
  let last = -1; // the boundary inside the character that was counted last
  for (let i = 0; i <= n; i++) {
    if (i < n && bytes[i] >= 0x80) {
      if (start < 0) start = i;
      if (bytes[i] >= 0xc0) last = -1;
      else if (seams[i] >= k && last < 0) {
        last = i;
        splits++;
      }
    } else if (start >= 0) {
      if (splits) stretches.push({ start, end: i });
      cut += splits;
      start = last = -1;
      splits = 0;
    }
  }
  return { stretches, cut };
}

// At most WIDE characters of a stretch, around the one at `near`, or the first that is split.
function windowed(encoding, k, { start, end }, near) {
  const { bytes, seams } = encoding;
  const all = [];
  for (let i = start; i < end; i++) {
    if (bytes[i] >= 0xc0) all.push({ start: i, end: i + 1, cut: false });
    else if (all.length) {
      all.at(-1).end = i + 1;
      all.at(-1).cut ||= seams[i] >= k;
    }
  }
  const wanted =
    near !== null && near >= start && near < end ? all.findIndex((c) => near < c.end) : all.findIndex((c) => c.cut);
  const first = all.length <= WIDE ? 0 : Math.max(0, Math.min(wanted - 1, all.length - WIDE));
  const characters = all.slice(first, first + WIDE);
  const from = characters[0].start;
  const to = characters.at(-1).end;
  const tokens = [];
  for (let at = startOf(encoding, from, k); at < to; at = tokens.at(-1).end) {
    const stop = endOf(encoding, at, k);
    tokens.push({ start: at, end: stop, id: idOf(encoding, at, stop) });
  }
  for (const character of characters) {
    character.segments = tokens
      .filter((token) => token.start < character.end && token.end > character.start)
      .map((token) => ({
        token: token.start,
        stop: token.end,
        id: token.id,
        start: Math.max(token.start, character.start),
        end: Math.min(token.end, character.end),
      }));
  }
  return { characters, tokens, before: first > 0, after: first + characters.length < all.length };
}

// The card of the token that is pinned in a view. What the seams tell is there at once; the rest is Python's answer.

import { seriesMark } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { TokenCard } from "./card.js";
import { familyOf } from "./card_parts.js";
import { cutAs, END, endOf, idOf, SPLIT, startsAt, toHex, topSeam } from "./encoding.js";
import { chip, placeInWords } from "./marks.js";
import { tokenLink } from "./page_link.js";
import { ribbonOf } from "./ribbon.js";
import { huesOf, stretchOf, TREE_BYTES } from "./tree.js";

const SENT = 1000; // bytes of a token in a record, as in tokviz/vocabulary/card.py

export class PinnedCard extends TokenCard {
  // close() is called by × and Esc, pin(start) pins the token at a byte, find(id) the next one with this id: is there one?
  constructor({ close, pin, find }) {
    super("", "find it in the text");
    Object.assign(this, { close, pin, find });
  }

  // Show the token of a view that starts at this byte. side: { view, name, glyph, series, merges, kind, called }. kind: of a
  // peer, or "". called: what links call the tokenizer, "" if they cannot. named: say which tokenizer it is.
  show(side, start, named) {
    const { view } = side;
    const { encoding, k } = view;
    const end = endOf(encoding, start, k);
    let from = start;
    let to = end;
    while (from > 0 && start - from <= TREE_BYTES && encoding.seams[from] !== SPLIT) from--;
    while (to < encoding.n && to - end <= TREE_BYTES && encoding.seams[to] !== SPLIT) to++;
    if (start - from > TREE_BYTES || to - end > TREE_BYTES) [from, to] = [start, end]; // a long chunk: only the token
    const stretch = stretchOf(encoding, from, to, k);
    const hueAt = (at, stop) => view.hueOf(from + at, from + stop);
    const last = startsAt(stretch, END).map((at) => hueAt(at, endOf(stretch, at, END)));
    this.isBrief = view.pinned === null;
    this.label = this.isBrief ? "Token" : "Pinned token";
    const key = [
      this.isBrief,
      named && side.name,
      from - start,
      end - start,
      stretch.bytes,
      stretch.seams,
      [...stretch.whole],
      last,
    ].join();
    Object.assign(this, { side, named, span: [start, end] });
    if (key === this.key) return this.draw(); // it only moved
    const drawable = { stretch, start: start - from, end: end - from, hues: huesOf(stretch, hueAt) };
    this.take(shortOf(side, start, drawable), key, drawable);
  }

  // Python's answer. One about another token, or about this one before an edit, is ignored.
  answer(told) {
    const [start, end] = this.span ?? [];
    const isThis = this.record && told.start === start && told.end === end && told.id === this.record.id;
    if (isThis) this.take(told, this.key, this.drawable);
    return isThis;
  }

  place() {
    const { side, named, record } = this;
    const [start, end] = this.span;
    const number = side.view.numberInWords({ start, id: record.id });
    const of = named && html`${seriesMark(side)} ${side.name}: `;
    return html`${of}${number && `${number}, `}${placeInWords(start, end)}`;
  }

  acts() {
    const { id } = this.record;
    const { called } = this.side;
    return Boolean(called) && id !== null && tokenLink(called, id);
  }

  all() {
    const { family, chunk, kind } = this.record;
    const button = (token) => this.button(token);
    const shown = family?.children ?? [];
    const isKnown = family !== undefined && chunk && ["merge", "byte", "character", "look-up"].includes(kind);
    return html`${ribbonOf(this.side.view, this.span[0], this.pin)}${isKnown && familyOf(family, { shown, button })}`;
  }

  press(id, bytes) {
    if (!this.find(id)) this.status.replaceChildren(chip(bytes), ` (id ${figure(id)}) is not a token of this text.`);
  }
}

// As much of the record of a token as the seams tell.
export function shortOf({ view: { encoding, k }, kind: peer, merges }, at, { stretch, start, end }) {
  const [bytes, size] = [stretch.bytes.subarray(start, end), end - start];
  const id = idOf(stretch, start, end);
  const middle = topSeam(stretch, start, end);
  const part = (from, to) => ({
    id: idOf(stretch, from, to),
    bytes: toHex(stretch.bytes.subarray(from, to).subarray(0, SENT)),
  });
  const birth = middle < 0 ? null : { rank: stretch.seams[middle], parents: [part(start, middle), part(middle, end)] };
  const [cut] = cutAs(encoding, at).split(" "); // "special token"
  const unborn = peer ? "peer" : size === 1 ? "byte" : stretch.whole.has(start) ? "look-up" : "character";
  return {
    id,
    bytes: toHex(bytes.subarray(0, SENT)),
    size,
    kind: id === null ? "none" : cut || (birth ? "merge" : unborn),
    peer,
    merges: Math.min(merges, k),
    birth,
  };
}

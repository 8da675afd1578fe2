// Typing as a patch, and how the answer to it changes the text shown. Offsets of a patch count UTF-16 units, those of
// seams count bytes.

import { cutFirst, placeIn, textOf } from "./encoding.js";

export const NOTHING = textOf("");
export const isHigh = (unit) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit) => unit >= 0xdc00 && unit < 0xe000;

const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let i = 0; i < 8; i++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});

// CRC-32 of the text in UTF-16-LE, as zlib has it. The server has U+FFFD for half a character.
export function sumOf(written) {
  const text = written.toWellFormed();
  let sum = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    sum = SUMS[(sum ^ unit) & 0xff] ^ (sum >>> 8);
    sum = SUMS[(sum ^ (unit >>> 8)) & 0xff] ^ (sum >>> 8);
  }
  return (sum ^ -1) >>> 0;
}

// The patch that makes `now` out of `before`: `insert` replaces these units. It never separates a surrogate pair.
export function difference(before, now) {
  let from = 0;
  let to = before.length;
  let end = now.length;
  const least = Math.min(to, end);
  while (from < least && before.charCodeAt(from) === now.charCodeAt(from)) from++;
  if (from && isHigh(now.charCodeAt(from - 1))) from--;
  while (to > from && end > from && before.charCodeAt(to - 1) === now.charCodeAt(end - 1)) {
    to--;
    end--;
  }
  if (to < before.length && isLow(before.charCodeAt(to))) {
    to++;
    end++;
  }
  return { from, to, insert: now.slice(from, end) };
}

// A text as a text area has it, which knows one kind of line end.
export const plain = (text) => text.replace(/\r\n?/g, "\n");

// The place in a text of a place in its plain form.
export function placeWithEnds(text, place) {
  for (let i = text.indexOf("\r\n"); i >= 0 && i < place; i = text.indexOf("\r\n", i + 2)) place++;
  return place;
}

// A text with carriage returns after its plain form was edited. New line ends are like its first.
export function editedPlain(text, now) {
  const { from, to, insert } = difference(plain(text), now);
  const [end] = /\r\n?|\n/.exec(text);
  return text.slice(0, placeWithEnds(text, from)) + insert.replaceAll("\n", end) + text.slice(placeWithEnds(text, to));
}

// The first byte of the character at this unit.
export const byteAt = (text, unit) => (unit >= text.text.length ? text.n : placeIn(text.units, unit));

// An encoding after an edit: a part of an answer says how its bytes from start to stop changed. text: what is typed now.
export function afterEdit(before, part, text) {
  const { mintedBy, specialIds, alphabet, characters } = before;
  const { start, stop, count, typed, bare, refused } = part;
  for (const [rank, id] of Object.entries(part.ids)) mintedBy.set(Number(rank), id);
  for (const [id, kind] of cutFirst(part)) specialIds.set(id, kind);
  const seams = new Int32Array(before.n - (stop - start) + count);
  seams.set(before.seams.subarray(0, start));
  seams.set(part.seams, start);
  seams.set(before.seams.subarray(stop), start + count);
  const whole = new Map(Object.entries(part.whole).map(([at, id]) => [Number(at), id]));
  for (const [at, id] of before.whole) {
    if (at < start) whole.set(at, id);
    else if (at >= stop) whole.set(at + count - (stop - start), id);
  }
  const now = typed ? { ...textOf(part.text), typed, source: text.text } : text;
  return { ...now, mintedBy, alphabet, specialIds, characters, bare, refused, whole, seams };
}

// An answer of a socket: its header, and the byte at which the numbers begin that follow it.
function headerIn(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size))), 4 + size];
}

// An answer of the live socket: its header, with the seams of each part.
export function answerIn(buffer) {
  let [header, at] = headerIn(buffer);
  for (const part of header.parts) {
    part.seams = new Int32Array(buffer, at, part.count);
    at += 4 * part.count;
    if (part.text === undefined) continue;
    part.typed = new Int32Array(buffer, at, part.count);
    at += 4 * part.count;
  }
  return header;
}

// How many bytes two encodings share at their beginnings, with their seams and ids, and how many of the rest at their ends.
export function sharedEnds(before, now) {
  const least = Math.min(before.n, now.n);
  const hasWhole = before.whole.size || now.whole.size; // tokens that no merge made: their ids change where no seam does
  const isSame = (i, j) =>
    before.bytes[i] === now.bytes[j] &&
    before.seams[i] === now.seams[j] &&
    (!hasWhole || before.whole.get(i) === now.whole.get(j));
  let head = 0;
  let tail = 0;
  while (head < least && isSame(head, head)) head++;
  while (tail < least - head && isSame(before.n - 1 - tail, now.n - 1 - tail)) tail++;
  return [head, tail];
}

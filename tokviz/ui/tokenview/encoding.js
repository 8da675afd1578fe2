// How a component reads an encoding.
//
// tokviz/tokenizer/encoding.py decides; this file mirrors its few lines that read seams: the boundaries, tokens and ids at a
// step, and a token's merge tree. Nothing here merges or splits. A test runs both on the same random seams and demands
// equality.
//
// An *encoding* here is what read() makes of the payload that tokviz/offline/data.py makes:
//   text, bytes, n     the text, its UTF-8, and how many bytes it has; every offset is in bytes
//   units              for each byte, where its character starts in `text`, in UTF-16 units; units[n] is text.length
//   seams              one integer a byte: the rank of the merge that closed the seam before it, or one of three below
//   mintedBy           Map: rank -> the id that merge mints
//   alphabet           byte -> id
//   whole              Map: start byte -> id of each token that no merge made, or null where no token covers the bytes
//   bare               how many tokens have no bytes; they count, and have no place
//   characters         how many of the first merges are characters that are there before any merge
//   typed, source      if a normalizer changed the text: for each byte, the byte of the typed text from which it comes,
//                      and the typed text; else undefined
//   specialIds         Map: the ids of the special and added tokens in `whole` -> which of the two; its other tokens are
//                      look-ups

export const WHOLE = -1; // inside a token that no merge made
export const OPEN = 2 ** 31 - 2; // no merge ever closed it
export const SPLIT = 2 ** 31 - 1; // the split pattern forbids it
export const END = OPEN; // the step at which every merge is done: only OPEN and SPLIT are left

// What is cut out of a text before any merge.
export const CUT_FIRST = { special: "special token", added: "added token" };

export const cutFirst = ({ special_ids, added_ids = [] }) =>
  new Map([...special_ids.map((id) => [id, CUT_FIRST.special]), ...added_ids.map((id) => [id, CUT_FIRST.added])]);

export function fromBase64(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// Bytes that were sent as hexadecimal.
export const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

// The other way round.
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// The text of bytes that are whole characters, else null.
export function textOfToken(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function int32(base64) {
  return new Int32Array(fromBase64(base64).buffer);
}

// A text with its bytes and units.
export function textOf(text) {
  const bytes = new TextEncoder().encode(text);
  const n = bytes.length;
  const units = new Int32Array(n + 1);
  let unit = 0;
  let next = 0; // a character of four bytes has two UTF-16 units, any other has one
  for (let i = 0; i < n; i++) {
    if ((bytes[i] & 0xc0) !== 0x80) {
      unit = next;
      next += bytes[i] >= 0xf0 ? 2 : 1;
    }
    units[i] = unit;
  }
  units[n] = text.length;
  return { text, bytes, n, units };
}

// The same for bytes that are not UTF-8: the text has one U+FFFD for each byte that belongs to no character.
function brokenTextOf(text, bytes) {
  const n = bytes.length;
  const units = new Int32Array(n + 1);
  const written = (i) => bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd;
  let i = 0;
  let unit = 0;
  for (const char of text) {
    const point = char.codePointAt(0);
    const size = point < 0x80 || (point === 0xfffd && !written(i)) ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    units.fill(unit, i, i + size);
    i += size;
    unit += char.length;
  }
  units[n] = text.length;
  return { text, bytes, n, units };
}

// Byte -> id. ids: of all bytes, or of those that the text has, in their order.
function alphabetOf(ids, bytes) {
  if (ids.length === 256) return ids;
  const alphabet = new Int32Array(256).fill(-1);
  for (const [i, byte] of Uint8Array.from(new Set(bytes)).sort().entries()) alphabet[byte] = ids[i];
  return alphabet;
}

export function read(
  payload,
  text = payload.bytes ? brokenTextOf(payload.text, fromBase64(payload.bytes)) : textOf(payload.text),
) {
  const ranks = int32(payload.ranks);
  const ids = int32(payload.ids);
  const mintedBy = new Map();
  for (let i = 0; i < ranks.length; i++) mintedBy.set(ranks[i], ids[i]);
  const whole = new Map(Object.entries(payload.whole).map(([start, id]) => [Number(start), id]));
  const specialIds = cutFirst(payload);
  const { bare = 0, characters = 0 } = payload;
  if (payload.typed) text = { ...text, typed: int32(payload.typed) };
  return {
    ...text,
    seams: int32(payload.seams),
    mintedBy,
    alphabet: alphabetOf(int32(payload.alphabet), text.bytes),
    whole,
    specialIds,
    bare,
    characters,
  };
}

// The text that was typed.
export const typedIn = ({ source, text }) => source ?? text;

// The first of n places from which on a condition holds; n if it holds nowhere.
export function firstWhere(n, holds) {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The place in ascending numbers of the first that is `number` or more.
export const placeIn = (numbers, number) => firstWhere(numbers.length, (i) => numbers[i] >= number);

// The place in a list ordered by their starts of the one that holds the byte.
export const holderOf = (list, byte) => Math.max(0, firstWhere(list.length, (i) => list[i].start > byte) - 1);

// Where the tokens start at step k, as bytes.
export function startsAt(encoding, k) {
  const starts = [];
  for (let i = 0; i < encoding.n; i++) if (encoding.seams[i] >= k) starts.push(i);
  return starts;
}

// The end of the token that starts at `start` at step k.
export function endOf(encoding, start, k) {
  let end = start + 1;
  while (end < encoding.n && encoding.seams[end] < k) end++;
  return end;
}

// The start of the token that byte i is in at step k.
export function startOf(encoding, i, k) {
  while (encoding.seams[i] < k) i--;
  return i;
}

// The seam of the merge that made one token of the bytes from start to end: the highest inside; -1 if no merge did, or if
// they are a character that is there before any merge.
export function topSeam(encoding, start, end) {
  const top = highestSeam(encoding, start, end);
  return encoding.seams[top] < encoding.characters ? -1 : top;
}

function highestSeam(encoding, start, end) {
  let top = -1;
  let rank = WHOLE;
  for (let i = start + 1; i < end; i++) {
    if (encoding.seams[i] <= rank) continue;
    rank = encoding.seams[i];
    top = i;
  }
  return top;
}

export function idOf(encoding, start, end) {
  if (encoding.whole.has(start)) return encoding.whole.get(start);
  const top = highestSeam(encoding, start, end);
  return top < 0 ? encoding.alphabet[encoding.bytes[start]] : encoding.mintedBy.get(encoding.seams[top]);
}

// Whether the token that starts at `start` is a special or an added token, and which: "" for any other.
export const cutAs = ({ whole, specialIds }, start) => specialIds.get(whole.get(start)) ?? "";
export const isSpecial = ({ whole, specialIds }, start) => specialIds.has(whole.get(start));

// The merge tree of a token: split at its highest seam, and again on each side. A leaf has no parts and no rank.
export function treeOf(encoding, start, end) {
  const top = encoding.whole.has(start) ? -1 : topSeam(encoding, start, end);
  return {
    start,
    end,
    id: idOf(encoding, start, end),
    rank: top < 0 ? null : encoding.seams[top],
    parts: top < 0 ? [] : [treeOf(encoding, start, top), treeOf(encoding, top, end)],
  };
}

// Does a line of a view start at this byte? A token belongs to the line in which it starts at the last step. So no line
// cuts a token at any step, and no step moves a token to another line.
export const isLineStart = (encoding, at) =>
  at === 0 || (encoding.seams[at] >= END && encoding.bytes.subarray(startOf(encoding, at - 1, END), at).includes(10));

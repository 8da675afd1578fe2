// How the bytes of a token are shown: letters as they are, and a mark or hexadecimal for what is invisible.

import { make } from "../kit/elements.js";
import { figure, quantity, times } from "../kit/words.js";
import { home } from "./hues.js";

export const INVISIBLE = new Map([
  [0x09, ["", "tab"]],
  [0x0a, ["", "newline"]],
  [0x0d, ["CR", "carriage return"]],
  [0x20, ["", "space"]],
  [0x00, ["NUL", "null"]],
  [0x1b, ["ESC", "escape"]],
  [0x7f, ["DEL", "delete"]],
  [0x85, ["NEL", "next line"]],
  [0xa0, ["NBSP", "no-break space"]],
  [0xad, ["SHY", "soft hyphen"]],
  [0x34f, ["CGJ", "combining grapheme joiner"]],
  [0x61c, ["ALM", "Arabic letter mark"]],
  [0x2002, ["", "en space"]],
  [0x2003, ["", "em space"]],
  [0x2007, ["", "figure space"]],
  [0x2009, ["", "thin space"]],
  [0x200a, ["", "hair space"]],
  [0x200b, ["ZWSP", "zero width space"]],
  [0x200c, ["ZWNJ", "zero width non-joiner"]],
  [0x200d, ["ZWJ", "zero width joiner"]],
  [0x200e, ["LRM", "left-to-right mark"]],
  [0x200f, ["RLM", "right-to-left mark"]],
  [0x2028, ["LS", "line separator"]],
  [0x2029, ["PS", "paragraph separator"]],
  [0x202a, ["LRE", "left-to-right embedding"]],
  [0x202b, ["RLE", "right-to-left embedding"]],
  [0x202c, ["PDF", "pop directional formatting"]],
  [0x202d, ["LRO", "left-to-right override"]],
  [0x202e, ["RLO", "right-to-left override"]],
  [0x202f, ["NNBSP", "narrow no-break space"]],
  [0x2060, ["WJ", "word joiner"]],
  [0x2066, ["LRI", "left-to-right isolate"]],
  [0x2067, ["RLI", "right-to-left isolate"]],
  [0x2068, ["FSI", "first strong isolate"]],
  [0x2069, ["PDI", "pop directional isolate"]],
  [0x3000, ["", "ideographic space"]],
  [0xfe0e, ["VS15", "variation selector 15, text"]],
  [0xfe0f, ["VS16", "variation selector 16, emoji"]],
  [0xfeff, ["BOM", "byte order mark"]],
]);
export const UNSEEN = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
export const CODE_FONT = '"Source Code Pro", "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans Mono", monospace';
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
// These shape the letter before them.
const JOINS = /\u200c|\u200d|[\ufe00-\ufe0f]|[\u{e0020}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u;
// These are drawn on the letter before them: marks without a width, and the vowel "am" of Thai and Lao.
const ON_A_LETTER = /^[\p{Mn}\p{Me}\u0e33\u0eb3]/u;
const CIRCLE = "◌"; // takes the place of that letter

// Does a text have other directions than from left to right?
export const isBidi = (text) => RIGHT_TO_LEFT.test(text) || DIRECTION.test(text);

// Is a text read from right to left? Its first letter says it, if it has one.
export function isRightToLeft(text, otherwise = false) {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  return letter ? RIGHT_TO_LEFT.test(letter) : otherwise;
}

export const hexOf = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join("\u00a0");

const BYTES_NAMED = 64; // of a long token

// The length of a token and its first bytes, in words. data: the bytes that are here, at least those.
export function bytesInWords(data, size) {
  const named = data.subarray(0, BYTES_NAMED);
  return `${quantity(size, "byte")}: ${hexOf(named)}${size > named.length ? " …" : ""}`;
}

// "bytes 4 to 10"
export const placeInWords = (start, end) =>
  end - start === 1 ? `byte ${figure(start)}` : `bytes ${figure(start)} to ${figure(end)}`;

export const codePoint = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

// How many bytes the character at i has; 0 if there is no whole character between i and end.
function sizeOfCharacter(bytes, i, end) {
  const lead = bytes[i];
  if (lead < 0x80) return 1;
  const size = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (!size || i + size > end) return 0;
  for (let j = i + 1; j < i + size; j++) if ((bytes[j] & 0xc0) !== 0x80) return 0;
  const second = bytes[i + 1]; // overlong forms, surrogates, and what lies beyond U+10FFFF
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
  return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : size;
}

// Bytes as pieces to draw: [kind, string, first byte] with kind "text", "space", "mark" (one invisible character) or
// "bytes" (no whole character).
export function piecesOf(bytes, start, end) {
  const pieces = [];
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const add = (kind, string, at) => {
    const last = pieces.at(-1);
    if (last && last[0] === kind && kind === "text") last[1] += string;
    else pieces.push([kind, string, at]);
  };
  for (let i = start; i < end; ) {
    const size = sizeOfCharacter(bytes, i, end);
    if (!size) {
      let j = i + 1;
      while (j < end && !sizeOfCharacter(bytes, j, end)) j++;
      add("bytes", hexOf(bytes.subarray(i, j)), i);
      i = j;
      continue;
    }
    const char = size === 1 ? String.fromCharCode(bytes[i]) : utf8.decode(bytes.subarray(i, i + size));
    const joins = JOINS.test(char) && pieces.at(-1)?.[0] === "text";
    const kind = char === " " || char === "\u3000" ? "space" : UNSEEN.test(char) && !joins ? "mark" : "text";
    add(kind, char, i);
    i += size;
  }
  return pieces;
}

// The name of an invisible character; "" if it has none here.
function unseenName(char) {
  const point = char.codePointAt(0);
  if (INVISIBLE.has(point)) return INVISIBLE.get(point)[1];
  if (point >= 0xfe00 && point <= 0xfe0f) return `variation selector ${point - 0xfe00 + 1}`;
  if (point >= 0xe0100 && point <= 0xe01ef) return `variation selector ${point - 0xe0100 + 17}`;
  if (point >= 0xe0021 && point <= 0xe007e) return `tag ${String.fromCharCode(point - 0xe0000)}`;
  return /\p{Cc}/u.test(char) ? "control character" : /\p{Zs}/u.test(char) ? "space" : "";
}

// The invisible characters of a text, by code point and name: ["U+00A0 no-break space"]. A plain space has a mark, so
// it is named only if the text has nothing visible.
export function unseenIn(text) {
  const often = new Map();
  const letters = [...text].some((char) => !UNSEEN.test(char));
  for (const char of text) {
    if (UNSEEN.test(char) && !(letters && char === " ")) often.set(char, (often.get(char) || 0) + 1);
  }
  return [...often].map(
    ([char, count]) => `${codePoint(char)} ${unseenName(char)}`.trim() + (count > 1 ? `, ${times(count)}` : ""),
  );
}

// The characters that a token shares with another: ["part of 👨 U+1F468"].
export function cutCharacters({ text, units, bytes, n }, { start, end }) {
  const begins = (at) => at === n || (bytes[at] & 0xc0) !== 0x80;
  const cut = new Set([begins(start) ? null : units[start], begins(end) ? null : units[end]]);
  return [...cut]
    .filter((unit) => unit !== null)
    .map((unit) => {
      const char = String.fromCodePoint(text.codePointAt(unit));
      return `part of ${UNSEEN.test(char) ? "" : `${char} `}${codePoint(char)} ${unseenName(char)}`.trim();
    });
}

// The text of the characters that lie wholly in a token.
export function wholeText({ text, units, bytes, n }, { start, end }) {
  const from = nextCharacter(bytes, start, n);
  return from < end ? text.slice(units[from], units[end]) : "";
}

let pen = null;
export function measured(string, font) {
  pen ||= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(string);
}

const markPlaces = new Map();

// How a text is drawn that begins with a mark whose letter is in another token: { on: a dotted circle }, or, if no font
// draws the mark well on a circle, with the circle before it and { moved: em } back. Null: no circle is needed. In many
// scripts, such as Devanagari, the browser adds one; then the mark is as wide with our circle as without it.
function placeOfMark(text) {
  const [mark] = ON_A_LETTER.exec(text) || [""];
  if (mark && !markPlaces.has(mark)) {
    const [alone, circle, both] = [mark, CIRCLE, CIRCLE + mark].map((string) => measured(string, `16px ${CODE_FONT}`));
    const added = both.width === alone.width && !/\p{Script=Inherited}/u.test(mark);
    const fits = both.width < 1.8 * circle.width && both.actualBoundingBoxRight < both.width + 2;
    const middle = (alone.actualBoundingBoxRight - alone.actualBoundingBoxLeft) / 2;
    if (!added && (fits || /\p{L}/u.test(mark))) markPlaces.set(mark, { on: true });
    else if (!added && alone.width < circle.width / 4)
      markPlaces.set(mark, { moved: -(circle.width / 2 + middle) / 16 });
    else markPlaces.set(mark, null);
  }
  return markPlaces.get(mark) ?? null;
}

// The same in one string, for where nothing else can be drawn.
export const onCircle = (text) => (placeOfMark(text)?.on ? CIRCLE + text : text);

function drawText(string) {
  const place = placeOfMark(string);
  if (!place) return document.createTextNode(string);
  const element = make("span", place.on ? "cm" : "cm apart", string);
  if (!place.on) element.style.setProperty("--moved", `${place.moved}em`);
  return element;
}

// An element that shows CSS content and holds, at font size 0, the real text.
export function standIn(className, shown, real) {
  const element = make("span", className);
  element.dataset.m = shown;
  if (real) element.append(make("span", "real", real));
  return element;
}

export function drawPieces(pieces, realOf = () => "") {
  return pieces.map(([kind, string, at]) => {
    if (kind === "text") return drawText(string);
    if (kind === "space") return make("span", string === " " ? "w s" : "w s wide", string);
    if (kind === "bytes") return standIn("by", string, realOf(at, string));
    if (string === "\n") return standIn("w", "↵", string);
    if (string === "\t") return standIn("w", "→\u00a0", string);
    return standIn("nm", INVISIBLE.get(string.codePointAt(0))?.[0] || codePoint(string), string);
  });
}

const UNCUT = 4; // bytes of a token that is never cut

// A token outside the view, by its bytes: in a heading, a table, a status line.
export function chip(bytes, hue = home(bytes), limit = 20) {
  const element = make("span", `chip h${hue}${bytes.length > UNCUT ? "" : " short"}`);
  Object.assign(element, { bytes_: bytes, hue_: hue, cut: false }); // for whole.js
  let room = limit;
  const pieces = piecesOf(bytes, 0, bytes.length);
  element.classList.toggle(
    "blank",
    pieces.every(([kind, string]) => kind === "space" || /^[\n\t]$/.test(string)),
  );
  for (const [i, [kind, string]] of pieces.entries()) {
    // A space or a mark takes the room of a letter, a byte that of its two digits and a gap.
    const letters = kind === "text" ? [...string] : kind === "bytes" ? string.split("\u00a0") : [string];
    const each = kind === "bytes" ? 3 : 1;
    const shown = letters.slice(0, Math.ceil(room / each));
    element.append(...drawPieces([[kind, shown.join(kind === "bytes" ? "\u00a0" : ""), 0]]));
    room -= each * shown.length;
    element.cut = shown.length < letters.length || (room <= 0 && i + 1 < pieces.length);
    if (!element.cut) continue;
    element.append("…");
    break;
  }
  return element;
}

// Bytes in words, for screen readers: "space newest", "bytes F0 9F 91".
export function spoken(bytes, start, end) {
  return piecesOf(bytes, start, end)
    .map(([kind, string]) => {
      if (kind === "text") return string;
      if (kind === "bytes") return `bytes ${string}`;
      return INVISIBLE.get(string.codePointAt(0))?.[1] || codePoint(string);
    })
    .join(" ");
}

// The first byte at or after i that starts a character.
export function nextCharacter(bytes, i, n) {
  while (i < n && (bytes[i] & 0xc0) === 0x80) i++;
  return i;
}

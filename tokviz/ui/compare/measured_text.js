// A part of the ruler's text: laid out by the browser in rows high enough for the ticks below them, and then measured,
// so that each byte has a place. Any script and any font works, right-to-left too.

import { make } from "../kit/elements.js";
import { holderOf } from "../tokenview/encoding.js";
import { drawPieces, isBidi, measured, piecesOf, RIGHT_TO_LEFT } from "../tokenview/marks.js";

// px at a font of 18 px, larger with it
const TICK = 10;
const LANE = 18;
const BRACKET = 26;
const GAP = 9;
const LETTER = 0.6; // em that a letter is wide
// px that a grapheme gets at least, so that boundaries between its bytes have room
const wideOf = (bytes) => (bytes < 3 ? 0 : bytes < 5 ? 26 : 11 * bytes);

const utf8 = new TextEncoder();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

// How high things are in a row, of text in this size, with a lane for each of so many tokenizers.
export function rowOf(size, lanes) {
  const em = size / 18;
  const row = { size, text: 1.7 * size, tick: TICK * em, lane: LANE * em, bracket: BRACKET * em, lanes };
  return { ...row, high: Math.round(row.text + row.bracket + lanes * row.lane + GAP * em) };
}

// How high the text from one byte to another is about, before it is laid out.
export function guessedHigh(bytes, from, to, width, row) {
  const inRow = Math.max(1, Math.floor(width / (LETTER * row.size)));
  let rows = 0;
  for (let start = from; start < to; ) {
    let end = start;
    while (end < to && bytes[end] !== 10) end++;
    rows += Math.max(1, Math.ceil((end - start) / inRow));
    start = end + 1;
  }
  return rows * row.high;
}

export class MeasuredText {
  // whole: the text with its bytes and units, of which the bytes from..to are shown.
  constructor(whole, from, to) {
    Object.assign(this, { whole, from, to });
    this.sheet = make("div", "stretch");
    this.text = make("div", "ruled");
  }

  // --- the text ---

  // A row ends before a space, or, in what is too long for it, anywhere.
  write(width) {
    const { bytes, text } = this.whole;
    const pieces = piecesOf(bytes, this.from, this.to);
    const lines = [];
    let [line, word, wide] = [null, null, 0];
    let isSpace = false;
    this.pieces = [];
    drawPieces(pieces).forEach((node, j) => {
      const [kind, string, at] = pieces[j];
      if (!line) {
        line = make("div", "row-line");
        line.dir = "auto";
        lines.push(line);
        word = null;
      }
      const begins = kind === "space" || string === "\t";
      if (!word || (begins && !isSpace)) {
        word = line.appendChild(make("span", "g"));
        wide = 0;
      }
      isSpace = begins;
      if (kind === "text") wide += this.letters(word, string, at);
      else {
        word.append(this.piece(kind, string, at, node));
        wide += this.letter * Math.max(1, [...(node.dataset.m ?? "")].length);
      }
      if (wide > width) word.classList.add("long");
      if (kind === "mark" && string === "\n") line = null;
    });
    this.text.classList.toggle("bidi", isBidi(text));
    this.text.replaceChildren(...lines);
  }

  piece(kind, string, at, node) {
    this.pieces.push({ kind, at, node, text: kind === "text" ? node.firstChild || node : null, string });
    return node;
  }

  // Letters as text, and each of those that need room as an element of its own. How wide they are about.
  letters(word, string, at) {
    let [run, from, wide] = ["", at, 0];
    const rest = () => {
      if (run) word.append(this.piece("text", run, from, document.createTextNode(run)));
      run = "";
    };
    for (const { segment } of graphemes.segment(string)) {
      const { length } = utf8.encode(segment);
      const least = RIGHT_TO_LEFT.test(segment) ? 0 : wideOf(length);
      const own = least ? measured(segment, this.font).width : this.letter;
      if (least > own) {
        rest();
        const node = this.piece("wide", segment, at, make("span", "", segment));
        node.style.paddingInline = `${(least - own) / 2}px`;
        word.append(node);
      } else {
        if (!run) from = at;
        run += segment;
      }
      wide += Math.max(least, own);
      at += length;
    }
    rest();
    return wide;
  }

  // --- where things are ---

  // Lay the text out in rows high enough for a lane below them for each tokenizer, at most `width` px wide.
  layOut(row, width) {
    this.row = row;
    this.letter = LETTER * row.size;
    const { fontFamily } = getComputedStyle(this.text);
    this.font = `${row.size}px ${fontFamily}`;
    const lift = (row.high - row.text) / 2;
    this.text.style.lineHeight = `${row.high}px`;
    this.text.style.marginTop = `${-lift}px`;
    this.sheet.style.paddingBottom = `${lift}px`;
    this.write(width);
    this.measure();
  }

  // Fill this.stops: the bytes, row and edges of each grapheme, and if it is read from right to left (`rtl`).
  measure() {
    const sheet = this.sheet.getBoundingClientRect();
    const top = this.text.getBoundingClientRect().top;
    const range = document.createRange();
    this.stops = [];
    const add = (start, end, rects) => {
      let [left, right, row] = [Infinity, -Infinity, 0];
      for (const rect of rects) {
        if (rect.left < left) left = rect.left;
        if (rect.right > right) right = rect.right;
        row = Math.floor((rect.top + rect.height / 2 - top) / this.row.high);
      }
      if (right >= left) this.stops.push({ start, end, row, left: left - sheet.left, right: right - sheet.left });
    };
    for (const [i, { kind, at, node, text, string }] of this.pieces.entries()) {
      if (kind !== "text") {
        add(at, this.pieces[i + 1]?.at ?? this.to, node.getClientRects());
        continue;
      }
      let byte = at;
      for (const { segment, index } of graphemes.segment(string)) {
        range.setStart(text, index);
        range.setEnd(text, index + segment.length);
        const { length } = utf8.encode(segment);
        add(byte, byte + length, range.getClientRects());
        byte += length;
      }
    }
    // A letter is read from right to left if the next one of its row is at its left.
    this.stops.forEach((stop, i) => {
      const next = this.stops[i + 1];
      const before = this.stops[i - 1];
      if (next?.row === stop.row) stop.rtl = next.left < stop.left;
      else stop.rtl = before?.row === stop.row && stop.left < before.left;
    });
    this.lines = [];
    this.stops.forEach(({ row, left, right }, i) => {
      this.lines[row] ||= { left, right, first: i, last: i };
      const line = this.lines[row];
      line.left = Math.min(line.left, left);
      line.right = Math.max(line.right, right);
      line.last = i;
    });
  }

  // The x of the boundary before a byte, which is in proportion to its place in the grapheme.
  x({ start, end, left, right, rtl }, byte) {
    const share = Math.max(0, Math.min(1, (byte - start) / (end - start)));
    return rtl ? right - share * (right - left) : left + share * (right - left);
  }

  // The byte at a place in a row; null if there is none.
  byteAt(row, x) {
    const line = this.lines[row];
    if (!line) return null;
    for (const stop of this.stops.slice(line.first, line.last + 1)) {
      const { start, end, left, right, rtl } = stop;
      if (x < left || x >= right) continue;
      const share = (x - left) / (right - left);
      return Math.min(end - 1, start + Math.floor((rtl ? 1 - share : share) * (end - start)));
    }
    return null;
  }

  // The bytes from start to end as {row, left, right}, one for each stretch of a row that they cover.
  extents(start, end) {
    const found = [];
    if (start >= this.to || end <= this.from) return found;
    for (let i = holderOf(this.stops, start); i < this.stops.length && this.stops[i].start < end; i++) {
      const stop = this.stops[i];
      const a = this.x(stop, start);
      const b = this.x(stop, end);
      const left = Math.min(a, b);
      const right = Math.max(a, b);
      const last = found.at(-1);
      if (last?.row === stop.row && left <= last.right + 1 && right >= last.left - 1) {
        last.left = Math.min(last.left, left);
        last.right = Math.max(last.right, right);
      } else {
        found.push({ row: stop.row, left, right });
      }
    }
    return found;
  }

  top(row) {
    return row * this.row.high;
  }
  under(row) {
    return this.top(row) + this.row.text;
  }
  laneY(row, j) {
    return this.under(row) + this.row.bracket + (j + 1) * this.row.lane - 4;
  }
  foot(row) {
    return this.laneY(row, this.row.lanes - 1) + 6;
  }
}

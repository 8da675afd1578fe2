// The text of the boundary ruler: laid out by the browser in rows high enough for the ticks below them, and then
// measured, so that each byte has a place. Any script and any font works, right-to-left too. Then it is widened where
// room.js says so, and measured again.

import { make } from "../kit/elements.js";
import { DIRECTION, RIGHT_TO_LEFT } from "../tokenview/blocks.js";
import { END } from "../tokenview/encoding.js";
import { drawPieces, piecesOf } from "../tokenview/marks.js";
import { shareAt } from "./room.js";

const TOO_LONG = 40; // bytes from which a stretch may wrap inside
// px at a font of 18 px, larger with it
const TICK = 10;
const LANE = 18;
const BRACKET = 26;
const GAP = 20;

const utf8 = new TextEncoder();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

export class MeasuredText {
  constructor(sheet) {
    this.sheet = sheet;
    this.text = make("div", "text");
    this.rows = [];
  }

  // --- the text ---

  // A stretch from one shared boundary to the next stays in one row unless it is too long. A boundary inside a grapheme
  // does not divide the text. room: what roomFor returned.
  write(room = new Map()) {
    this.room = room;
    const { bytes, text, units } = this.rows[0].encoding;
    this.shared = [];
    for (let i = this.from; i < this.to; i++) {
      if (i === this.from || this.rows.every(({ encoding: { seams } }) => seams[i] >= END)) this.shared.push(i);
    }
    this.shared.push(this.to);
    this.pieces = [];
    const lines = [];
    let line = null;
    const first = units[this.from];
    const characters = new Set([units[this.to]]);
    for (const { index } of graphemes.segment(text.slice(first, units[this.to]))) characters.add(first + index);
    const places = this.shared.filter((i) => (i === this.to || (bytes[i] & 0xc0) !== 0x80) && characters.has(units[i]));
    for (let i = 0; i + 1 < places.length; i++) {
      const [start, end] = [places[i], places[i + 1]];
      let group = null;
      const pieces = piecesOf(bytes, start, end);
      drawPieces(pieces).forEach((node, j) => {
        if (!line) {
          line = make("div", "row-line");
          line.dir = "auto";
          lines.push(line);
          group = null;
        }
        group ||= line.appendChild(make("span", end - start > TOO_LONG ? "g long" : "g"));
        const [kind, string, at] = pieces[j];
        if (node.nodeType === Node.TEXT_NODE) group.append(...this.letters(string, at));
        else group.append(this.piece(kind, string, at, node));
        if (kind === "mark" && string === "\n") line = null;
      });
    }
    this.text.classList.toggle("bidi", DIRECTION.test(text) || RIGHT_TO_LEFT.test(text));
    this.text.replaceChildren(...lines);
  }

  piece(kind, string, at, node) {
    const extra = this.room.get(at)?.extra;
    if (extra) node.style.paddingInline = `${extra / 2}px`;
    this.pieces.push({ kind, at, node, text: kind === "text" ? node.firstChild || node : null, string });
    return node;
  }

  // Letters as text, and each of those that are widened as an element of its own.
  letters(string, at) {
    const nodes = [];
    let run = "";
    let from = at;
    const rest = () => {
      if (run) nodes.push(this.piece("text", run, from, document.createTextNode(run)));
      run = "";
    };
    for (const { segment } of graphemes.segment(string)) {
      if (this.room.has(at)) {
        rest();
        nodes.push(this.piece("wide", segment, at, make("span", "", segment)));
      } else {
        if (!run) from = at;
        run += segment;
      }
      at += utf8.encode(segment).length;
    }
    rest();
    return nodes;
  }

  // --- where things stand ---

  // Make the rows high enough for a lane below them for each tokenizer.
  stretchRows() {
    const size = parseFloat(getComputedStyle(this.text).fontSize);
    const em = size / 18;
    this.size = { text: 1.7 * size, tick: TICK * em, lane: LANE * em, bracket: BRACKET * em };
    this.high = Math.round(this.size.text + this.size.bracket + this.rows.length * this.size.lane + GAP * em);
    this.lift = (this.high - this.size.text) / 2;
    this.text.style.lineHeight = `${this.high}px`;
    this.text.style.marginTop = `${-this.lift}px`;
    this.sheet.style.paddingBottom = `${this.lift - 0.4 * GAP * em}px`;
  }

  // Fill this.stops: the bytes, row and edges of each grapheme, where bytes stand inside it if not in proportion
  // (`edges`), and if it is read from right to left (`rtl`).
  measure() {
    const sheet = this.sheet.getBoundingClientRect();
    const top = this.text.getBoundingClientRect().top;
    const range = document.createRange();
    this.stops = [];
    const add = (start, end, rects) => {
      let left = Infinity;
      let right = -Infinity;
      let row = 0;
      for (const rect of rects) {
        if (rect.left < left) left = rect.left;
        if (rect.right > right) right = rect.right;
        row = Math.floor((rect.top + rect.height / 2 - top) / this.high);
      }
      const { edges } = this.room.get(start) || {};
      if (right >= left)
        this.stops.push({ start, end, row, left: left - sheet.left, right: right - sheet.left, edges });
    };
    for (const [i, { kind, at, node, text, string }] of this.pieces.entries()) {
      const end = this.pieces[i + 1]?.at ?? this.to;
      if (kind !== "text") {
        add(at, end, node.getClientRects());
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
    // A letter is read from right to left if the next one of its row stands to its left.
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

  // The place among `stops` of the grapheme that byte i is in.
  stopAt(byte) {
    let low = 0;
    let high = this.stops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.stops[middle].start <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The x of the boundary before a byte.
  x(stop, byte) {
    const { left, right, rtl } = stop;
    const share = shareAt(stop, byte);
    return rtl ? right - share * (right - left) : left + share * (right - left);
  }

  // The bytes from start to end as {row, left, right}, one for each stretch of a row that they cover.
  extents(start, end) {
    const found = [];
    if (start >= this.to || end <= this.from) return found;
    for (let i = this.stopAt(start); i < this.stops.length && this.stops[i].start < end; i++) {
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
    return row * this.high;
  }
  under(row) {
    return this.top(row) + this.size.text;
  }
  lane(row, j) {
    return this.under(row) + this.size.bracket + (j + 1) * this.size.lane - 4;
  }
  foot(row) {
    return this.lane(row, this.rows.length - 1) + 6;
  }
}

// The tokens of a line. The text in the page is the true text, so that selecting, finding and copying give what was
// typed. Marks for white space, hexadecimal bytes and ids are CSS content; the text they stand for has font size 0.
//
// Each line has its own direction (dir=auto), so a right-to-left line reads correctly and does not disturb its
// neighbours. Tokens stay plain inline boxes: an inline block would tear joined letters (Arabic, Devanagari) apart.
// .k is a chunk; a line wraps between chunks, and inside a chunk only if it is too long.

import { make } from "../kit/elements.js";
import { RIGHT_TO_LEFT, TokenBlocks } from "./blocks.js";
import { END, endOf, idOf, isSpecial, SPLIT } from "./encoding.js";
import { choose, home } from "./hues.js";
import { drawPieces, hexOf, nextCharacter, piecesOf, standIn } from "./marks.js";

const KEEP_TOGETHER = 13; // bytes of a chunk that never wraps inside
const KEEP_WIDE = 8; // the same if its bytes may be written as hexadecimal, which is three times as wide
const LONG_HEX = 8; // bytes from which a token written as bytes may wrap inside
const LONG_TOKEN = 22; // characters from which a token may wrap inside
const DRAWN_APART = 2000; // spaces and marks of a token that are drawn one by one; the rest is plain text
const STRONG = /\p{L}/u;

export class DrawnTokens extends TokenBlocks {
  line(start, end) {
    const { encoding } = this;
    const { bytes, seams, text, units } = encoding;
    const element = make("div", "line");
    element.dir = "auto";
    const strong = this.hasRightToLeft && STRONG.exec(text.slice(units[start], units[end]));
    const rtl = Boolean(strong) && RIGHT_TO_LEFT.test(strong[0]);
    const line = { start, end, element, rtl, closes: bytes[end - 1] === 10 }; // closes: does it end with a newline?
    let chunk = null;
    for (let at = start; at < end; ) {
      const after = endOf(encoding, at, this.k);
      if (!chunk || seams[at] === SPLIT) {
        let stop = at;
        let most = this.ids || this.hex ? KEEP_WIDE : KEEP_TOGETHER;
        do if (bytes[stop] >= 0x80) most = KEEP_WIDE;
        while (++stop < end && seams[stop] !== SPLIT);
        chunk = element.appendChild(make("span", stop - at > most ? "k long" : "k"));
      }
      chunk.append(this.take(at));
      this.paint(at, after, line);
      at = after;
    }
    return line;
  }

  take(start) {
    const element = this.spare.pop() || make("span");
    this.spans.set(start, element);
    return element;
  }

  paint(start, end, line = this.lineAt(start)) {
    const { bytes, text, units, n } = this.encoding;
    const element = this.spans.get(start);
    const id = idOf(this.encoding, start, end);
    const covered = id !== null;
    const special = isSpecial(this.encoding, start);
    const string = text.slice(units[start], units[end]);
    let className = covered ? `t h${this.hueOf(start, end)}` : "t none";
    if (special) className += " sp";
    if (end - start >= LONG_TOKEN && string.length >= LONG_TOKEN) className += " long";
    if (this.hasRightToLeft) {
      const strong = STRONG.exec(string);
      if (strong ? RIGHT_TO_LEFT.test(strong[0]) : line.rtl) className += " rtl";
    }
    element.className = className;
    element.marks_ = ""; // until they are outlined
    element.start = start;
    element.end = end;
    element.id_ = id;
    const first = (bytes[start] & 0xc0) === 0x80; // the character began in the token before, which has its text
    if (this.ids || this.hex) {
      const from = first ? nextCharacter(bytes, start, n) : start;
      let shown = id === null ? "–" : String(id);
      if (this.hex) shown = hexOf(bytes.subarray(start, end));
      if (this.hex && end - start > LONG_HEX) {
        element.classList.add("long");
        shown = shown.replaceAll("\u00a0", " ");
      }
      element.replaceChildren(
        standIn("id", shown, text.slice(units[Math.min(from, n)], units[nextCharacter(bytes, end, n)])),
      );
      return;
    }
    const pieces = piecesOf(bytes, start, end);
    element.replaceChildren(
      ...drawPieces(pieces.slice(0, DRAWN_APART), (at, hex) => {
        for (let i = at; i < at + (hex.length + 1) / 3; i++) {
          if (bytes[i] >= 0xc0) return text.slice(units[i], units[nextCharacter(bytes, i + 1, n)]);
        }
        return "";
      }),
    );
    if (pieces.length > DRAWN_APART) {
      const [, , rest] = pieces[DRAWN_APART];
      element.append(make("span", "", text.slice(units[rest], units[end])));
    } else if (line.closes && end === line.end) element.lastChild.classList.add("end");
  }

  // The hue of a token. Colours its line from left to right if that was not done yet.
  ownHue(start) {
    const block = this.blockAt(start);
    if (!block.coloured) {
      const { encoding, hues } = this;
      let before = null;
      let broken = false;
      for (let at = block.start; at < block.end; ) {
        const end = endOf(encoding, at, END);
        if (broken) before = null;
        before = hues[at] = choose(home(encoding.bytes, at, end), before);
        broken = encoding.bytes.subarray(at, end).includes(10);
        at = end;
      }
      block.coloured = true;
    }
    return this.hues[start];
  }

  // Redraw what is dressed: the marks changed, or ids or bytes replace the text.
  redraw() {
    for (const block of this.blocks) if (block.lines) this.dress(block);
    this.outline();
    if (this.encoding.n) this.rove(this.at);
  }
}

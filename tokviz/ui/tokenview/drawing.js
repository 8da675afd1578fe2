// The tokens of a line. The text in the page is the true text, so that selecting, finding and copying give what was
// typed. Marks for white space, hexadecimal bytes and ids are CSS content; the text that they show has font size 0.
//
// Each line has its own direction (dir=auto), so a right-to-left line reads correctly and does not disturb its
// neighbours. Tokens stay plain inline boxes: an inline block would tear joined letters (Arabic, Devanagari) apart.
// .k is a chunk; a line wraps between chunks, and inside a chunk only if it is too long.

import { make } from "../kit/elements.js";
import { TokenBlocks } from "./blocks.js";
import { END, endOf, idOf, isSpecial, SPLIT } from "./encoding.js";
import { drawPieces, hexOf, isBidi, isRightToLeft, nextCharacter, piecesOf, standIn } from "./marks.js";

const KEEP_TOGETHER = 13; // bytes of a chunk that never wraps inside
const KEEP_WIDE = 8; // the same if its bytes may be written as hexadecimal, which is three times as wide
const LONG_HEX = 8; // bytes from which a token written as bytes may wrap inside
const LONG_TOKEN = 22; // characters from which a token may wrap inside
const DRAWN_APART = 2000; // spaces and marks of a token that are drawn one by one; the rest is plain text

export class DrawnTokens extends TokenBlocks {
  line(start, end) {
    const { bytes, seams, text, units } = this.encoding;
    const string = text.slice(units[start], units[end]);
    const line = make("div", isBidi(string) ? "line bidi" : "line");
    line.dir = "auto";
    line.rtl = isRightToLeft(string);
    let chunk = null;
    for (let at = start; at < end; ) {
      if (!chunk || seams[at] === SPLIT) {
        let stop = at;
        let most = this.ids || this.hex ? KEEP_WIDE : KEEP_TOGETHER;
        do if (bytes[stop] >= 0x80) most = KEEP_WIDE;
        while (++stop < end && seams[stop] !== SPLIT);
        chunk = line.appendChild(make("span", stop - at > most ? "k long" : "k"));
      }
      const after = endOf(this.encoding, at, this.k);
      chunk.append(this.take(at));
      this.paint(at, after);
      at = after;
    }
    return line;
  }

  take(start) {
    const element = make("span");
    this.spans.set(start, element);
    return element;
  }

  paint(start, end) {
    const { bytes, seams, text, units, n } = this.encoding;
    const element = this.spans.get(start);
    const line = element.closest(".line");
    const id = idOf(this.encoding, start, end);
    const string = text.slice(units[start], units[end]);
    const isWide = this.hex ? end - start > LONG_HEX : end - start >= LONG_TOKEN && string.length >= LONG_TOKEN;
    Object.assign(element, { start, end, id_: id, marks_: this.marksOf(start, end, id) });
    element.className = [
      "t",
      id === null ? "none" : `h${this.hueOf(start, end)}`,
      isSpecial(this.encoding, start) && "sp",
      isWide && "long",
      line.matches(".bidi") && isRightToLeft(string, line.rtl) && "rtl",
      element.marks_,
    ]
      .filter(Boolean)
      .join(" ");
    if (this.ids || this.hex) {
      // A character that began in the token before has its text there.
      const from = nextCharacter(bytes, start, n);
      const hex = hexOf(bytes.subarray(start, end));
      const shown = this.ids ? String(id ?? "–") : isWide ? hex.replaceAll("\u00a0", " ") : hex;
      element.replaceChildren(standIn("id", shown, text.slice(units[from], units[nextCharacter(bytes, end, n)])));
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
    const isLast = end === n || seams[end] >= END; // of its line, if it ends with a newline
    if (pieces.length > DRAWN_APART) {
      const [, , rest] = pieces[DRAWN_APART];
      element.append(make("span", "", text.slice(units[rest], units[end])));
    } else if (isLast && bytes[end - 1] === 10) element.lastChild.classList.add("end");
  }

  // Redraw what is drawn: the marks changed, or ids or bytes replace the text.
  redraw() {
    for (const block of this.blocks) if (block.isDrawn) this.dress(block);
    if (this.encoding.n) this.rove(this.at);
  }
}

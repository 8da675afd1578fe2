// The boundary ruler: a text, and below each of its rows a line for each tokenizer with a tick where a token starts. The
// browser lays it out, and nothing is measured: the text is cut wherever any tokenizer has a boundary, and each piece is
// an inline element with a foot, whose backgrounds are what is drawn. So it wraps as text, in any script and font.
//
//   .ruler > .block > .line > .name, .k > .stretch.agreed or .stretch.region > .piece
//
// Blocks, and lines that a key does not change, are those of a token view (blocks.js). A .k is a word with the spaces
// before it. An element .piece has its bytes as properties: start and end.

import { make, setAttributes, unspoken } from "../kit/elements.js";
import { TokenBlocks } from "../tokenview/blocks.js";
import { END, isSpecial } from "../tokenview/encoding.js";
import { drawPieces, isBidi, isRightToLeft, nextCharacter, piecesOf } from "../tokenview/marks.js";
import { sharedEnds } from "../tokenview/patches.js";
import { regionAt, regionFrom, tokenEnd, tokenStart } from "./boundaries.js";

const MID = 10; // letters of a word that may wrap inside in a narrow window
const LONG = 26; // the same in any
const LEAST = 12; // bytes in a row of the narrowest window
const BLANK = /^[ \t\u3000]/;
const DIGIT = /^\p{N}/u;

export class Ruler extends TokenBlocks {
  // pointed({start, end}) is called with what is pointed at, or null; chosen(i, lane) with the region that was clicked,
  // and with the number of the tokenizer if its ticks were clicked, else null.
  constructor(pointed, chosen) {
    super(make("div"), "Boundary ruler");
    Object.assign(this, { pointed, rows: [], regions: [], selected: -1, lit: null, at: null });
    this.box.className = "ruler";
    this.kind = "piece";
    this.box.tabIndex = 0;
    this.box.addEventListener("pointermove", (event) => this.point(this.placeAt(event)));
    this.box.addEventListener("pointerleave", () => this.point(null));
    this.box.addEventListener("click", (event) => {
      const at = this.placeAt(event);
      const i = at ? regionAt(this.regions, at.start) : -1;
      if (i >= 0) chosen(i, at.lane);
    });
  }

  // whole: the text with its bytes and units. rows: { name, glyph, series, encoding, cuts }. regions: [start, end].
  show(whole, rows, regions) {
    const isAlike = `${rows.map(({ name }) => name)}` === `${this.rows.map(({ name }) => name)}`;
    const before = isAlike && this.encoding;
    Object.assign(this, { rows, regions });
    this.selected = Math.min(this.selected, regions.length - 1);
    const encoding = jointOf(whole, rows);
    if (before) {
      const [head, tail] = sharedEnds(before, encoding);
      this.patch(encoding, head, before.n - tail, encoding.n - tail - head);
    } else {
      const { style } = this.box;
      style.setProperty("--lanes", rows.length);
      for (const [j, { series }] of rows.entries()) style.setProperty(`--k${j}`, `var(--k-${series})`);
      style.setProperty("--bases", rows.map((_, j) => this.inLane(j, "100% 1.5px")).join());
      this.box.setAttribute("aria-label", `Boundary ruler of ${rows.map(({ name }) => name).join(", ")}`);
      this.load(encoding, () => 0);
    }
    queueMicrotask(() => this.reveal()); // when it is on the page
  }

  // --- what is drawn ---

  // A background in the foot of a piece: something of this size that lies on the line of tokenizer j.
  inLane(j, size, side = "left", colour = `var(--k${j})`) {
    const up = `calc(var(--u) * ${this.rows.length - 1 - j + 0.33})`;
    return `linear-gradient(${colour} 0 0) ${side} 0 bottom ${up} / ${size} no-repeat`;
  }

  line(start, end) {
    const { encoding, regions } = this;
    const { bytes, seams, text, units } = encoding;
    const whole = text.slice(units[start], units[end]);
    const hasBidi = isBidi(whole);
    const element = make("div", hasBidi ? "line bidi" : "line");
    element.dir = "auto";
    element.append(...this.rows.map((row, j) => nameOf(row, j, end - start)));
    const half = 0.5 + 0.4 * String(regions.length).length; // letters that half a number takes
    let [word, stretch, x, letters, free, wasBlank] = [null, null, 0, 0, 0, false];
    // A number is drawn if there is room for it beside the one before.
    const close = () => {
      if (!stretch?.ordinal) return;
      const middle = (stretch.x + x) / 2;
      const isCrowded = middle - half < free;
      stretch.ordinal.classList.toggle("crowded", isCrowded);
      if (!isCrowded) free = middle + half;
    };
    for (let at = start, next = start; at < end; at = next) {
      do next++;
      while (next < end && !seams[next]);
      // What begins in it. A character that is cut inside is where it begins, and after that there is room for ticks.
      const [from, to] = [at, next].map((byte) => nextCharacter(bytes, byte, encoding.n));
      const string = text.slice(units[from], units[to]);
      const rtl = hasBidi && isRightToLeft(string, isRightToLeft(whole));
      const isBlank = BLANK.test(string);
      const begins = !word || (isBlank && !wasBlank);
      const i = regionAt(regions, at);
      if (begins || stretch.i !== i) {
        close();
        if (begins) [word, letters] = [element.appendChild(make("span")), 0];
        stretch = word.appendChild(this.stretch(i, at, rtl));
        stretch.x = x;
        // A number inside a figure would turn its halves around where a text is read from right to left.
        if (at === regions[i]?.[0] && !(hasBidi && DIGIT.test(string))) {
          stretch.ordinal = stretch.appendChild(unspoken(make("i", "ordinal")));
        }
      }
      wasBlank = BLANK.test(string.at(-1));
      const piece = stretch.appendChild(this.piece(at, next, rtl));
      piece.append(...drawPieces(piecesOf(bytes, from, to)));
      piece.classList.toggle("cut", from > at || to > next);
      if (next === regions[i]?.[1]) stretch.classList.add(rtl ? "left" : "right");
      x += string.length || 1;
      letters += string.length || 1;
      word.className = letters > LONG ? "k long" : letters > MID ? "k mid" : "k";
    }
    close();
    if (bytes[end - 1] === 10) stretch.lastChild.lastChild.classList.add("end");
    return element;
  }

  // The part of a region, or of what all agree on (-1), that is in one word.
  stretch(i, at, rtl) {
    const isAgreed = i < 0 && this.rows.length > 1;
    const stretch = make("span", i < 0 ? `stretch${isAgreed ? " agreed" : ""}` : "stretch region");
    stretch.i = i;
    if (at === this.regions[i]?.[0]) stretch.classList.add("first", rtl ? "right" : "left");
    return stretch;
  }

  piece(start, end, rtl) {
    const element = Object.assign(make("span", "piece"), { start, end });
    this.spans.set(start, element);
    const side = rtl ? "right" : "left";
    const drawn = this.rows.flatMap(({ encoding, cuts }, j) => [
      ...(cuts[start] ? [this.inLane(j, "2.25px calc(var(--u) * 0.56)", side)] : []),
      ...(!encoding.typed && isSpecial(encoding, tokenStart(cuts, start))
        ? [this.inLane(j, "100% calc(var(--u) * 0.28)", side, `color-mix(in srgb, var(--k${j}) 55%, transparent)`)]
        : []),
    ]);
    element.style.background = drawn.join();
    element.dataset.starts = this.rows.flatMap(({ cuts }, j) => (cuts[start] ? [j] : [])).join(" ");
    return element;
  }

  // --- what is chosen, and what is pointed at ---

  // Its numbers begin anew in each block.
  drawn() {
    for (const { element, start } of this.blocks) {
      element.style.counterReset = `region ${regionFrom(this.regions, start)}`;
    }
    this.outline();
  }

  dress(block) {
    super.dress(block);
    this.outline();
  }

  rove() {} // it is one stop of the keyboard

  outline() {
    for (const piece of this.box.querySelectorAll(".chosen, .lit")) piece.classList.remove("chosen", "lit");
    const add = (look, [from, to] = []) => {
      for (let i = from; i < to; i++) this.spans.get(i)?.classList.add(look);
    };
    add("chosen", this.regions[this.selected]);
    add("lit", this.lit ?? []);
  }

  // shows: scroll to it.
  choose(i, shows = false) {
    this.selected = i;
    this.outline();
    if (shows) this.reveal();
  }

  // Bring the place that is chosen into sight; where only two rows are, as the first.
  reveal() {
    const { box } = this;
    box.classList.toggle("all-seen", box.scrollHeight <= box.clientHeight);
    const [start] = this.regions[this.selected] ?? [];
    if (start === undefined || !box.isConnected) return;
    const [here] = this.drawnAt(start).getClientRects();
    const { top, bottom } = box.getBoundingClientRect();
    const isFolded = getComputedStyle(box).overflowY === "hidden";
    if (isFolded || here.top < top || here.bottom > bottom) box.scrollTop += here.top - top - 8;
  }

  // Outline these bytes (null: none).
  mark(span) {
    this.lit = span;
    this.outline();
  }

  point(at) {
    const key = at && `${at.start} ${at.end}`;
    if (key === this.pointedAt) return;
    this.pointedAt = key;
    this.mark(at && [at.start, at.end]);
    this.pointed(at);
  }

  // { lane, start, end }: of a tokenizer's ticks its token, else the bytes between two boundaries that all have.
  placeAt({ target, clientY }) {
    const piece = target.closest?.(".piece");
    if (!piece) return null;
    const { bottom } = [...piece.getClientRects()].find((rect) => rect.bottom >= clientY) ?? piece.getClientRects()[0];
    const up = Math.floor((bottom - clientY) / parseFloat(getComputedStyle(this.box).fontSize));
    const lane = up < this.rows.length ? this.rows.length - 1 - Math.max(0, up) : null;
    const region = this.regions[regionAt(this.regions, piece.start)];
    if (lane === null && region) return { lane, start: region[0], end: region[1] };
    const { cuts } = this.rows[lane ?? 0];
    const start = tokenStart(cuts, piece.start);
    return { lane, start, end: tokenEnd(cuts, start) };
  }
}

// What is drawn of all tokenizers, as a token view reads it: its tokens end where all have a boundary, and in them a seam
// says which have one there. whole: where special tokens start, and of which tokenizers.
function jointOf(text, rows) {
  const all = (1 << rows.length) - 1;
  const seams = new Int32Array(text.n);
  const whole = new Map();
  for (const [j, { encoding, cuts }] of rows.entries()) {
    for (let i = 0; i < text.n; i++) seams[i] |= cuts[i] << j;
    const starts = encoding.typed ? [] : encoding.whole.keys();
    for (const start of starts) if (isSpecial(encoding, start)) whole.set(start, (whole.get(start) ?? 0) | (1 << j));
  }
  for (let i = 0; i < text.n; i++) if (seams[i] === all) seams[i] = END;
  return { ...text, seams, whole };
}

// The name of a tokenizer before its line in each row: as often as there can be rows, and cut off after the last.
function nameOf({ name, glyph, series }, j, bytes) {
  const element = unspoken(make("span", "name", `${glyph} ${name}\n`.repeat(1 + Math.ceil(bytes / LEAST))));
  setAttributes(element, { dir: "ltr", title: name });
  element.style.color = `var(--k-${series})`;
  element.style.setProperty("--j", j);
  return element;
}

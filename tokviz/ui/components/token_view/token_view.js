// The one token view: text as coloured tokens. panel.js makes a component of it, and Replay puts its player on it.
//
// The text in the page is the true text, so that selecting, finding and copying give what was typed. Marks for white
// space, hexadecimal bytes and ids are CSS content, and what they stand for is there at font size 0.
//
//   .view > .block > .line[data-n] > .k > .t[data-start][data-end]
//
// A line takes a direction of its own (dir=auto), so a right-to-left line reads as it should and cannot disturb its
// neighbours. Tokens stay plain inline boxes: an inline block would tear joined letters (Arabic, Devanagari) apart.
// .k is a chunk; a line wraps between chunks, and inside one only where the chunk is too long for that.
//
// A block is some whole lines, or part of a very long one. Out of sight it is plain text, one node; it is dressed in
// spans when it comes near the window of the scroller, and undressed when it has gone: any number of tokens costs no
// more than those in sight.

const NEAR = 1500;            // bytes dressed at once; the others follow as they come near
const BLOCK = 1000;           // bytes after which the next line begins a block
const LONG_LINE = 4000;       // bytes after which a line goes on in another block
const ROW = 60;               // characters in a row, near enough to guess how high a block out of sight is
const KEEP_TOGETHER = 13;     // bytes of a chunk that never wraps inside
const LONG_HEX = 8;           // bytes from which a token written as bytes may wrap inside
const LONG_TOKEN = 22;        // characters from which a token may wrap inside

const INVISIBLE = new Map(Object.entries({
  0x09: ["", "tab"], 0x0a: ["", "newline"], 0x0d: ["CR", "carriage return"], 0x20: ["", "space"],
  0x00: ["NUL", "null"], 0x1b: ["ESC", "escape"], 0x7f: ["DEL", "delete"], 0x85: ["NEL", "next line"],
  0xa0: ["NBSP", "no-break space"], 0xad: ["SHY", "soft hyphen"], 0x34f: ["CGJ", "combining grapheme joiner"],
  0x61c: ["ALM", "Arabic letter mark"], 0x2002: ["", "en space"], 0x2003: ["", "em space"],
  0x2007: ["", "figure space"], 0x2009: ["", "thin space"], 0x200a: ["", "hair space"],
  0x200b: ["ZWSP", "zero width space"], 0x200c: ["ZWNJ", "zero width non-joiner"],
  0x200d: ["ZWJ", "zero width joiner"], 0x200e: ["LRM", "left-to-right mark"], 0x200f: ["RLM", "right-to-left mark"],
  0x2028: ["LS", "line separator"], 0x2029: ["PS", "paragraph separator"],
  0x202a: ["LRE", "left-to-right embedding"], 0x202b: ["RLE", "right-to-left embedding"],
  0x202c: ["PDF", "pop directional formatting"], 0x202d: ["LRO", "left-to-right override"],
  0x202e: ["RLO", "right-to-left override"], 0x202f: ["NNBSP", "narrow no-break space"],
  0x2060: ["WJ", "word joiner"], 0x2066: ["LRI", "left-to-right isolate"], 0x2067: ["RLI", "right-to-left isolate"],
  0x2068: ["FSI", "first strong isolate"], 0x2069: ["PDI", "pop directional isolate"],
  0x3000: ["", "ideographic space"], 0xfe0e: ["VS15", "variation selector 15, text"],
  0xfe0f: ["VS16", "variation selector 16, emoji"], 0xfeff: ["BOM", "byte order mark"],
}).map(([point, names]) => [Number(point), names]));
const UNSEEN = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const JOINS = /[\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}]/u;   // shape the letter before them
const LONE_MARK = /^(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]/u;
const STRONG = /\p{L}/u;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join("\u00a0");
const codePoint = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

// How many bytes the character at i takes; 0 if no whole character stands between i and end.
function sizeOfCharacter(bytes, i, end) {
  const lead = bytes[i];
  if (lead < 0x80) return 1;
  const size = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (!size || i + size > end) return 0;
  for (let j = i + 1; j < i + size; j++) if ((bytes[j] & 0xc0) !== 0x80) return 0;
  const second = bytes[i + 1];              // overlong forms, surrogates, and what lies beyond U+10FFFF
  if (lead === 0xe0 && second < 0xa0 || lead === 0xed && second > 0x9f) return 0;
  return lead === 0xf0 && second < 0x90 || lead === 0xf4 && second > 0x8f ? 0 : size;
}

// Bytes as what is to be drawn: [kind, string, first byte] with kind "text", "space", "mark" (one character that cannot
// be seen) or "bytes" (no whole character).
function piecesOf(bytes, start, end) {
  const pieces = [];
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const add = (kind, string, at) => {
    const last = pieces.at(-1);
    if (last && last[0] === kind && kind === "text") last[1] += string;
    else pieces.push([kind, string, at]);
  };
  for (let i = start; i < end;) {
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

// An element whose look is CSS content and whose text, at font size 0, is what was really there.
function standIn(className, shown, real) {
  const element = make("span", className);
  element.dataset.m = shown;
  if (real) element.append(make("span", "real", real));
  return element;
}

function drawPieces(pieces, realOf = () => "") {
  return pieces.map(([kind, string, at]) => {
    if (kind === "text") return LONE_MARK.test(string) ? make("span", "cm", string) : document.createTextNode(string);
    if (kind === "space") return make("span", string === " " ? "w s" : "w s wide", string);
    if (kind === "bytes") return standIn("by", string, realOf(at, string));
    if (string === "\n") return standIn("w", "↵", string);
    if (string === "\t") return standIn("w", "→\u00a0", string);
    return standIn("nm", INVISIBLE.get(string.codePointAt(0))?.[0] || codePoint(string), string);
  });
}

// A token outside the view, by its bytes: in a heading, a table, a status line.
function chip(bytes, hue = home(bytes), limit = 20) {
  const element = make("span", `chip h${hue}`);
  let room = limit;
  for (const piece of piecesOf(bytes, 0, bytes.length)) {
    const letters = piece[0] === "text" ? [...piece[1]] : null;
    if (letters && letters.length > room) piece[1] = letters.slice(0, room).join("");
    element.append(...drawPieces([piece]));
    room -= letters ? letters.length : 1;
    if (room <= 0 && (letters?.length > limit || bytes.length > limit)) { element.append("…"); break; }
  }
  return element;
}

// Bytes in words, for those who do not see: "space newest", "bytes F0 9F 91".
function spoken(bytes, start, end) {
  return piecesOf(bytes, start, end).map(([kind, string]) => {
    if (kind === "text") return string;
    if (kind === "bytes") return `bytes ${string}`;
    return INVISIBLE.get(string.codePointAt(0))?.[1] || codePoint(string);
  }).join(" ");
}

class TokenView {
  // `box` is the element to draw in. `pointed` is called with the token that is pointed at or focused, or null.
  // `entered` false: no token is a tab stop, nor takes the focus when clicked; the owner calls go() to let the keys in.
  constructor(box, label, pointed = () => {}) {
    this.box = box;
    this.pointed = pointed;
    this.ids = this.hex = false;
    this.entered = true;
    this.start = this.foreign = this.pinned = null;
    this.spare = [];
    box.classList.add("view", "chunks");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", label);
    this.blocks = [];
    this.near = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const block = this.blockOf.get(target);
        if (!block) continue;
        block.far = !isIntersecting;
        if (block.far) this.undress(block);
        else if (!block.lines) { this.dress(block); this.outline(); }
      }
    }, { root: box, rootMargin: "300px 0px" });
    const tokenAt = (event) => event.target.closest?.(".t");
    box.addEventListener("pointerover", (event) => this.point(tokenAt(event) ? tokenAt(event).start : this.focused()));
    box.addEventListener("pointerleave", () => this.point(this.focused()));
    box.addEventListener("focusin", (event) => tokenAt(event) && this.point(tokenAt(event).start));
    box.addEventListener("focusout", () => this.point(null));
    box.addEventListener("click", (event) => this.entered && tokenAt(event) && this.go(tokenAt(event).start));
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("copy", (event) => this.copy(event));
  }

  close() {
    this.near.disconnect();
  }

  // Draw an encoding at step k. hueOf(start, end) is the hue of a token; without it, each line is coloured from left to
  // right when it is drawn.
  load(encoding, hueOf = null, k = END, specialIds = null) {
    const { n, text } = encoding;
    Object.assign(this, { encoding, k, specialIds, start: null, foreign: null, caret: null, pinned: null, pairs: [],
                          born: [] });
    this.hues = hueOf ? null : new Uint8Array(n);
    this.hueOf = hueOf || ((start) => this.ownHue(start));
    this.hasRightToLeft = this.hasDirection = false;
    this.meet(text);
    this.forget();
    this.spans = new Array(n);                          // start byte -> the element, where dressed
    this.blockOf = new Map();                           // element -> block
    this.stop = null;
    this.at = 0;
    this.near.disconnect();
    this.blocks = n ? this.cut(0, n, false, 1).blocks : [];
    this.box.replaceChildren(...this.blocks.map((block) => this.house(block)));
    for (const block of this.blocks) if (block.start < NEAR) this.dress(block);
    if (n) this.rove(0);
  }

  // The bytes from start to stop of the old encoding became `count` bytes, or have other seams: draw what that touches.
  // The lines outside, their elements, and where the view is scrolled to stay.
  patch(encoding, start, stop, count) {
    if (!encoding.n || !this.encoding?.n) {
      const { caret } = this;
      this.load(encoding, this.hues ? null : this.hueOf, END, this.specialIds);
      this.caret = caret;
      return;
    }
    const longer = count - (stop - start);
    const { blocks } = this;
    let first = this.indexAt(blocks, Math.max(0, start - 1)), last = this.indexAt(blocks, stop);
    const oldBytes = this.encoding.bytes;
    const newlines = (bytes, from, to) => {
      let found = 0;
      for (let i = from; i < to; i++) if (bytes[i] === 10) found++;
      return found;
    };
    const lower = newlines(encoding.bytes, start, start + count) - newlines(oldBytes, start, stop);
    const held = this.stop;
    if (this.pinned !== null && this.pinned >= start) {
      this.pinned = this.pinned >= stop ? this.pinned + longer : Math.min(this.pinned, encoding.n - 1);
    }
    if (this.start !== null || this.foreign) {
      this.start = this.foreign = null;
      this.pointed(null);
    }
    this.encoding = encoding;
    this.forget();
    this.meet(encoding.text.slice(encoding.units[start], encoding.units[start + count]));
    this.spans = this.spans.slice(0, start).concat(new Array(count), this.spans.slice(stop));
    if (this.hues) this.hues = splice(this.hues, start, stop - start, new Uint8Array(count));

    // Cut again what the change touches: on, while a line that went on no longer does, or the other way round.
    const from = blocks[first].start;
    let to = blocks[last].end, cut;
    do {
      cut = this.cut(from, to + longer, blocks[first].continues, blocks[first].number);
    } while (last + 1 < blocks.length && cut.broken === blocks[last + 1].continues && (to = blocks[++last].end));
    const old = blocks.slice(first, last + 1), fresh = cut.blocks;
    const kept = new Map();
    for (const line of old.flatMap((block) => block.lines || [])) {
      if (line.start >= stop) this.shift(line, longer, lower);
      else if (line.end > start) continue;
      kept.set(`${line.start} ${line.end}`, line);
    }
    for (let i = last + 1; i < blocks.length; i++) {
      const block = blocks[i];
      block.start += longer;
      block.end += longer;
      block.number += lower;
      block.lines?.forEach((line) => this.shift(line, longer, lower));
    }
    const shown = old.map((block) => Boolean(block.lines));
    const after = blocks[last + 1]?.element || null;
    fresh.forEach((block, i) => {
      if (i < old.length) {
        block.element = old[i].element;
        block.far = old[i].far;
        this.blockOf.set(block.element, block);
      } else {
        this.box.insertBefore(this.house(block), after);
      }
    });
    for (const block of old.slice(fresh.length)) {
      this.near.unobserve(block.element);
      this.blockOf.delete(block.element);
      block.element.remove();
    }
    this.blocks = blocks.slice(0, first).concat(fresh, blocks.slice(last + 1));
    fresh.forEach((block, i) => {
      const fromEnd = fresh.length - 1 - i;
      if (shown[i] || fromEnd < shown.length && shown[shown.length - 1 - fromEnd]) this.dress(block, kept);
      else this.bare(block);
    });
    this.at = startOf(encoding, this.at < start ? this.at : this.at >= stop ? this.at + longer
      : Math.min(start, encoding.n - 1), this.k);
    if (!held?.isConnected || held.start !== this.at) this.rove(this.at);
  }

  // Bytes and what the next line begins with, cut into blocks; `broken`: does a line end with the last?
  cut(from, to, continues, number) {
    const { bytes, seams } = this.encoding;
    const blocks = [];
    let block = { start: from, continues, number }, broken = false, line = number;
    for (let i = from; i < to; i++) {
      if (i > from && seams[i] >= END) {
        if (i - block.start >= (broken ? BLOCK : LONG_LINE)) {
          blocks.push(Object.assign(block, { end: i }));
          block = { start: i, continues: !broken, number: line };
        }
        broken = false;
      }
      if (bytes[i] === 10) { broken = true; line++; }
    }
    blocks.push(Object.assign(block, { end: to }));
    return { blocks, broken };
  }

  // Give a block its element, with its bare text.
  house(block, element = make("div", "block")) {
    block.element = element;
    block.lines = null;
    this.blockOf.set(element, block);
    this.bare(block);
    this.near.observe(element);
    return element;
  }

  bare({ element, start, end }) {
    const { text, units } = this.encoding;
    const string = text.slice(units[start], units[end]);
    const rows = string.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / ROW)), 0);
    element.classList.add("bare");
    element.style.containIntrinsicHeight = `auto ${2.3 * Math.max(1, rows - (string.endsWith("\n") ? 1 : 0))}em`;
    element.textContent = string;
  }

  // What the text has of other directions. It only ever becomes more: looking for the last one gone is not worth it.
  meet(text) {
    this.hasRightToLeft ||= RIGHT_TO_LEFT.test(text);
    this.hasDirection ||= this.hasRightToLeft || DIRECTION.test(text);
    this.box.classList.toggle("bidi", this.hasDirection);
  }

  forget() {
    this.census = this.ranked = null;
  }

  shift(line, longer, lower) {
    if (longer) {
      for (let i = line.start + longer; i < line.end + longer; i++) {
        const element = this.spans[i];
        if (!element) continue;
        element.start = i;
        element.dataset.start = i;
        element.dataset.end = Number(element.dataset.end) + longer;
      }
      line.start += longer;
      line.end += longer;
    }
    if (lower && line.element.dataset.n) line.element.dataset.n = Number(line.element.dataset.n) + lower;
  }

  // The seams that merges closed, by rank, then by place.
  get closed() {
    if (!this.ranked) {
      const { n, seams } = this.encoding;
      this.ranked = [];
      this.wholes = 0;                                  // seams that are never a boundary
      for (let i = 0; i < n; i++) {
        if (seams[i] === WHOLE) this.wholes++;
        else if (seams[i] < OPEN) this.ranked.push(i);
      }
      this.ranked.sort((a, b) => seams[a] - seams[b] || a - b);
    }
    return this.ranked;
  }

  // The hue of a token, its line coloured from left to right if it was not yet.
  ownHue(start) {
    const block = this.blocks[this.indexAt(this.blocks, start)];
    if (!block.coloured) {
      const { encoding, hues } = this;
      let before = null, broken = false;
      for (let at = block.start; at < block.end;) {
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

  // How many tokens there are at step k.
  count(k = this.k) {
    const closed = this.firstClosed(k);
    return this.encoding.n - this.wholes - closed;
  }

  // The place in `closed` of the first seam whose rank is k or more.
  firstClosed(k) {
    let low = 0, high = this.closed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.encoding.seams[this.closed[middle]] < k) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The seams that the merge of rank k closes.
  places(k) {
    return this.closed.slice(this.firstClosed(k), this.firstClosed(k + 1));
  }

  // Which of blocks or lines, in order of their starts, holds the byte.
  indexAt(list, byte) {
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle].start <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  blockAt(byte) {
    return this.blocks[this.indexAt(this.blocks, byte)];
  }

  lineAt(byte) {
    const { lines } = this.blockAt(byte);
    return lines[this.indexAt(lines, byte)];
  }

  // --- drawing ---

  // A block as its lines, each with its tokens; lines in `kept`, by "start end", are taken as they stand.
  dress(block, kept = null) {
    const { bytes, seams } = this.encoding;
    block.lines = [];
    let start = block.start, number = block.number, next = number, broken = false;
    for (let i = start; i <= block.end; i++) {
      if (i === block.end || broken && seams[i] >= END) {
        const line = kept?.get(`${start} ${i}`) || this.line(start, i);
        const shown = start === block.start && block.continues ? "" : String(number);
        if (line.element.dataset.n !== shown) line.element.dataset.n = shown;
        block.lines.push(line);
        [start, number, broken] = [i, next, false];
      }
      if (bytes[i] === 10) { broken = true; next++; }
    }
    const { element } = block;
    if (!kept || element.classList.contains("bare")) {
      element.classList.remove("bare");
      element.replaceChildren(...block.lines.map((line) => line.element));
      return;
    }
    // Only what is new is put in: a line that is taken out and put back is laid out again.
    const wanted = new Set(block.lines.map((line) => line.element));
    for (const child of [...element.childNodes]) if (!wanted.has(child)) child.remove();
    let child = element.firstChild;
    for (const line of block.lines) {
      if (line.element === child) child = child.nextSibling;
      else element.insertBefore(line.element, child);
    }
  }

  undress(block) {
    if (!block.lines || this.blocks.length < 3 || block.element.contains(this.stop)) return;
    for (let i = block.start; i < block.end; i++) if (this.spans[i]) this.spans[i] = undefined;
    block.lines = null;
    this.bare(block);
  }

  line(start, end) {
    const { encoding } = this;
    const { bytes, seams, text, units } = encoding;
    const element = make("div", "line");
    element.dir = "auto";
    const strong = this.hasRightToLeft && STRONG.exec(text.slice(units[start], units[end]));
    const rtl = Boolean(strong) && RIGHT_TO_LEFT.test(strong[0]);
    const line = { start, end, element, rtl, closes: bytes[end - 1] === 10 };   // it ends here, and is no row more
    let chunk = null;
    for (let at = start; at < end;) {
      const after = endOf(encoding, at, this.k);
      if (!chunk || seams[at] === SPLIT) {
        let stop = at + 1;
        while (stop < end && seams[stop] !== SPLIT) stop++;
        chunk = element.appendChild(make("span", stop - at > KEEP_TOGETHER ? "k long" : "k"));
      }
      chunk.append(this.take(at));
      this.paint(at, after, line);
      at = after;
    }
    return line;
  }

  take(start) {
    return this.spans[start] = this.spare.pop() || make("span");
  }

  paint(start, end, line = this.lineAt(start)) {
    const { bytes, text, units, n } = this.encoding;
    const element = this.spans[start];
    const id = idOf(this.encoding, start, end);
    const covered = id !== null;
    const special = this.isSpecial(start, end);
    const string = text.slice(units[start], units[end]);
    let className = covered ? `t h${this.hueOf(start, end)}` : "t none";
    if (special) className += " sp";
    if (end - start >= LONG_TOKEN && string.length >= LONG_TOKEN) className += " long";
    if (this.hasRightToLeft) {
      const strong = STRONG.exec(string);
      if (strong ? RIGHT_TO_LEFT.test(strong[0]) : line.rtl) className += " rtl";
    }
    if (start === this.pinned) className += " pinned";
    element.className = className;
    element.start = start;
    element.id_ = id;
    element.dataset.start = start;
    element.dataset.end = end;
    const first = (bytes[start] & 0xc0) === 0x80;       // the character began in the token before: its text is there
    if (this.ids || this.hex) {
      if (this.hex && end - start > LONG_HEX) element.classList.add("long");
      const from = first ? nextCharacter(bytes, start, n) : start;
      const shown = this.hex ? hexOf(bytes.subarray(start, end)) : id === null ? "–" : String(id);
      element.replaceChildren(standIn("id", shown,
                                      text.slice(units[Math.min(from, n)], units[nextCharacter(bytes, end, n)])));
      return;
    }
    element.replaceChildren(...drawPieces(piecesOf(bytes, start, end), (at, hex) => {
      for (let i = at; i < at + (hex.length + 1) / 3; i++) {
        if (bytes[i] >= 0xc0) return text.slice(units[i], units[nextCharacter(bytes, i + 1, n)]);
      }
      return "";
    }));
    if (line.closes && end === line.end) element.lastChild.classList.add("end");
  }

  isSpecial(start, end) {
    const { seams, whole, n } = this.encoding;
    const id = whole.get(start);
    if (id === undefined || id === null || topSeam(this.encoding, start, end) >= 0) return false;
    return this.specialIds ? this.specialIds.has(id) : seams[start] === SPLIT && (end === n || seams[end] === SPLIT);
  }

  // Redraw what is dressed: the marks changed, or ids or bytes stand for the text.
  redraw() {
    for (const block of this.blocks) if (block.lines) this.dress(block);
    this.outline();
    if (this.encoding.n) this.rove(this.at);
  }

  // Go to step k, touching only the tokens that differ.
  show(k) {
    const { encoding } = this;
    const forward = k > this.k;
    const low = Math.min(k, this.k), high = Math.max(k, this.k);
    const moved = this.closed.slice(this.firstClosed(low), this.firstClosed(high))
      .filter((seam) => this.blockAt(seam).lines);
    const held = this.focused();
    this.point(null);
    this.unmark();
    this.k = k;
    this.census = null;
    const changed = new Set();
    if (forward) {
      for (const seam of moved) {
        const element = this.spans[seam];
        element.remove();
        this.spare.push(element);
        this.spans[seam] = undefined;
        changed.add(startOf(encoding, seam, k));
      }
    } else {
      for (const seam of moved.sort((a, b) => a - b)) {   // in the order of the text, so the token before is there
        const before = startOf(encoding, seam - 1, k);
        this.spans[before].after(this.take(seam));
        changed.add(before).add(seam);
      }
    }
    for (const start of changed) this.paint(start, endOf(encoding, start, k));
    if (encoding.n) this.rove(startOf(encoding, this.at, k), held !== null);
    if (held !== null) this.point(this.focused());      // the focus may rest where it was, and then says nothing
  }

  // Box the pairs that merge k is about to join, and bar the tokens that merge k - 1 made.
  mark({ pairs = true, settle = false } = {}) {
    this.unmark();
    for (const seam of this.places(this.k - 1)) {
      const element = this.spans[startOf(this.encoding, seam, this.k)];
      if (!element) continue;
      element.classList.add("born");
      if (settle) element.classList.add("settle");
      this.born.push(element);
    }
    if (!pairs) return;
    for (const seam of this.places(this.k)) {
      const right = this.spans[seam];
      if (!right) continue;
      const left = this.spans[startOf(this.encoding, seam - 1, this.k)];
      const pair = make("span", "pair");
      left.before(pair);
      pair.append(left, right);
      this.pairs.push(pair);
    }
  }

  unmark() {
    for (const pair of this.pairs) pair.replaceWith(...pair.childNodes);
    for (const element of this.born) element.classList.remove("born", "settle");
    this.pairs = [];
    this.born = [];
  }

  // --- pointing ---

  focused() {
    const element = this.box.getRootNode().activeElement;
    return element && this.box.contains(element) && element.start !== undefined ? element.start : null;
  }

  token(start) {
    const end = endOf(this.encoding, start, this.k);
    return { start, end, id: idOf(this.encoding, start, end) };
  }

  // All tokens at this step: where they start, their ids (-1: no token), and how often each id occurs.
  counted() {
    if (!this.census) {
      const { encoding, k } = this;
      const { n, seams, bytes, alphabet, mintedBy, whole } = encoding;
      const starts = new Int32Array(n), ids = new Int32Array(n), often = new Map();
      let count = 0;
      for (let at = 0; at < n;) {
        let top = WHOLE, end = at + 1;
        for (; end < n && seams[end] < k; end++) if (seams[end] > top) top = seams[end];
        const id = whole.size && whole.has(at) ? whole.get(at) : top < 0 ? alphabet[bytes[at]] : mintedBy.get(top);
        starts[count] = at;
        ids[count++] = id ?? -1;
        often.set(id, (often.get(id) || 0) + 1);
        at = end;
      }
      this.census = { starts: starts.subarray(0, count), ids: ids.subarray(0, count), often };
    }
    return this.census;
  }

  point(start) {
    if (start === this.start) return;
    this.start = start;
    this.foreign = null;
    this.outline();
    this.pointed(start === null ? null : this.token(start));
  }

  // Another view points at these bytes of the same text (null: at none).
  reflect(span) {
    if (this.start !== null) return;
    this.foreign = span;
    this.outline();
    this.pointed(null, span && this.covering(span));
  }

  covering([from, to]) {
    const tokens = [];
    for (let start = startOf(this.encoding, from, this.k); start < to; start = tokens.at(-1).end) {
      tokens.push(this.token(start));
    }
    return tokens;
  }

  // Bar the token that starts here, which a card below tells about (null: none).
  pin(start) {
    this.spans[this.pinned]?.classList.remove("pinned");
    this.pinned = start;
    this.spans[start]?.classList.add("pinned");
  }

  outline() {
    for (const element of this.box.querySelectorAll(".hover, .twin")) element.classList.remove("hover", "twin");
    if (this.start !== null) {
      const { id } = this.token(this.start);
      for (const twin of id === null ? [] : this.box.querySelectorAll(".t")) {
        if (twin.id_ === id) twin.classList.add("twin");
      }
      this.spans[this.start]?.classList.remove("twin");
      this.spans[this.start]?.classList.add("hover");
    } else if (this.foreign) {
      for (const { start } of this.covering(this.foreign)) this.spans[start]?.classList.add("hover");
    }
    this.drawCaret();
    this.drawFound();
  }

  // --- keys: one tab stop, and arrows from token to token ---

  rove(start, focus = false) {
    const block = this.blockAt(start);
    if (!block.lines) { this.dress(block); this.outline(); }
    const element = this.spans[start], left = this.stop;
    this.stop = element;
    if (left && left !== element) {
      for (const name of ["tabindex", "role", "aria-label", "aria-roledescription"]) left.removeAttribute(name);
      const leftBlock = left.isConnected && this.blockOf.get(left.closest(".block"));
      if (leftBlock?.far && leftBlock !== block) this.undress(leftBlock);
    }
    this.at = start;
    element.setAttribute("tabindex", this.entered ? "0" : "-1");
    element.setAttribute("role", "img");
    element.setAttribute("aria-roledescription", "token");
    const { end, id } = this.token(start);
    const name = id === null ? "no id" : `id ${id}`;
    element.setAttribute("aria-label", `${spoken(this.encoding.bytes, start, end)}, ${name}`);
    if (focus) element.focus({ preventScroll: true });
  }

  go(start) {
    this.rove(start, true);
    this.stop.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  key(event) {
    const from = this.focused();
    if (from === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const { encoding, k } = this;
    const next = () => Math.min(endOf(encoding, from, k), startOf(encoding, encoding.n - 1, k));
    const previous = () => (from ? startOf(encoding, from - 1, k) : 0);
    const { rtl } = this.lineAt(from);
    const moves = {
      ArrowRight: rtl ? previous : next, ArrowLeft: rtl ? next : previous,
      ArrowDown: () => this.inRow(from, 1), ArrowUp: () => this.inRow(from, -1),
      Home: () => 0, End: () => startOf(encoding, encoding.n - 1, k),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(moves[event.key]());
  }

  // The token of the row above or below that stands nearest.
  inRow(from, way) {
    const here = this.spans[from].getBoundingClientRect();
    const half = here.height / 2;
    let best = from, least = Infinity, row = null;
    for (let start = from; ;) {
      const step = way > 0 ? endOf(this.encoding, start, this.k) : start - 1;
      if (step < 0 || step >= this.encoding.n) return best;
      start = startOf(this.encoding, step, this.k);
      if (!this.spans[start]) this.dress(this.blockAt(start));
      const there = this.spans[start].getBoundingClientRect();
      if (Math.abs(there.top - here.top) < half) continue;
      row ??= there.top;
      if (Math.abs(there.top - row) > half) return best;
      const distance = Math.abs(there.left - here.left);
      if (distance < least) { least = distance; best = start; }
    }
  }

  // --- the caret of a text area, and what is looked for ---

  // The token before the byte at which the caret stands (null: no caret) is outlined.
  follow(byte) {
    this.caret = byte;
    if (byte !== null && this.encoding.n) {
      const block = this.blockAt(this.beforeCaret());
      if (!block.lines) { this.dress(block); this.outline(); }
    }
    this.drawCaret();
  }

  // Scroll the token at the caret into view. All views are drawn first, and then looked at, so the page is laid out once.
  followed() {
    const element = this.caretElement;
    if (!element) return;
    const here = element.getBoundingClientRect(), view = this.box.getBoundingClientRect();
    if (here.top < view.top + 8) this.box.scrollTop += here.top - view.top - 40;
    else if (here.bottom > view.bottom - 8) this.box.scrollTop += here.bottom - view.bottom + 40;
  }

  drawCaret() {
    this.caretElement?.classList.remove("caret");
    this.caretElement = null;
    if (this.caret === null || !this.encoding.n) return;
    this.caretElement = this.spans[this.beforeCaret()] || null;
    this.caretElement?.classList.add("caret");
  }

  beforeCaret() {
    return startOf(this.encoding, Math.min(Math.max(0, this.caret - 1), this.encoding.n - 1), this.k);
  }

  // Mark the tokens that start at these bytes, one of them as the one in hand, which comes into view.
  found(starts, now = null) {
    this.matches = new Set(starts);
    this.now = now;
    if (now !== null && !this.spans[now]) this.dress(this.blockAt(now));
    this.outline();
    if (now === null) return;
    const here = this.spans[now].getBoundingClientRect(), view = this.box.getBoundingClientRect();
    if (here.top < view.top || here.bottom > view.bottom) {
      this.box.scrollTop += here.top - view.top - view.height / 3;
    }
  }

  drawFound() {
    for (const element of this.box.querySelectorAll(".found")) element.classList.remove("found", "now");
    if (!this.matches?.size) return;
    for (const element of this.box.querySelectorAll(".t")) {
      if (this.matches.has(element.start)) element.classList.add("found");
    }
    this.spans[this.now]?.classList.add("now");
  }

  // Text leaves as it is: without the line breaks that the browser adds between lines, and with what is not in sight.
  copy(event) {
    const root = this.box.getRootNode();
    const selection = root.getSelection ? root.getSelection() : document.getSelection();
    if (!selection || !selection.rangeCount || !this.box.contains(selection.anchorNode)
        || !this.box.contains(selection.focusNode)) return;
    event.clipboardData.setData("text/plain", selection.getRangeAt(0).cloneContents().textContent);
    event.preventDefault();
  }
}

// The first byte from i on that starts a character.
function nextCharacter(bytes, i, n) {
  while (i < n && (bytes[i] & 0xc0) === 0x80) i++;
  return i;
}

// The one token view: text as coloured tokens. This file draws them; pointing.js makes them answer to pointer and keys.
// panel.js makes a component of it, and Replay puts its player on it.
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
const STRONG = /\p{L}/u;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function newlines(bytes, from, to) {
  let found = 0;
  for (let i = from; i < to; i++) if (bytes[i] === 10) found++;
  return found;
}

class DrawnTokens {
  // `box` is the element to draw in.
  constructor(box, label) {
    this.box = box;
    this.ids = this.hex = false;
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
    this.spans = new Map();                             // start byte -> the element, where dressed
    this.blockOf = new Map();                           // element -> block
    this.stop = null;
    this.at = 0;
    this.near.disconnect();
    this.blocks = n ? this.cut(0, n, false, 1).blocks : [];
    this.box.replaceChildren(...this.blocks.map((block) => this.house(block)));
    for (const block of this.blocks) if (block.start < NEAR) this.dress(block);
    this.number();
    if (n) this.rove(0);
    this.drawn();
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
    const spans = [...this.spans];
    this.spans = new Map(spans.filter(([at]) => at < start));
    for (const [at, element] of spans) if (at >= stop) this.spans.set(at + longer, element);
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
    this.number();
    if (!held?.isConnected || held.start !== this.at) this.rove(this.at);
    this.drawn();
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

  // Make room for the number of the last line.
  number() {
    const last = this.blocks.at(-1);
    const lines = last ? last.number + newlines(this.encoding.bytes, last.start, last.end) : 1;
    this.box.style.setProperty("--digits", String(lines).length);
  }

  forget() {
    this.census = this.ranked = null;
  }

  shift(line, longer, lower) {
    if (longer) {
      for (let i = line.start + longer; i < line.end + longer; i++) {
        const element = this.spans.get(i);
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
    for (let i = block.start; i < block.end; i++) this.spans.delete(i);
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
    const element = this.spare.pop() || make("span");
    this.spans.set(start, element);
    return element;
  }

  paint(start, end, line = this.lineAt(start)) {
    const { bytes, text, units, n } = this.encoding;
    const element = this.spans.get(start);
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
      const from = first ? nextCharacter(bytes, start, n) : start;
      let shown = id === null ? "–" : String(id);
      if (this.hex) shown = hexOf(bytes.subarray(start, end));
      if (this.hex && end - start > LONG_HEX) {
        element.classList.add("long");
        shown = shown.replaceAll("\u00a0", " ");
      }
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
        const element = this.spans.get(seam);
        element.remove();
        this.spare.push(element);
        this.spans.delete(seam);
        changed.add(startOf(encoding, seam, k));
      }
    } else {
      for (const seam of moved.sort((a, b) => a - b)) {   // in the order of the text, so the token before is there
        const before = startOf(encoding, seam - 1, k);
        this.spans.get(before).after(this.take(seam));
        changed.add(before).add(seam);
      }
    }
    for (const start of changed) this.paint(start, endOf(encoding, start, k));
    if (encoding.n) this.rove(startOf(encoding, this.at, k), held !== null);
    this.drawn();
    if (held !== null) this.point(this.focused());      // the focus may rest where it was, and then says nothing
  }

  // Box the pairs that merge k is about to join, and bar the tokens that merge k - 1 made.
  mark({ pairs = true, settle = false } = {}) {
    this.unmark();
    for (const seam of this.places(this.k - 1)) {
      const element = this.spans.get(startOf(this.encoding, seam, this.k));
      if (!element) continue;
      element.classList.add("born");
      if (settle) element.classList.add("settle");
      this.born.push(element);
    }
    if (!pairs) return;
    for (const seam of this.places(this.k)) {
      const right = this.spans.get(seam);
      if (!right) continue;
      const left = this.spans.get(startOf(this.encoding, seam - 1, this.k));
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
}

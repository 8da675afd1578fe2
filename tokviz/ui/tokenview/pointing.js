// The token view answers to pointer and keys: hover and equal tokens, the pin, arrows from token to token, the caret of
// a text area, and the tokens found by a search. A table that replaces the text (table.js) hears of all this too.

import { setAttributes } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { endOf, idOf, isSpecial, placeIn, startOf, WHOLE } from "./encoding.js";
import { chip, spoken } from "./marks.js";
import { SteppedTokens } from "./steps.js";

export class TokenView extends SteppedTokens {
  // `pointed` is called with the token that is pointed at or focused, or null; or with null and the tokens that cover
  // what another view points at. If `entered` is false, no token is a tab stop or takes the focus when clicked, until
  // the owner calls go(). An owner that pins tokens sets `chosen`: it is called with the start of the token that was
  // clicked or on which Enter was pressed (then also with true), and with null when Escape removes the pin.
  constructor(box, label, pointed = () => {}) {
    super(box, label);
    this.pointed = pointed;
    this.entered = true;
    this.chosen = this.table = null;
    this.start = this.foreign = this.pinned = this.looks = null;
    this.matches = this.now = new Set();
    const tokenAt = (event) => event.target.closest?.(".t");
    box.addEventListener("pointerover", (event) => this.point(tokenAt(event) ? tokenAt(event).start : this.focused()));
    box.addEventListener("pointerleave", () => this.point(this.focused()));
    box.addEventListener("focusin", (event) => tokenAt(event) && this.point(tokenAt(event).start));
    box.addEventListener("focusout", () => this.point(null));
    box.addEventListener("click", (event) => tokenAt(event) && this.click(tokenAt(event).start));
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("copy", (event) => this.copy(event));
  }

  drawn() {
    this.table?.load();
    this.outline();
  }

  click(start) {
    if (this.entered) this.go(start);
    const selection = this.selection();
    if (!selection || selection.isCollapsed) this.chosen?.(start, false);
  }

  // The selection in this view; null if it is elsewhere.
  selection() {
    const selection = selectionIn(this.box);
    const { rangeCount, anchorNode, focusNode } = selection;
    return rangeCount && this.box.contains(anchorNode) && this.box.contains(focusNode) ? selection : null;
  }

  focused() {
    const element = this.box.getRootNode().activeElement;
    return element && this.box.contains(element) && element.start !== undefined ? element.start : null;
  }

  token(start) {
    const end = endOf(this.encoding, start, this.k);
    return { start, end, id: idOf(this.encoding, start, end) };
  }

  // A token as it is drawn here, for a status line.
  chip({ start, end }) {
    const drawn = chip(this.encoding.bytes.subarray(start, end), this.hueOf(start, end));
    drawn.classList.toggle("inverse", isSpecial(this.encoding, start));
    return drawn;
  }

  // All tokens at this step: where they start, their ids (-1: no token), the ranks of the merges that made them (-1: no
  // merge did), how often each id occurs, and how many of them are tokens: the others are gaps, which no token covers.
  counted() {
    if (!this.census) {
      const { encoding, k } = this;
      const { n, seams, bytes, alphabet, mintedBy, whole } = encoding;
      const starts = new Int32Array(n);
      const ids = new Int32Array(n);
      const ranks = new Int32Array(n);
      const often = new Map();
      let count = 0;
      for (let at = 0; at < n; ) {
        let top = WHOLE;
        let end = at + 1;
        for (; end < n && seams[end] < k; end++) if (seams[end] > top) top = seams[end];
        const id = whole.size && whole.has(at) ? whole.get(at) : top < 0 ? alphabet[bytes[at]] : mintedBy.get(top);
        starts[count] = at;
        ranks[count] = top;
        ids[count++] = id ?? -1;
        often.set(id, (often.get(id) || 0) + 1);
        at = end;
      }
      const counted = (numbers) => numbers.subarray(0, count);
      const tokens = count - (often.get(null) || 0);
      this.census = { starts: counted(starts), ids: counted(ids), ranks: counted(ranks), often, tokens };
    }
    return this.census;
  }

  // The number, from 1, of the i-th of those that are counted; null for a gap.
  numberAt(i) {
    const { census } = this;
    if (!census.often.has(null)) return i + 1;
    if (!census.numbers) {
      let number = 0;
      census.numbers = census.ids.map((id) => (id < 0 ? 0 : ++number));
    }
    return census.numbers[i] || null;
  }

  // "token 4 of 20"; "" for a gap. Tokens without bytes count too.
  numberInWords({ start, id }) {
    if (id === null) return "";
    const { starts, tokens } = this.counted();
    const all = tokens + (this.encoding.bare ?? 0);
    return `token ${figure(this.numberAt(placeIn(starts, start)))} of ${figure(all)}`;
  }

  point(start) {
    if (start === this.start) return;
    this.start = start;
    this.foreign = null;
    this.outline();
    this.pointed(start === null ? null : this.token(start));
  }

  // Another view points at these bytes of the same text (null: at nothing).
  reflect(span) {
    if (this.start !== null) return;
    this.foreign = span;
    this.outline();
    this.pointed(null, span && this.covering(span));
  }

  // Another view may show a longer text for a moment, while this one is still to be drawn.
  covering([from, to]) {
    to = Math.min(to, this.encoding.n);
    const tokens = [];
    for (let start = startOf(this.encoding, from, this.k); start < to; start = tokens.at(-1).end) {
      tokens.push(this.token(start));
    }
    return tokens;
  }

  // Mark the token that starts here as pinned (null: none).
  pin(start) {
    this.pinned = start;
    this.outline();
  }

  // Have these classes on each token: looks(start) says which, "" for none.
  differ(looks) {
    this.looks = looks;
    this.outline();
  }

  // The classes of a token by which pointer, keys, caret, search and owner mark it.
  marksOf(start, end, id) {
    const { foreign } = this;
    const isHover = this.start === null ? foreign && start < foreign[1] && end > foreign[0] : start === this.start;
    const marks = [
      isHover ? "hover" : id !== null && id === this.pointedId && "twin",
      start === this.pinned && "pinned",
      start === this.caretStart && "caret",
      this.matches.has(start) && "found",
      this.now.has(start) && "now",
      this.looks?.(start),
    ];
    return marks.filter(Boolean).join(" ");
  }

  // Mark the tokens that are drawn.
  outline() {
    if (!this.encoding) return;
    this.pointedId = this.start === null ? undefined : this.token(this.start).id;
    this.caretStart = this.caret === null || !this.encoding.n ? null : this.beforeCaret();
    for (const element of this.box.querySelectorAll(".t")) {
      const marks = this.marksOf(element.start, element.end, element.id_);
      if (marks === element.marks_) continue;
      if (element.marks_) element.classList.remove(...element.marks_.split(" "));
      if (marks) element.classList.add(...marks.split(" "));
      element.marks_ = marks;
    }
    this.table?.outline();
  }

  // --- keys: one tab stop, and arrows from token to token ---

  rove(start, focus = false) {
    const element = this.drawnAt(start);
    const left = this.stop;
    this.stop = element;
    if (left && left !== element) {
      for (const name of ["tabindex", "role", "aria-label", "aria-roledescription"]) left.removeAttribute(name);
      this.thin();
    }
    this.at = start;
    const { end, id } = this.token(start);
    setAttributes(element, {
      tabindex: this.entered ? 0 : -1,
      role: "img",
      "aria-roledescription": "token",
      "aria-label": `${spoken(this.encoding.bytes, start, end)}, ${id === null ? "no id" : `id ${id}`}`,
    });
    if (focus) element.focus({ preventScroll: true });
  }

  // Go to this token. focus: it also takes the focus.
  go(start, focus = true) {
    this.rove(start, focus && !this.table);
    if (!this.table) this.stop.scrollIntoView({ block: "nearest", inline: "nearest" });
    else if (focus) this.table.go(start);
    else this.table.reveal(start);
  }

  key(event) {
    const from = this.focused();
    if (from === null || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "a") this.selectAll(event);
      return;
    }
    if (event.key === "Enter" && this.chosen) {
      event.preventDefault();
      this.chosen(from, true);
    } else if (event.key === "Escape" && this.chosen && this.pinned !== null) {
      event.preventDefault();
      this.chosen(null);
    }
    const { encoding, k } = this;
    const next = () => Math.min(endOf(encoding, from, k), startOf(encoding, encoding.n - 1, k));
    const previous = () => (from ? startOf(encoding, from - 1, k) : 0);
    const { rtl } = this.spans.get(from).closest(".line");
    const moves = {
      ArrowRight: rtl ? previous : next,
      ArrowLeft: rtl ? next : previous,
      ArrowDown: () => this.inRow(from, 1),
      ArrowUp: () => this.inRow(from, -1),
      Home: () => 0,
      End: () => startOf(encoding, encoding.n - 1, k),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(moves[event.key]());
  }

  // Select all of this text, but not the rest of the page.
  selectAll(event) {
    event.preventDefault();
    selectionIn(this.box).selectAllChildren(this.box);
  }

  // The nearest token of the row above or below.
  inRow(from, way) {
    const { encoding, k } = this;
    const placeOf = (start) => this.drawnAt(start).getBoundingClientRect();
    const here = placeOf(from);
    const isInRow = (place, top) => Math.abs(place.top - top) < here.height / 2;
    let best = from;
    let there = null; // where that is
    for (let at = from; ; ) {
      const next = way > 0 ? endOf(encoding, at, k) : at - 1;
      if (next < 0 || next >= encoding.n) return best;
      at = startOf(encoding, next, k);
      const place = placeOf(at);
      if (isInRow(place, here.top)) continue;
      if (there && !isInRow(place, there.top)) return best;
      if (there && Math.abs(place.left - here.left) >= Math.abs(there.left - here.left)) continue;
      [best, there] = [at, place];
    }
  }

  // --- the caret of a text area, and the tokens found by a search ---

  // Outline the token before the byte at which the caret is (null: no caret).
  follow(byte) {
    this.caret = byte;
    if (byte !== null && this.encoding.n) this.drawnAt(this.beforeCaret());
    this.outline();
  }

  // Scroll to the caret's token. Called when all views follow, so that the page is laid out only once.
  bringCaret() {
    if (this.caretStart === null) return;
    if (this.table) return this.table.reveal(this.caretStart);
    const here = this.spans.get(this.caretStart).getBoundingClientRect();
    const view = this.box.getBoundingClientRect();
    if (here.top < view.top + 8) this.box.scrollTop += here.top - view.top - 40;
    else if (here.bottom > view.bottom - 8) this.box.scrollTop += here.bottom - view.bottom + 40;
  }

  beforeCaret() {
    return startOf(this.encoding, Math.min(Math.max(0, this.caret - 1), this.encoding.n - 1), this.k);
  }

  // Mark the tokens that start at these bytes, and scroll to the current ones of them.
  found(starts, now = []) {
    this.matches = new Set(starts);
    this.now = new Set(now);
    for (const start of now) this.drawnAt(start);
    this.outline();
    if (!now.length) return;
    const [first] = now;
    if (this.table) return this.table.reveal(first);
    const here = this.spans.get(first).getBoundingClientRect();
    const view = this.box.getBoundingClientRect();
    if (here.top < view.top || here.bottom > view.bottom) {
      this.box.scrollTop += here.top - view.top - view.height / 3;
    }
  }

  // Copy the text as it is: without the line breaks that the browser adds, and with what is out of sight. A selection of
  // all loses white space at its ends, which cannot be seen.
  copy(event) {
    const selection = this.selection();
    if (!selection) return;
    const { text } = this.encoding;
    const selected = selection.getRangeAt(0).cloneContents().textContent;
    event.clipboardData.setData("text/plain", selected.trim() === text.trim() ? text : selected);
    event.preventDefault();
  }
}

// The selection of the page or of the component that the element is in.
const selectionIn = (element) => element.getRootNode().getSelection?.() ?? document.getSelection();

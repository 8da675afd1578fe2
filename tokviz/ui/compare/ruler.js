// The boundary ruler: a text, and below each of its rows a line of ticks for each tokenizer. A long text is drawn part
// by part, where it is in sight.

import { make } from "../kit/elements.js";
import { regionAt, regionFrom, tokenEnd, tokenStart } from "./boundaries.js";
import { guessedHigh, rowOf } from "./measured_text.js";
import { RulerPart } from "./ruler_part.js";

const PART = 400; // bytes
const NEAR = 600; // px from what is in sight, where parts are drawn

export class Ruler {
  // pointed({start, end}) is called with what is pointed at, or null; chosen(i, lane) with the region that was clicked,
  // and with the number of the tokenizer if its ticks were clicked, else null.
  constructor(pointed, chosen) {
    Object.assign(this, { pointed, chosen, parts: [], regions: [], rows: [], selected: -1, lit: null, isWhole: false });
    this.box = make("div", "ruler");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.box.addEventListener("pointermove", (event) => this.point(this.placeAt(event)));
    this.box.addEventListener("pointerleave", () => this.point(null));
    this.box.addEventListener("click", (event) => {
      const at = this.placeAt(event);
      const i = at ? regionAt(this.regions, at.byte) : -1;
      if (i >= 0) this.chosen(i, at.lane);
    });
    this.sized = new ResizeObserver(() => this.layOut());
    this.sized.observe(this.box);
    this.loaded = () => this.layOut(true);
    document.fonts.addEventListener("loadingdone", this.loaded);
  }

  close() {
    this.sized.disconnect();
    this.sight?.disconnect();
    document.fonts.removeEventListener("loadingdone", this.loaded);
  }

  // whole: the text with its bytes and units. rows: { key, name, glyph, series, encoding, cuts }. regions: [start, end].
  load(whole, rows, regions) {
    const before = this.whole;
    const isAlike = rows.length === this.rows.length && rows.every(({ name }, j) => name === this.rows[j].name);
    const pairs = isAlike && before ? rows.map(({ cuts }, j) => [cuts, this.rows[j].cuts]) : [];
    let same = pairs.length ? Math.min(whole.n, before.n) : 0; // bytes from the beginning on that are drawn as before
    for (const [now, then] of [[whole.bytes, before?.bytes], ...pairs]) {
      let i = 0;
      while (i < same && now[i] === then[i]) i++;
      same = i;
    }
    if (pairs.length && same === whole.n && same === before.n) same += 2 * PART;
    Object.assign(this, { whole, rows, regions, at: null });
    this.box.setAttribute("aria-label", `Boundary ruler of ${rows.map(({ name }) => name).join(", ")}`);
    this.parts = this.parts.filter(({ to }) => to + 2 * PART <= same);
    for (const part of this.parts) Object.assign(part, { whole });
    while ((this.parts.at(-1)?.to ?? 0) < whole.n) this.parts.push(this.partFrom(this.parts.at(-1)?.to ?? 0));
    this.selected = Math.min(this.selected, regions.length - 1);
    this.layOut(
      true,
      this.parts.filter(({ isDrawn }) => isDrawn),
    );
  }

  // A part ends after a line; if that is too long, where all have a boundary; else anywhere between two characters.
  partFrom(from) {
    const { bytes, n } = this.whole;
    const last = Math.min(n, from + 2 * PART);
    let to = 0;
    for (let i = Math.min(n, from + PART); i < last && !to; i++) if (bytes[i - 1] === 10) to = i;
    const isStart = (i) => (bytes[i] & 0xc0) !== 0x80;
    for (let i = last - 1; i > from + PART && !to; i--) {
      if (isStart(i) && this.rows.every(({ cuts }) => cuts[i])) to = i;
    }
    to ||= last;
    while (to < n && !isStart(to)) to++;
    return new RulerPart(this.whole, from, n - to < PART / 2 && last === n ? n : to);
  }

  // --- layout ---

  // keeps: parts that are drawn already.
  layOut(anew = false, keeps = []) {
    const before = this.width;
    const width = this.box.clientWidth;
    this.width = width;
    if (!width) this.sized.observe(this.box); // it is not on the page yet, and this tells when it is
    if (!width || !this.rows.length || (!anew && width === before)) return;
    const { children } = this.box;
    this.parts.forEach(({ sheet }, i) => {
      if (children[i] !== sheet) this.box.insertBefore(sheet, children[i] ?? null);
    });
    while (children.length > this.parts.length) this.box.lastChild.remove();
    const style = getComputedStyle(this.parts[0]?.text ?? this.box);
    this.row = rowOf(parseFloat(style.fontSize), this.rows.length);
    this.room = (this.parts[0]?.text.clientWidth ?? width) - 2;
    this.box.style.setProperty("--row", `${this.row.high}px`);
    for (const part of this.parts) {
      if (keeps.includes(part)) continue;
      part.reserve(guessedHigh(this.whole.bytes, part.from, part.to, this.room, this.row));
    }
    this.drawSeen();
    const { scrollHeight, clientHeight } = this.box;
    this.box.classList.toggle("all-seen", scrollHeight <= clientHeight);
    this.choose(this.selected, true);
    this.watch();
  }

  // Draw each part when it comes near.
  watch() {
    this.sight?.disconnect();
    const draws = (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.drawPart(target.part_);
    };
    this.sight = new IntersectionObserver(draws, { root: this.isWhole ? null : this.box, rootMargin: `${NEAR}px` });
    for (const { sheet, isDrawn } of this.parts) if (!isDrawn) this.sight.observe(sheet);
  }

  // Draw at once what is in sight.
  drawSeen() {
    const box = this.box.getBoundingClientRect();
    const [top, bottom] = this.isWhole ? [0, innerHeight] : [box.top, box.bottom];
    for (const part of this.parts) {
      const here = part.sheet.getBoundingClientRect();
      if (here.top >= bottom) break;
      if (here.bottom > top) this.drawPart(part);
    }
  }

  drawPart(part) {
    if (part.isDrawn) return;
    const { from, to } = part;
    const first = regionFrom(this.regions, from);
    let end = first;
    while (end < this.regions.length && this.regions[end][0] < to) end++;
    part.draw(this.rows, this.regions.slice(first, end), first, this.row, this.room);
    part.mark({ chosen: this.chosenRegion, lit: this.lit });
    this.sight?.unobserve(part.sheet);
  }

  partAt(byte) {
    return this.parts.find(({ to }) => to > byte);
  }

  get chosenRegion() {
    const region = this.regions[this.selected];
    return region ? [this.selected, ...region] : null;
  }

  // --- what is chosen, and what is pointed at ---

  // shows: scroll to it.
  choose(i, shows = false) {
    this.selected = i;
    for (const part of this.parts) part.mark({ chosen: this.chosenRegion });
    const [start, end] = this.regions[i] ?? [];
    const part = shows && start !== undefined && this.row && this.partAt(start);
    if (!part) return;
    this.drawPart(part);
    const [place] = part.extents(start, end);
    if (!place) return;
    const { box } = this;
    const top = part.sheet.offsetTop + part.top(place.row);
    const foot = top + this.row.high;
    const isFolded = box.clientHeight < 3 * this.row.high;
    if (isFolded || top < box.scrollTop || foot > box.scrollTop + box.clientHeight) box.scrollTop = top - 8;
    this.drawSeen();
  }

  // Outline these bytes (null: none).
  mark(span) {
    this.lit = span;
    for (const part of this.parts) part.mark({ lit: span });
  }

  point(at) {
    const key = at && `${at.start} ${at.end}`;
    if (key === this.at) return;
    this.at = key;
    this.mark(at && [at.start, at.end]);
    this.box.classList.toggle("on-region", Boolean(at) && regionAt(this.regions, at.byte) >= 0);
    this.pointed(at);
  }

  // { byte, lane, start, end }: of a tokenizer's ticks its token, else the bytes between two boundaries that all have.
  placeAt(event) {
    const part = event.target.closest?.(".stretch")?.part_;
    const at = part?.isDrawn ? part.placeAt(event) : null;
    if (!at) return null;
    if (at.lane !== null) {
      const { cuts } = this.rows[at.lane];
      const start = tokenStart(cuts, at.byte);
      return { ...at, start, end: tokenEnd(cuts, start) };
    }
    const region = this.regions[regionAt(this.regions, at.byte)];
    const { cuts } = this.rows[0];
    const start = region?.[0] ?? tokenStart(cuts, at.byte);
    return { ...at, start, end: region?.[1] ?? tokenEnd(cuts, start) };
  }

  // Show all of the text, however high it is.
  unfold() {
    this.isWhole = true;
    this.drawSeen();
    this.watch();
  }
}

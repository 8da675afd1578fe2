// The boundary ruler: a text, and below each of its rows a line of ticks for each tokenizer, one where a token starts.
//
// measured_text.js knows where each byte of the text stands. The ticks, what all agree on and the brackets of the
// disagreements are drawn there, as SVG behind the text.
//
//   .ruler > .sheet > svg.marks, .names, .text > .row-line > .g
//   .part, if only a part is drawn

import { make, makeButton, seriesMark, setAttributes, shape, unspoken } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { END, endOf, isSpecial, placeIn, startOf } from "../tokenview/encoding.js";
import { MeasuredText } from "./measured_text.js";
import { byteAt, roomFor } from "./room.js";

const PAPER = 1.5; // px of paper beside a number
const DRAWN = 8_000; // bytes drawn at once where a window is longer, as the tokenizers share no boundary in it

export class Ruler extends MeasuredText {
  // `pointed` is called with {start, end} of what is pointed at, or null; `chosen` with the place in `regions` of the
  // region that was clicked, and with the row if its ticks were clicked, else null.
  constructor(parent, pointed, chosen) {
    super(make("div", "sheet"));
    this.pointed = pointed;
    this.chosen = chosen;
    this.box = parent.appendChild(make("div", "ruler"));
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.box.append(this.sheet);
    this.marks = this.sheet.appendChild(shape("svg", { class: "marks", "aria-hidden": "true" }));
    this.names = this.sheet.appendChild(unspoken(make("div", "names")));
    this.sheet.append(this.text);
    this.part = parent.appendChild(make("div", "flow small part"));
    this.drawn = this.part.appendChild(make("p"));
    this.turns = [
      ["Earlier bytes", -1],
      ["Further bytes", 1],
    ].map(([label, way]) => {
      const button = makeButton("plain", label, () => {
        if (button.getAttribute("aria-disabled") === "true") return;
        this.turnTo(way < 0 ? this.from - 1 : this.to);
        this.box.scrollTop = 0;
      });
      return this.part.appendChild(button);
    });
    this.regions = [];
    this.selected = -1;
    this.lit = null;
    this.sheet.addEventListener("pointermove", (event) => this.over(event));
    this.sheet.addEventListener("pointerleave", () => this.point(null));
    this.sheet.addEventListener("click", (event) => this.click(event));
    this.sized = new ResizeObserver(() => this.layOut());
    this.sized.observe(this.box);
    this.loaded = () => this.layOut(true);
    document.fonts.addEventListener("loadingdone", this.loaded);
  }

  close() {
    this.sized.disconnect();
    document.fonts.removeEventListener("loadingdone", this.loaded);
  }

  // rows: {name, glyph, series, encoding}. regions: [start, end] in bytes; `first` regions come before them.
  // The text is a part of a longer one, in which it starts at byte `offset`.
  load(rows, regions, first, offset) {
    Object.assign(this, { rows, regions, first, offset, selected: -1, lit: null, at: null });
    this.box.setAttribute("aria-label", `Boundary ruler of ${rows.map((row) => row.name).join(", ")}`);
    this.turnTo(0);
  }

  // Draw the part that contains this byte, and say which part it is if there are more.
  turnTo(byte) {
    const { n, bytes } = this.rows[0].encoding;
    const edge = (part) => {
      let at = Math.min(n, part * DRAWN);
      while (at < n && (bytes[at] & 0xc0) === 0x80) at--;
      return at;
    };
    let part = Math.floor(byte / DRAWN);
    if (edge(part + 1) <= byte && edge(part + 1) < n) part++;
    [this.from, this.to] = [edge(part), edge(part + 1)];
    this.part.hidden = n <= DRAWN;
    const [first, last, end] = [this.from, this.to, n].map((at) => figure(this.offset + at));
    this.drawn.replaceChildren(
      make("b", "", `Bytes ${first} to ${last} are drawn.`),
      ` The next boundary that all share is at byte ${end}.`,
    );
    const off = [this.from === 0, this.to === n];
    for (const [i, button] of this.turns.entries()) button.setAttribute("aria-disabled", off[i]);
    this.layOut(true);
  }

  // --- layout ---

  layOut(anew = false) {
    const width = this.box.clientWidth;
    if (anew) this.written = null;
    if (!width || !this.rows.length || (!anew && width === this.width)) return;
    this.width = width;
    this.box.style.setProperty("--named", `${this.widestName()}px`);
    this.stretchRows();
    if (this.written !== this.size.text) this.writeWithRoom();
    else this.measure();
    this.draw();
    this.mark(this.lit);
    this.choose(this.selected);
  }

  // Write the text, and again with more room where it is too narrow for the numbers.
  writeWithRoom() {
    this.written = this.size.text;
    this.write();
    this.measure();
    const inPart = this.regions.findIndex(([, end]) => end > this.from);
    const regions = this.regions.slice(Math.max(0, inPart)).filter(([start]) => start < this.to);
    const room = roomFor(this.stops, regions, (i) => 2 * this.pill(Math.max(0, inPart) + i).half + 2 * PAPER);
    if (!room.size) return;
    this.write(room);
    this.measure();
  }

  // The number of a region, and half the width of the pill that it stands in.
  pill(i) {
    const label = figure(this.first + i + 1);
    return { label, half: Math.max(9, 4.2 * label.length + 5) };
  }

  // The width of the names at the left, with mark and gaps; long names are cut with three dots.
  widestName() {
    const { fontSize, fontFamily } = getComputedStyle(this.names);
    const em = parseFloat(fontSize);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${0.875 * em}px ${fontFamily}`;
    return Math.ceil(
      Math.min(9.5 * em, 2.25 * em + Math.max(...this.rows.map(({ name }) => pen.measureText(name).width))),
    );
  }

  // --- drawing ---

  draw() {
    setAttributes(this.marks, { width: this.sheet.scrollWidth, height: this.lines.length * this.high });
    this.chosenBand = shape("g", { class: "band" });
    this.litBand = shape("g", { class: "lit" });
    const agreed = this.drawAgreed();
    this.marks.replaceChildren(agreed, this.chosenBand, this.litBand, this.drawLanes(), this.drawBrackets());
    this.drawNames();
  }

  // Where all tokenizers have the same boundaries.
  drawAgreed() {
    const agreed = shape("g", { class: "agreed" });
    const starts = new Set(this.regions.map(([start]) => start));
    if (this.regionAt(this.from) >= 0) starts.add(this.from);
    for (let i = 0; i + 1 < this.shared.length; i++) {
      if (starts.has(this.shared[i]) || this.rows.length < 2) continue;
      for (const { row, left, right } of this.extents(this.shared[i], this.shared[i + 1])) {
        agreed.append(
          shape("rect", {
            x: left,
            y: this.top(row),
            width: Math.max(0, right - left - 2),
            height: this.foot(row) - this.top(row),
          }),
        );
      }
    }
    return agreed;
  }

  // A bracket below each region in which they differ, with its number.
  drawBrackets() {
    const brackets = shape("g", { class: "brackets" });
    this.brackets = this.regions.map(([start, end], i) => {
      const group = shape("g", { class: "bracket", "data-region": this.first + i + 1 });
      const spans = this.extents(start, end);
      spans.forEach(({ row, left, right }, part) => {
        const y = this.under(row) + 6;
        const a = left + 1.5;
        const b = Math.max(right - 3.5, a + 1);
        group.append(
          shape("path", { d: `M${a} ${part ? y : y - 5}V${y}H${b}${part < spans.length - 1 ? "" : `V${y - 5}`}` }),
        );
      });
      if (spans.length) {
        const { row, left, right } = spans.reduce((a, b) => (b.right - b.left > a.right - a.left ? b : a));
        const { label, half } = this.pill(i);
        const y = this.under(row) + 6;
        const line = this.lines[row];
        const middle = Math.max(line.left + half, Math.min(line.right - half, (left + right - 2) / 2));
        const pill = shape("g", { class: "number" });
        pill.append(shape("rect", { x: middle - half, y: y - 9, width: 2 * half, height: 18, rx: 9 }));
        pill.append(shape("text", { x: middle, y: y + 4.5 }, label));
        group.append(pill);
      }
      brackets.append(group);
      return group;
    });
    return brackets;
  }

  // A line for each tokenizer, with a tick where one of its tokens starts.
  drawLanes() {
    const lanes = shape("g", { class: "lanes" });
    this.rows.forEach(({ encoding, series, name }, j) => {
      const lane = shape("g", { class: "lane", "data-name": name, style: `--k:var(--k-${series})` });
      this.lines.forEach(({ left, right, first, last }, row) => {
        const y = this.lane(row, j);
        const from = this.stops[first].start;
        const to = this.stops[last].end;
        const at = [];
        let d = "";
        for (let i = from, stop = first; i < to; i++) {
          if (encoding.seams[i] < END) continue;
          while (stop < last && this.stops[stop].end <= i) stop++;
          at.push(i);
          const x = this.x(this.stops[stop], i) + (this.stops[stop].rtl ? -1 : 1);
          d += `M${x.toFixed(1)} ${y}v${-this.size.tick}`;
        }
        lane.append(shape("path", { class: "base", d: `M${left} ${y}H${right}` }));
        if (at.length) lane.append(shape("path", { class: "ticks", d, "data-at": at.join(" ") }));
      });
      for (const start of specialsIn(this.rows[j])) {
        for (const { row, left, right } of this.extents(start, endOf(encoding, start, END))) {
          const y = this.lane(row, j) - this.size.tick / 2;
          const size = { width: right - left, height: this.size.tick / 2 };
          lane.append(shape("rect", { class: "special", x: left, y, ...size }));
        }
      }
      lanes.append(lane);
    });
    return lanes;
  }

  drawNames() {
    this.names.replaceChildren(
      ...this.lines.flatMap((_, row) =>
        this.rows.map(({ name, glyph, series }, j) => {
          const label = make("div", "name");
          label.append(seriesMark({ glyph, series }), make("span", "said", name));
          label.title = name;
          label.style.top = `${this.lane(row, j) - this.size.tick / 2}px`;
          return label;
        }),
      ),
    );
  }

  bands(group, start, end, box) {
    group.replaceChildren(
      ...this.extents(start, end).map(({ row, left, right }) =>
        shape("rect", {
          x: left - 1,
          y: this.top(row),
          width: Math.max(2, right - left),
          rx: 3,
          height: box ? this.size.text : this.foot(row) - this.top(row),
        }),
      ),
    );
  }

  // --- what is selected, and what is pointed at ---

  choose(i, show = false) {
    this.brackets?.[this.selected]?.classList.remove("chosen");
    this.selected = i;
    if (show && this.regions[i] && (this.regions[i][0] >= this.to || this.regions[i][1] <= this.from)) {
      this.turnTo(this.regions[i][0]);
    }
    this.chosenBand?.replaceChildren();
    const group = this.brackets?.[i];
    if (!group || !this.stops.length) return;
    group.classList.add("chosen");
    group.parentNode.append(group); // above its neighbours
    const [start, end] = this.regions[i];
    this.bands(this.chosenBand, start, end, false);
    if (!show) return;
    const [place] = this.extents(start, end);
    if (!place) return;
    const { box } = this;
    const top = this.top(place.row);
    const foot = this.foot(place.row);
    if (top < box.scrollTop) box.scrollTop = top;
    else if (foot + 12 > box.scrollTop + box.clientHeight) box.scrollTop = foot + 12 - box.clientHeight;
    if (place.left - this.names.offsetWidth < box.scrollLeft || place.right > box.scrollLeft + box.clientWidth) {
      box.scrollLeft = Math.max(0, place.left - box.clientWidth / 3);
    }
  }

  // Outline these bytes (null: none).
  mark(span) {
    this.lit = span;
    if (!this.litBand) return;
    if (span && this.stops.length) this.bands(this.litBand, span[0], span[1], true);
    else this.litBand.replaceChildren();
  }

  point(at) {
    const key = at && `${at.start} ${at.end}`;
    if (key === this.at) return;
    this.at = key;
    this.mark(at && [at.start, at.end]);
    this.sheet.classList.toggle("on-region", Boolean(at) && this.regionAt(at.start) >= 0);
    this.pointed(at);
  }

  // What the pointer is at: on the ticks of a tokenizer its token; else the bytes between two shared boundaries.
  placeAt(event) {
    const sheet = this.sheet.getBoundingClientRect();
    const x = event.clientX - sheet.left;
    const y = event.clientY - sheet.top;
    const row = Math.floor(y / this.high);
    const line = this.lines?.[row];
    if (!line) return null;
    let hit = null;
    for (let i = line.first; i <= line.last; i++) {
      const stop = this.stops[i];
      if (x < stop.left || x >= stop.right) continue;
      const share = (x - stop.left) / (stop.right - stop.left);
      hit = byteAt(stop, stop.rtl ? 1 - share : share);
      break;
    }
    if (hit === null) return null;
    const j = Math.floor((y - this.under(row) - this.size.bracket) / this.size.lane);
    if (j >= 0 && j < this.rows.length) {
      const { encoding } = this.rows[j];
      const start = startOf(encoding, hit, END);
      return { start, end: endOf(encoding, start, END), row: j, byte: hit };
    }
    const i = placeIn(this.shared, hit + 1) - 1;
    return { start: this.shared[i], end: this.shared[i + 1], row: null, byte: hit };
  }

  regionAt(byte) {
    return this.regions.findIndex(([start, end]) => start <= byte && byte < end);
  }

  over(event) {
    this.point(this.placeAt(event));
  }

  click(event) {
    const at = this.placeAt(event);
    const i = at ? this.regionAt(at.byte) : -1;
    if (i >= 0) this.chosen(i, at.row);
  }
}

// The first bytes of a row's special tokens.
export const specialsIn = ({ encoding }) => [...encoding.whole.keys()].filter((at) => isSpecial(encoding, at));

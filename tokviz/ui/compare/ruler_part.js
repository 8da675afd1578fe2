// A part of the boundary ruler, drawn: below each row of its text a line for each tokenizer with a tick where a token
// starts, what all agree on, and the brackets of the disagreements with their numbers. All of it is SVG behind the text.
//
//   .stretch > svg.marks, .names, .ruled > .row-line > .g

import { make, seriesMark, setAttributes, shape, unspoken } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { isSpecial } from "../tokenview/encoding.js";
import { tokenEnd } from "./boundaries.js";
import { MeasuredText } from "./measured_text.js";

export class RulerPart extends MeasuredText {
  constructor(whole, from, to) {
    super(whole, from, to);
    this.sheet.part_ = this;
    this.marks = this.sheet.appendChild(shape("svg", { class: "marks", "aria-hidden": "true" }));
    this.names = this.sheet.appendChild(unspoken(make("div", "names")));
    this.sheet.append(this.text);
  }

  // It needs this much room until it is drawn.
  reserve(high) {
    this.isDrawn = false;
    this.sheet.style.minHeight = `${high}px`;
  }

  // rows: { name, glyph, series, encoding, cuts }. regions: [start, end] of those that are in this part, at least in part;
  // `first` come before them.
  draw(rows, regions, first, row, width) {
    Object.assign(this, { rows, regions, first, isDrawn: true });
    this.layOut(row, width);
    this.sheet.style.minHeight = "";
    setAttributes(this.marks, { width, height: this.lines.length * row.high });
    this.chosenBand = shape("g", { class: "band" });
    this.litBand = shape("g", { class: "lit" });
    const agreed = this.drawAgreed();
    this.marks.replaceChildren(agreed, this.chosenBand, this.litBand, this.drawLanes(), this.drawBrackets());
    this.drawNames();
  }

  // What is between the regions.
  drawAgreed() {
    const agreed = shape("g", { class: "agreed" });
    if (this.rows.length < 2) return agreed;
    const { from, to } = this;
    const ends = [[from, from], ...this.regions, [to, to]];
    for (let i = 1; i < ends.length; i++) {
      const [start, end] = [ends[i - 1][1], ends[i][0]];
      if (start >= end) continue;
      for (const { row, left, right } of this.extents(Math.max(start, from), Math.min(end, to))) {
        const size = { width: Math.max(0, right - left), height: this.foot(row) - this.top(row) };
        agreed.append(shape("rect", { x: left, y: this.top(row), ...size }));
      }
    }
    return agreed;
  }

  // A bracket below each region, with its number, if that has room beside the one before.
  drawBrackets() {
    const brackets = shape("g", { class: "brackets" });
    const free = []; // by row: the x from which there is room
    this.brackets = this.regions.map(([start, end], i) => {
      const group = shape("g", { class: "bracket", "data-region": this.first + i + 1 });
      const spans = this.extents(start, end);
      spans.forEach(({ row, left, right }, part) => {
        const y = this.under(row) + 6;
        const a = left + 1.5;
        const b = Math.max(right - 3.5, a + 1);
        const isLast = part === spans.length - 1;
        group.append(shape("path", { d: `M${a} ${part ? y : y - 5}V${y}H${b}${isLast ? `V${y - 5}` : ""}` }));
      });
      brackets.append(group);
      if (!spans.length) return group;
      const { row, left, right } = spans.reduce((a, b) => (b.right - b.left > a.right - a.left ? b : a));
      const label = figure(this.first + i + 1);
      const half = Math.max(9, 4.2 * label.length + 5);
      const y = this.under(row) + 6;
      const line = this.lines[row];
      const middle = Math.max(line.left + half, Math.min(line.right - half, (left + right - 2) / 2));
      const pill = shape("g", { class: middle - half < (free[row] ?? 0) ? "number crowded" : "number" });
      if (middle - half >= (free[row] ?? 0)) free[row] = middle + half;
      pill.append(shape("rect", { x: middle - half, y: y - 9, width: 2 * half, height: 18, rx: 9 }));
      pill.append(shape("text", { x: middle, y: y + 4.5 }, label));
      group.append(pill);
      return group;
    });
    return brackets;
  }

  drawLanes() {
    const lanes = shape("g", { class: "lanes" });
    this.rows.forEach(({ encoding, cuts, series, name }, j) => {
      const lane = shape("g", { class: "lane", "data-name": name, style: `--k:var(--k-${series})` });
      this.lines.forEach(({ left, right, first, last }, row) => {
        const y = this.lane(row, j);
        const at = [];
        let d = "";
        let stop = first;
        for (let i = this.stops[first].start; i < this.stops[last].end; i++) {
          if (!cuts[i]) continue;
          while (stop < last && this.stops[stop].end <= i) stop++;
          at.push(i);
          const x = this.x(this.stops[stop], i) + (this.stops[stop].rtl ? -1 : 1);
          d += `M${x.toFixed(1)} ${y}v${-this.row.tick}`;
        }
        lane.append(shape("path", { class: "base", d: `M${left} ${y}H${right}` }));
        if (at.length) lane.append(shape("path", { class: "ticks", d, "data-at": at.join(" ") }));
      });
      for (const start of encoding.typed ? [] : encoding.whole.keys()) {
        if (start < this.from || start >= this.to || !isSpecial(encoding, start)) continue;
        for (const { row, left, right } of this.extents(start, tokenEnd(cuts, start))) {
          const size = { width: right - left, height: this.row.tick / 2 };
          lane.append(shape("rect", { class: "special", x: left, y: this.lane(row, j) - this.row.tick / 2, ...size }));
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
          label.style.top = `${this.lane(row, j) - this.row.tick / 2}px`;
          return label;
        }),
      ),
    );
  }

  bands(group, span, isBox) {
    if (!this.isDrawn) return;
    group.replaceChildren(
      ...(span ? this.extents(...span) : []).map(({ row, left, right }) =>
        shape("rect", {
          x: left - 1,
          y: this.top(row),
          width: Math.max(2, right - left),
          rx: 3,
          height: isBox ? this.row.text : this.foot(row) - this.top(row),
        }),
      ),
    );
  }

  // The chosen region is this one of the text: [number, start, end]; null if none is.
  choose(chosen) {
    if (!this.isDrawn) return;
    this.marks.querySelector(".chosen")?.classList.remove("chosen");
    this.bands(this.chosenBand, chosen?.slice(1));
    const group = chosen && this.brackets[chosen[0] - this.first];
    group?.classList.add("chosen");
    group?.parentNode.append(group); // above its neighbours
  }

  // What the pointer is at: { byte, lane }; lane is the number of a tokenizer if it is on its ticks, else null.
  placeAt({ clientX, clientY }) {
    const sheet = this.sheet.getBoundingClientRect();
    const y = clientY - sheet.top;
    const row = Math.floor(y / this.row.high);
    const byte = this.byteAt(row, clientX - sheet.left);
    if (byte === null) return null;
    const j = Math.floor((y - this.under(row) - this.row.bracket) / this.row.lane);
    return { byte, lane: j >= 0 && j < this.rows.length ? j : null };
  }
}

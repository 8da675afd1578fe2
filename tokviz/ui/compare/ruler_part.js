// A part of the boundary ruler, drawn: below each row of its text a line for each tokenizer with a tick where a token
// starts, what all agree on, and the brackets of the disagreements with their numbers. All of it is SVG behind the text.
//
//   .stretch > svg.marks, .names, .ruled > .row-line > .g

import { make, seriesMark, setAttributes, shape, unspoken } from "../kit/elements.js";
import { html, render, svg } from "../kit/html.js";
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
    const free = []; // by row: the x from which there is room for a number
    this.brackets = regions.map((region, i) => this.bracket(region, first + i + 1, free));
    this.agreed = rows.length > 1 ? this.agreedBoxes() : [];
    this.lanes = rows.map((of, j) => this.lane(of, j));
    this.drawNames();
    this.mark({});
  }

  // chosen: [number, start, end] of the region that is chosen, null if none is. lit: the bytes that are outlined, or null.
  mark({ chosen = this.chosen, lit = this.lit }) {
    Object.assign(this, { chosen, lit });
    if (!this.isDrawn) return;
    const at = chosen ? chosen[0] - this.first : -1;
    const brackets = this.brackets.map((of, i) => svg`<g class=${i === at ? "bracket chosen" : "bracket"}>${of}</g>`);
    const band = chosen ? this.boxes(chosen[1], chosen[2], { wider: 1 }) : [];
    const box = lit ? this.boxes(...lit, { wider: 1, high: this.row.text }) : [];
    render(
      svg`<g class="agreed">${this.agreed}</g><g class="band">${band}</g><g class="lit">${box}</g>${this.lanes}
        <g class="brackets">${brackets.filter((_, i) => i !== at)}${brackets[at]}</g>`, // the chosen one above its neighbours
      this.marks,
    );
  }

  // The bytes from start to end as a box in each row that they cover, so much wider at the left.
  boxes(start, end, { wider = 0, high = this.foot(0) - this.top(0) } = {}) {
    return this.extents(start, end).map(
      ({
        row,
        left,
        right,
      }) => svg`<rect x=${left - wider} y=${this.top(row)} width=${Math.max(2 * wider, right - left)}
        height=${high} rx=${3 * wider}></rect>`,
    );
  }

  // What is between the regions.
  agreedBoxes() {
    const { from, to } = this;
    const ends = [[from, from], ...this.regions, [to, to]];
    return ends.slice(1).flatMap(([next], i) => {
      const [start, end] = [Math.max(ends[i][1], from), Math.min(next, to)];
      return start < end ? this.boxes(start, end) : [];
    });
  }

  // A bracket below a region, with its number, if that has room beside the one before. free: by row, the x from which
  // there is room.
  bracket([start, end], number, free) {
    const spans = this.extents(start, end);
    if (!spans.length) return [];
    const lines = spans.map(({ row, left, right }, part) => {
      const y = this.under(row) + 6;
      const a = left + 1.5;
      const b = Math.max(right - 3.5, a + 1);
      const isLast = part === spans.length - 1;
      return svg`<path d=${`M${a} ${part ? y : y - 5}V${y}H${b}${isLast ? `V${y - 5}` : ""}`}></path>`;
    });
    const { row, left, right } = spans.reduce((a, b) => (b.right - b.left > a.right - a.left ? b : a));
    const label = figure(number);
    const half = Math.max(9, 4.2 * label.length + 5);
    const y = this.under(row) + 6;
    const line = this.lines[row];
    const middle = Math.max(line.left + half, Math.min(line.right - half, (left + right - 2) / 2));
    const isCrowded = middle - half < (free[row] ?? 0);
    if (!isCrowded) free[row] = middle + half;
    return svg`${lines}<g class=${isCrowded ? "number crowded" : "number"}><rect x=${middle - half} y=${y - 9}
      width=${2 * half} height="18" rx="9"></rect><text x=${middle} y=${y + 4.5}>${label}</text></g>`;
  }

  // The line of a tokenizer below each row, with its ticks, and its special tokens.
  lane({ encoding, cuts, series, name }, j) {
    const { tick } = this.row;
    const lines = this.lines.map(({ left, right, first, last }, row) => {
      const y = this.laneY(row, j);
      const at = [];
      let d = "";
      let stop = first;
      for (let i = this.stops[first].start; i < this.stops[last].end; i++) {
        if (!cuts[i]) continue;
        while (stop < last && this.stops[stop].end <= i) stop++;
        at.push(i);
        const x = this.x(this.stops[stop], i) + (this.stops[stop].rtl ? -1 : 1);
        d += `M${x.toFixed(1)} ${y}v${-tick}`;
      }
      const ticks = at.length > 0 && svg`<path class="ticks" d=${d} data-at=${at.join(" ")}></path>`;
      return svg`<path class="base" d="M${left} ${y}H${right}"></path>${ticks}`;
    });
    const isHere = (start) => start >= this.from && start < this.to && isSpecial(encoding, start);
    const specials = encoding.typed ? [] : [...encoding.whole.keys()].filter(isHere);
    const boxes = specials.flatMap((start) =>
      this.extents(start, tokenEnd(cuts, start)).map(
        ({ row, left, right }) => svg`<rect class="special" x=${left} y=${this.laneY(row, j) - tick / 2}
          width=${right - left} height=${tick / 2}></rect>`,
      ),
    );
    return svg`<g class="lane" data-name=${name} style="--k:var(--k-${series})">${lines}${boxes}</g>`;
  }

  drawNames() {
    const nameOf = (row, { name, glyph, series }, j) => html`<div class="name" title=${name}
      style="top:${this.laneY(row, j) - this.row.tick / 2}px">${seriesMark({ glyph, series })}<span class="said">${name}</span></div>`;
    render(
      this.lines.flatMap((_, row) => this.rows.map((of, j) => nameOf(row, of, j))),
      this.names,
    );
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

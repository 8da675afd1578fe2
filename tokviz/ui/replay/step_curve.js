// A curve over the steps of a training, with a line at the current step. A click or a drag goes to a step.
//
// It draws into an SVG element, which the owner makes: a slider for screen readers and keys, if it has the focus.

import { setAttributes, shape } from "../kit/elements.js";
import { figure, percent, quantity } from "../kit/words.js";

const LOG_FROM = 500; // merges above which the steps stand on a log scale
const SHORT = new Intl.NumberFormat("en", { notation: "compact" }); // for numbers too wide for the margin
const LABEL = 176; // units that the words at the current step may need

// About four round numbers from 0 to `most`.
export function ticksTo(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((step) => most / step <= 4) || power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

const powersTo = (most) => [0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000].filter((value) => value <= most);

export class StepCurve {
  // size: width, height, and the margins left, right, top and bottom, in units of the drawing. ticks(most): the numbers
  // that stand beside it. go(k): the reader chose step k.
  constructor(svg, size, ticks, go) {
    Object.assign(this, { svg, size, ticks });
    const goTo = (event) => {
      const box = svg.getBoundingClientRect();
      if (this.values) go(this.stepAt(((event.clientX - box.left) * size.width) / box.width));
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      this.held = true;
      goTo(event);
    });
    svg.addEventListener("pointermove", (event) => this.held && goTo(event));
    for (const end of ["pointerup", "pointercancel"])
      svg.addEventListener(end, () => {
        this.held = false;
      });
  }

  // values: one for each step from 0 to the last, falling or rising. words(k): the words at step k. steep:
  // whether they are on a log scale too.
  load(values, words, steep = false) {
    Object.assign(this, { values, words, steep, last: values.length - 1 });
    this.falls = values[0] >= values[this.last];
    this.log = this.last > LOG_FROM;
    this.svg.setAttribute("aria-valuemax", this.last);
  }

  // --- scales ---

  x(k) {
    const { width, left, right } = this.size;
    const share = this.log ? Math.log1p(k) / Math.log1p(this.last) : k / (this.last || 1);
    return left + share * (width - left - right);
  }

  y(value) {
    const { height, top, bottom } = this.size;
    const share = this.steep ? Math.log1p(value) / Math.log1p(this.most) : value / (this.most || 1);
    return height - bottom - share * (height - top - bottom);
  }

  stepAt(x) {
    const { width, left, right } = this.size;
    const share = Math.max(0, Math.min(1, (x - left) / (width - left - right)));
    return Math.round(this.log ? Math.expm1(share * Math.log1p(this.last)) : share * this.last);
  }

  // --- drawing ---

  // Draw the whole curve, at step k.
  drawAll(k) {
    const { svg, last, values } = this;
    const { width, height, left, right, top, bottom } = this.size;
    const drawn = (...part) => svg.appendChild(shape(...part));
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.most = values.reduce((a, b) => Math.max(a, b));
    for (const value of this.steep ? powersTo(this.most) : this.ticks(this.most)) {
      const y = this.y(value);
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y });
      const words = this.most < 1e6 ? figure(value) : SHORT.format(value);
      drawn("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, words);
    }
    const steps = this.log ? powersTo(last) : this.ticks(last).filter((k) => k <= last && Number.isInteger(k));
    for (const k of steps) {
      const anchor = this.x(k) > width - 24 ? "end" : "middle";
      drawn("text", { x: this.x(k), y: height - 6, "text-anchor": anchor }, figure(k));
    }
    const points = [];
    for (let k = 0, drawnAt = -1; k <= last; k++) {
      // a point for each half pixel is all an eye can use
      const x = this.x(k);
      if (x - drawnAt < 0.5 && k < last) continue;
      points.push(`${x.toFixed(1)},${this.y(values[k]).toFixed(1)}`);
      drawnAt = x;
    }
    drawn("polyline", { class: "way", points: points.join(" ") });
    this.rule = drawn("line", { class: "rule", y1: top, y2: height - bottom });
    this.dot = drawn("circle", { class: "dot", r: 4.5 });
    this.label = drawn("text", { class: "now" });
    this.draw(k);
  }

  draw(k) {
    if (!this.rule || k > this.last) return;
    const { width, height, bottom } = this.size;
    const x = this.x(k);
    const y = this.y(this.values[k]);
    setAttributes(this.rule, { x1: x, x2: x });
    setAttributes(this.dot, { cx: x, cy: y });
    const words = this.words(k);
    this.label.textContent = words;
    const right = x + LABEL < width;
    this.label.setAttribute("x", x + (right ? 9 : -9));
    // The label goes where the curve is not.
    const above = right === this.falls;
    this.label.setAttribute("y", Math.max(12, Math.min(y + (above ? -9 : 20), height - bottom - 6)));
    this.label.setAttribute("text-anchor", right ? "start" : "end");
    setAttributes(this.svg, { "aria-valuenow": k, "aria-valuetext": `${figure(k)} merges done, ${words}` });
  }
}

// The finding of the curve of tokens at each step, in a sentence: how many merges halve them, and what the others do.
export function findingOf(tokens) {
  const last = tokens.length - 1;
  const share = (number) => percent(number / tokens[0]);
  const half = tokens.findIndex((number) => 2 * number <= tokens[0]);
  const merges = (number) => quantity(number, "merge");
  if (half < 1)
    return `${merges(last)} ${last === 1 ? "removes" : "remove"} ${share(tokens[0] - tokens[last])} of the tokens`;
  const halving = half === 1 ? "merge halves the tokens" : `${merges(half)} halve the tokens`;
  if (half === last) return half === 1 ? `The only ${halving}` : halving;
  const others = last - half === 1 ? "other one removes" : `other ${figure(last - half)} remove`;
  return `The first ${halving}; the ${others} ${share(tokens[half] - tokens[last])} more`;
}

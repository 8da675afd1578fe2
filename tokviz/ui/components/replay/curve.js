// Replay: the curve. Tokens left, or bytes per token, at each step, with a line at the current step. A click goes
// there.

import { shape } from "../elements.js";
import { figure, percent, quantity, rate } from "../words.js";

const CURVE = { width: 440, height: 190, left: 52, right: 8, top: 24, bottom: 24 };
const LOG_FROM = 500; // merges above which the steps stand on a log scale
const SHORT = new Intl.NumberFormat("en", { notation: "compact" }); // for numbers too wide for the margin

// About four round numbers from 0 to `most`.
function ticksTo(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((step) => most / step <= 4) || power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

export class Curve {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".curve-box");
    this.title = this.box.querySelector("h2");
    this.caption = this.box.querySelector(".caption");
    this.svg = this.box.querySelector("svg");
    this.kind = "tokens";
    stage.player.choice(
      this.box.querySelector(".kinds"),
      [
        ["tokens", "Tokens left"],
        ["rate", "Bytes per token"],
      ],
      this.kind,
      (kind) => {
        this.kind = kind;
        this.drawAll();
      },
    );
    const goTo = (event) => {
      const box = this.svg.getBoundingClientRect();
      stage.go(this.stepAt(((event.clientX - box.left) * CURVE.width) / box.width));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.held = true;
      goTo(event);
    });
    this.svg.addEventListener("pointermove", (event) => this.held && goTo(event));
    for (const end of ["pointerup", "pointercancel"])
      this.svg.addEventListener(end, () => {
        this.held = false;
      });
  }

  load(merges, bytes) {
    Object.assign(this, { tokens: merges.tokens, last: merges.length, bytes, where: merges.rank ? "text" : "corpus" });
    this.box.querySelector(".choice").hidden = bytes === null;
    if (bytes === null) this.kind = "tokens";
    this.log = this.last > LOG_FROM;
    this.title.textContent = this.finding();
    this.svg.setAttribute("aria-valuemax", this.last);
    this.drawAll();
  }

  // The finding of the curve, in a sentence: how many merges halve the tokens, and what the others do.
  finding() {
    const { tokens, last } = this;
    const share = (number) => percent(number / tokens[0]);
    const half = tokens.findIndex((number) => 2 * number <= tokens[0]);
    const merges = (number) => quantity(number, "merge");
    if (half < 1)
      return `${merges(last)} ${last === 1 ? "removes" : "remove"} ${share(tokens[0] - tokens[last])} of the tokens`;
    if (half === last) return `${merges(last)} halve the tokens`;
    return (
      `The first ${merges(half)} halve the tokens; the other ${figure(last - half)} remove ` +
      `${share(tokens[half] - tokens[last])} more`
    );
  }

  value(k) {
    return this.kind === "tokens" ? this.tokens[k] : this.tokens[k] ? this.bytes / this.tokens[k] : 0;
  }

  // --- scales ---

  x(k) {
    const share = this.log ? Math.log1p(k) / Math.log1p(this.last) : k / this.last;
    return CURVE.left + share * (CURVE.width - CURVE.left - CURVE.right);
  }

  y(value) {
    return CURVE.height - CURVE.bottom - (value / this.most) * (CURVE.height - CURVE.top - CURVE.bottom);
  }

  stepAt(x) {
    const share = Math.max(0, Math.min(1, (x - CURVE.left) / (CURVE.width - CURVE.left - CURVE.right)));
    return Math.round(this.log ? Math.expm1(share * Math.log1p(this.last)) : share * this.last);
  }

  // --- drawing ---

  drawAll() {
    const { svg, last } = this;
    const drawn = (...part) => svg.appendChild(shape(...part));
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${CURVE.width} ${CURVE.height}`);
    this.most = Math.max(this.value(0), this.value(last));
    for (const value of ticksTo(this.most)) {
      drawn("line", {
        class: "grid",
        x1: CURVE.left,
        x2: CURVE.width - CURVE.right,
        y1: this.y(value),
        y2: this.y(value),
      });
      drawn(
        "text",
        { x: CURVE.left - 8, y: this.y(value) + 4, "text-anchor": "end" },
        this.most < 1e6 ? figure(value) : SHORT.format(value),
      );
    }
    const steps = this.log
      ? [0, 1, 10, 100, 1000, 10_000, 100_000].filter((k) => k <= last)
      : ticksTo(last).filter((k) => k <= last && Number.isInteger(k));
    for (const k of steps) {
      const anchor = this.x(k) > CURVE.width - 24 ? "end" : "middle";
      drawn("text", { x: this.x(k), y: CURVE.height - 6, "text-anchor": anchor }, figure(k));
    }
    const points = [];
    for (let k = 0, drawnAt = -1; k <= last; k++) {
      // a point for each half pixel is all an eye can use
      const x = this.x(k);
      if (x - drawnAt < 0.5 && k < last) continue;
      points.push(`${x.toFixed(1)},${this.y(this.value(k)).toFixed(1)}`);
      drawnAt = x;
    }
    drawn("polyline", { class: "way", points: points.join(" ") });
    this.rule = drawn("line", { class: "rule", y1: CURVE.top, y2: CURVE.height - CURVE.bottom });
    this.dot = drawn("circle", { class: "dot", r: 4.5 });
    this.label = drawn("text", { class: "now" });
    const what = this.kind === "tokens" ? `Tokens in the ${this.where}` : `Bytes of the ${this.where} per token`;
    this.caption.textContent =
      `${what}, by merges done${this.log ? ", log scale" : ""}. The line marks the step shown; ` +
      "the ledger has the values.";
    this.draw(this.stage.k);
  }

  draw(k) {
    if (!this.rule || k > this.last) return;
    const x = this.x(k);
    const y = this.y(this.value(k));
    this.rule.setAttribute("x1", x);
    this.rule.setAttribute("x2", x);
    this.dot.setAttribute("cx", x);
    this.dot.setAttribute("cy", y);
    const words =
      this.kind === "tokens" ? `${figure(this.tokens[k])} tokens now` : `${rate(this.value(k))} bytes per token now`;
    this.label.textContent = words;
    const right = x < CURVE.width * 0.6;
    this.label.setAttribute("x", x + (right ? 9 : -9));
    // Tokens fall and the rate rises; the label goes where the line is not.
    const above = right === (this.kind === "tokens");
    this.label.setAttribute("y", Math.max(12, Math.min(y + (above ? -9 : 20), CURVE.height - CURVE.bottom - 6)));
    this.label.setAttribute("text-anchor", right ? "start" : "end");
    this.svg.setAttribute("aria-valuenow", k);
    this.svg.setAttribute("aria-valuetext", `${figure(k)} merges done, ${words}`);
  }
}

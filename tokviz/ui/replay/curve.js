// Replay: the curve. Tokens left, or bytes per token, at each step.

import { choice } from "../kit/choices.js";
import { shape } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { findingOf, StepCurve, ticksTo } from "../kit/step_curve.js";
import { quantity, rate } from "../kit/words.js";

const KINDS = { tokens: "Tokens left", rate: "Bytes per token" };
const SIZE = { width: 900, height: 220, left: 52, right: 8, top: 24, bottom: 24 };
const SAID = {
  class: "curve",
  tabindex: 0,
  role: "slider",
  "aria-label": "Merges done, on the curve",
  "aria-valuemin": 0,
};

export class Curve {
  constructor(stage) {
    this.stage = stage;
    this.kind = "tokens";
    this.svg = shape("svg", { ...SAID, preserveAspectRatio: "none" });
    this.line = new StepCurve(this.svg, SIZE, ticksTo, (k) => stage.go(k));
  }

  load({ n_bytes }) {
    this.bytes = n_bytes;
    if (n_bytes === null) this.kind = "tokens";
    this.isDrawn = false;
  }

  // Charts come below it where there is a record of a training, and a server.
  get isAlone() {
    const { data } = this.stage;
    return !data.live || data.others;
  }

  draw(k) {
    if (!this.stage.folds.curve || !this.stage.last) return;
    if (this.isDrawn) return this.line.draw(k);
    this.isDrawn = true;
    const { bytes, line } = this;
    const { tokens } = this.stage.merges;
    if (this.kind === "tokens") line.load(tokens, (k) => `${quantity(tokens[k], "token")} now`);
    else
      line.load(
        tokens.map((number) => (number ? bytes / number : 0)),
        (k) => `${rate(line.values[k])} bytes per token now`,
      );
    line.drawAll(k);
  }

  template() {
    const { kind, bytes, stage } = this;
    const where = stage.merges.rank ? "text" : "corpus";
    const what = kind === "tokens" ? `Tokens in the ${where}` : `Bytes of the ${where} per token`;
    const choose = (kind) => {
      Object.assign(this, { kind, isDrawn: false });
      stage.draw();
    };
    return html`<div class="flow ends"><h2>${findingOf(stage.merges.tokens)}</h2>${
      bytes !== null && choice({ label: "What the curve shows", options: KINDS, value: kind, choose })
    }</div>${this.svg}
      <p class="caption quiet">${what}, by merges done${stage.last > 500 && ", log scale"}. The line marks the step shown; the list of merges has the values.</p>`;
  }
}

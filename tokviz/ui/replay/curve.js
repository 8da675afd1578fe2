// Replay: the curve. Tokens left, or bytes per token, at each step.

import { findingOf, StepCurve, ticksTo } from "../kit/step_curve.js";
import { figure, rate } from "../kit/words.js";
import { drawChoice } from "./player.js";

const KINDS = { tokens: "Tokens left", rate: "Bytes per token" };
const SIZE = { width: 440, height: 190, left: 52, right: 8, top: 24, bottom: 24 };

export class Curve {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".curve-box");
    this.title = this.box.querySelector("h2");
    this.caption = this.box.querySelector(".caption");
    this.line = new StepCurve(this.box.querySelector("svg"), SIZE, ticksTo, (k) => stage.go(k));
    this.kind = "tokens";
    drawChoice(this.box.querySelector(".kinds"), Object.entries(KINDS), this.kind, (kind) => {
      this.kind = kind;
      this.drawAll();
    });
  }

  load(merges, bytes) {
    Object.assign(this, { tokens: merges.tokens, bytes, where: merges.rank ? "text" : "corpus" });
    this.box.querySelector(".choice").hidden = bytes === null;
    if (bytes === null) this.kind = "tokens";
    this.title.textContent = findingOf(this.tokens);
    this.drawAll();
  }

  drawAll() {
    const { tokens, bytes, line } = this;
    const rates = () => tokens.map((number) => (number ? bytes / number : 0));
    if (this.kind === "tokens") line.load(tokens, (k) => `${figure(tokens[k])} tokens now`);
    else line.load(rates(), (k) => `${rate(line.values[k])} bytes per token now`);
    const what = this.kind === "tokens" ? `Tokens in the ${this.where}` : `Bytes of the ${this.where} per token`;
    this.caption.textContent =
      `${what}, by merges done${line.log ? ", log scale" : ""}. The line marks the step shown; ` +
      "the ledger has the values.";
    line.drawAll(this.stage.k);
  }

  draw(k) {
    this.line.draw(k);
  }
}

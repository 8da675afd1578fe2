// Replay: the curves over the steps, and how long the new tokens are.

import { drawer } from "../kit/blocks.js";
import { select } from "../kit/choices.js";
import { shape } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { figure, quantity, rate, times } from "../kit/words.js";
import { findingOf, StepCurve, ticksTo } from "./step_curve.js";

const KINDS = { tokens: "Tokens left", rate: "Bytes per token", counts: "Pair counts", lengths: "Token lengths" };
const LONGEST = 20; // bytes of the longest tokens with a bar of their own; longer ones share the last
const SIZE = { width: 900, height: 220, left: 52, right: 8, top: 24, bottom: 24 };
const SAID = {
  class: "curve",
  tabindex: 0,
  role: "slider",
  "aria-label": "Merges done, on the curve",
  "aria-valuemin": 0,
};
const draw = drawer();

export class Curve {
  constructor(stage) {
    this.stage = stage;
    this.kind = "tokens";
    this.svg = shape("svg", { ...SAID, preserveAspectRatio: "none" });
    this.line = new StepCurve(this.svg, SIZE, ticksTo, (k) => stage.go(k));
  }

  load({ n_bytes }) {
    this.bytes = n_bytes;
    if (!this.kinds.includes(this.kind)) this.kind = "tokens";
    Object.assign(this, { isDrawn: false, lengths: null });
  }

  // Of a merge list, the merges of most parts of its tokens are not here.
  get kinds() {
    const here = { rate: this.bytes !== null, lengths: this.stage.merges.rank === null };
    return Object.keys(KINDS).filter((kind) => here[kind] ?? true);
  }

  draw(k) {
    if (!this.stage.folds.curve || !this.stage.last) return;
    if (this.isDrawn) return this.line.draw(k);
    this.isDrawn = true;
    const { bytes, line } = this;
    const { tokens, count } = this.stage.merges;
    if (this.kind === "rate")
      line.load(
        tokens.map((number) => (number ? bytes / number : 0)),
        (k) => `${rate(line.values[k])} bytes per token now`,
      );
    else if (this.kind === "counts")
      line.load([count[0], ...count], (k) => (k ? `this pair occurred ${times(line.values[k])}` : ""), true);
    else line.load(tokens, (k) => `${quantity(tokens[k], "token")} now`);
    line.drawAll(k);
  }

  template() {
    const { kind, stage } = this;
    const { merges, last } = stage;
    const choose = (kind) => {
      Object.assign(this, { kind, isDrawn: false });
      stage.draw();
    };
    const options = this.kinds.map((kind) => [kind, KINDS[kind]]);
    const head = (finding) =>
      html`<div class="flow ends"><h2>${finding}</h2>${select({
        label: "What is shown",
        options,
        value: kind,
        choose,
      })}</div>`;
    if (kind === "lengths") {
      this.lengths ??= lengthsOf(merges);
      return html`${head(lengthsFound(this.lengths))}<div class="blocks">${draw([lengthTable(this.lengths)], {})}</div>`;
    }
    const where = merges.rank ? "text" : "corpus";
    const what = {
      tokens: `Tokens in the ${where}`,
      rate: `Bytes of the ${where} per token`,
      counts: `How often each pair occurred in the ${where} when it merged, log scale`,
    }[kind];
    const finding = kind === "counts" ? countsFound(merges.count) : findingOf(merges.tokens);
    return html`${head(finding)}${this.svg}
      <p class="caption quiet">${what}, by merges done${last > 500 && ", log scale"}. The line marks the step shown; the list of merges has the values.</p>`;
  }
}

// How many bytes the token of each merge has.
function lengthsOf({ left, right, id, length }) {
  const lengths = new Map();
  const lengthOf = (id) => lengths.get(id) ?? 1;
  for (let k = 0; k < length; k++) lengths.set(id[k], lengthOf(left[k]) + lengthOf(right[k]));
  return [...lengths.values()];
}

// [length, how many tokens have it], the shortest first.
function oftenOf(lengths) {
  const often = new Map();
  for (const n of lengths) often.set(n, (often.get(n) ?? 0) + 1);
  return [...often].sort(([a], [b]) => a - b);
}

function lengthTable(lengths) {
  const often = oftenOf(lengths.map((n) => Math.min(n, LONGEST + 1)));
  const most = Math.max(...often.map(([, many]) => many));
  const rows = often.map(([n, many]) => [
    n > LONGEST ? `more than ${LONGEST}` : n,
    { kind: "bar", share: many / most, text: many },
  ]);
  return { kind: "table", titles: ["Bytes", "New tokens"], rows, label: "New tokens by length", marked: [], wide: [] };
}

function countsFound(counts) {
  const [first, last] = [counts[0], counts.at(-1)].map(times);
  return counts.every((count) => count === counts[0])
    ? `Each pair occurred ${first} when it merged`
    : `The first pair occurred ${first} when it merged, the last ${last}`;
}

function lengthsFound(lengths) {
  const often = oftenOf(lengths);
  const [shortest, longest] = [often[0][0], often.at(-1)[0]];
  if (shortest === longest) return `Every new token is ${quantity(shortest, "byte")} long`;
  const most = Math.max(...often.map(([, many]) => many));
  const common = often.filter(([, many]) => many === most);
  const alone = common.length === 1 ? `, most often ${common[0][0]}` : "";
  return `New tokens are ${shortest} to ${figure(longest)} bytes long${alone}`;
}

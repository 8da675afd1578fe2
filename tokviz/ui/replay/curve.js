// Replay: the curves over the steps, and how long the new tokens are.
//
// A curve lies behind a slider whose thumb is the line at the step in view, so a press or a drag goes to a step. What a
// curve shows is computed once; a step moves only the thumb, the dot and the words.

import { drawer } from "../kit/blocks.js";
import { select } from "../kit/choices.js";
import { html, live } from "../kit/html.js";
import { figure, percent, quantity, rate, times } from "../kit/words.js";

const KINDS = { tokens: "Tokens left", rate: "Bytes per token", counts: "Pair counts", lengths: "Token lengths" };
const LOG_FROM = 500; // merges above which the steps are on a log scale
const CLOSEST = 0.5; // of a thousandth of the width: more points no eye can use
const LONGEST = 20; // bytes of the longest tokens with a bar of their own; longer ones share the last
const SHORT = new Intl.NumberFormat("en", { notation: "compact" }); // for numbers too wide for the margin
const POWERS = [0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
const draw = drawer();

export class Curve {
  constructor(stage) {
    this.stage = stage;
  }

  load() {
    this.choose("tokens");
  }

  choose(kind) {
    Object.assign(this, { kind, shown: null });
  }

  template() {
    const { stage, kind } = this;
    const { merges, data } = stage;
    this.shown ??= { tokens: tokensOf, rate: rateOf, counts: countsOf, lengths: lengthsOf }[kind](stage);
    const choose = (kind) => {
      this.choose(kind);
      stage.draw();
    };
    // Of a merge list, the merges of most parts of its tokens are not here.
    const here = { rate: data.n_bytes !== null, lengths: merges.rank === null };
    const options = Object.entries(KINDS).filter(([kind]) => here[kind] ?? true);
    const { finding, inside } = this.shown;
    return html`<div class="flow ends"><h2>${finding}</h2>${select({
      label: "What is shown",
      options,
      value: kind,
      choose,
    })}</div>${inside(stage)}`;
  }
}

const placeOf = ({ rank }) => (rank ? "text" : "corpus");

function tokensOf({ merges }) {
  const { tokens } = merges;
  const words = (k) => `${quantity(tokens[k], "token")} now`;
  return { finding: findingOf(tokens), inside: curveOf(tokens, words, `Tokens in the ${placeOf(merges)}`) };
}

function rateOf({ merges, data }) {
  const values = merges.tokens.map((number) => (number ? data.n_bytes / number : 0));
  const words = (k) => `${rate(values[k])} bytes per token now`;
  return {
    finding: findingOf(merges.tokens),
    inside: curveOf(values, words, `Bytes of the ${placeOf(merges)} per token`),
  };
}

// The count of each pair when it merged, on a log scale.
function countsOf({ merges }) {
  const { count } = merges;
  const [first, last] = [count[0], count.at(-1)].map(times);
  const finding = `The first pair occurred ${first} when it merged, the last ${last}`;
  const words = (k) => (k ? `this pair occurred ${times(count[k - 1])}` : "no pair yet");
  const what = `How often each pair occurred in the ${placeOf(merges)} when it merged, log scale`;
  return { finding, inside: curveOf([count[0], ...count], words, what, true) };
}

// The curve of a value at each step from 0 to the last. words(k): it in words. isSteep: on a log scale.
function curveOf(values, words, what, isSteep = false) {
  const last = values.length - 1;
  const most = values.reduce((a, b) => Math.max(a, b));
  const isLog = last > LOG_FROM;
  const share = (value, of, isLog) => 1000 * (isLog ? Math.log1p(value) / Math.log1p(of) : value / (of || 1));
  const x = (k) => share(k, last, isLog);
  const y = (value) => share(value, most, isSteep);
  const stepAt = (x) => Math.round(isLog ? Math.expm1((x / 1000) * Math.log1p(last)) : (x / 1000) * last);
  const points = [];
  for (let k = 0, drawn = -1; k <= last; k++) {
    if (x(k) - drawn < CLOSEST && k < last) continue;
    drawn = x(k);
    points.push(`${drawn.toFixed(1)},${(1000 - y(values[k])).toFixed(1)}`);
  }
  const line = points.join(" ");
  const said = (k) => `${quantity(k, "merge")} done, ${words(k)}`;
  const marks = (isSteep ? powersTo(most) : ticksTo(most)).map(
    (value) =>
      html`<div class="across" style="bottom: ${y(value) / 10}%"><span>${most < 1e6 ? figure(value) : SHORT.format(value)}</span></div>`,
  );
  const steps = (isLog ? powersTo(last) : ticksTo(last).filter(Number.isInteger)).map(
    (k) => html`<span style="left: ${x(k) / 10}%">${figure(k)}</span>`,
  );
  return (stage, k = stage.k) => html`<p class="small"><b>${said(k)}</b></p>
    <div class="curve"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true"><polyline points=${line}></polyline></svg>
      <div class="plot" aria-hidden="true">${marks}<i class="dot" style="left: ${x(k) / 10}%; bottom: ${y(values[k]) / 10}%"></i></div>
      <input type="range" min="0" max="1000" step="any" aria-label="Merges done, on the curve"
        aria-valuetext=${said(k)} .value=${live(String(x(k)))}
        @input=${({ target }) => stage.go(stepAt(Number(target.value)))}>
      <div class="below" aria-hidden="true">${steps}</div></div>
    <p class="caption quiet">${what}, by merges done${isLog && ", log scale"}. The line marks the step shown; the list of merges has the values.</p>`;
}

// About four round numbers from 0 to `most`.
function ticksTo(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((step) => most / step <= 4) || power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

const powersTo = (most) => POWERS.filter((value) => value <= most);

// How many merges halve the tokens, and what all of them do. tokens: at each step.
function findingOf(tokens) {
  const last = tokens.length - 1;
  const half = tokens.findIndex((number) => 2 * number <= tokens[0]);
  const share = percent((tokens[0] - tokens[last]) / tokens[0]);
  if (half < 1) return `${quantity(last, "merge")} ${last === 1 ? "removes" : "remove"} ${share} of the tokens`;
  const first = half === 1 ? "The first merge halves" : `The first ${figure(half)} merges halve`;
  return `${first} the tokens; all ${figure(last)} remove ${share}`;
}

// How many of the new tokens have how many bytes, as a table with bars.
function lengthsOf({ merges, vocabulary }) {
  const often = new Array(LONGEST + 2).fill(0);
  for (const id of merges.id) often[Math.min(vocabulary.bytes(id).length, LONGEST + 1)]++;
  const most = Math.max(...often);
  const named = (n) => (n > LONGEST ? `more than ${LONGEST}` : n);
  const bar = (many) => ({ kind: "bar", share: many / most, text: many });
  const rows = often.map((many, n) => [named(n), many && bar(many)]).filter(([, many]) => many);
  const table = { kind: "table", titles: ["Bytes", "New tokens"], rows, label: "New tokens by length" };
  const inside = html`<div class="blocks">${draw([table], {})}</div>`;
  return { finding: `Most new tokens have ${named(often.indexOf(most))} bytes`, inside: () => inside };
}

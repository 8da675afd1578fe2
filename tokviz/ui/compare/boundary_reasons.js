// Why does B split a token of A? Explains one region: how each tokenizer splits it, and for a pair of them, which the
// reader picks, every reason why B has boundaries inside a token of A. Python finds the reasons; this file puts them
// into words.

import { select } from "../kit/choices.js";
import { seriesMark } from "../kit/elements.js";
import { html, keyed, render } from "../kit/html.js";
import { an, figure, mergeNumber, quantity } from "../kit/words.js";
import { cutAs, END, endOf, fromHex, isSpecial, SPLIT, startOf } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip, spoken } from "../tokenview/marks.js";

const CHIPS = 24; // tokens of a region shown in a line
const TOLD = 3; // tokens of A that are explained; the others are folded away

const KINDS = {
  split: "split pattern",
  absent: "not in the vocabulary",
  taken: "taken by an earlier merge",
  unreachable: "unreachable",
  normalizer: "changed by a normalizer",
  "other model": "other model",
};

export class BoundaryReasons {
  // `pairOf` is called with the rows a and b of the pair to explain.
  constructor(parent, pairOf) {
    this.pairOf = pairOf;
    this.root = parent.appendChild(document.createElement("section"));
    this.root.className = "why";
    this.root.ariaLabel = "Why do these differ";
  }

  // region: [start, end]; pairs: Map "a b" -> its differences in the region; pair: the one to explain.
  show({ rows, region, number, total, pairs, pair }) {
    this.rows = rows;
    this.root.hidden = !region;
    if (!region) return;
    const told = pairs.get(pair) || [];
    const [a, b] = pair.split(" ").map(Number);
    const blocks = told.map((difference) => this.difference(a, b, difference));
    const rest = blocks.length - TOLD;
    const [from, to] = region.map((at) => figure(this.start + at));
    const fold = html`<details class="more-told">
      <summary>${figure(rest)} more ${rest === 1 ? "token" : "tokens"} of ${rows[a]?.name} here</summary>${blocks.slice(TOLD)}
    </details>`;
    render(
      html`<div>
          <p class="place"><b>${figure(number)} of ${figure(total)}</b><span class="quiet">bytes ${from} to ${to}</span></p>
          ${told.length > 0 && this.question(pairs, a, b, told.length)}
          ${blocks.slice(0, TOLD)}${rest > 0 && keyed(`${region} ${pair}`, fold)}
        </div>
        <div><ul class="cuts">${rows.map((row, i) => this.cut(row, i, region))}</ul></div>`,
      this.root,
    );
  }

  // "Why does [GPT-2] split [o200k_base]'s token?" Only tokenizers that do it here can be picked.
  question(pairs, a, b, tokens) {
    const there = [...pairs.keys()].map((key) => key.split(" ").map(Number));
    const [owners, splitters] = [0, 1].map((side) => [...new Set(there.map((pair) => pair[side]))]);
    const has = (own, other) => pairs.has(`${own} ${other}`);
    const split = (i) => this.pairOf(has(a, i) ? a : owners.find((own) => has(own, i)), i);
    const own = (i) => this.pairOf(i, has(i, b) ? b : splitters.find((other) => has(i, other)));
    return html`<h3 class="question">Why does ${this.picker("The tokenizer that splits", splitters, b, split)} split ${this.picker(
      "The tokenizer whose token is split",
      owners,
      a,
      own,
    )}${tokens === 1 ? "’s token?" : "’s tokens?"}</h3>`;
  }

  picker(label, choices, chosen, choose) {
    const row = this.rows[chosen];
    const options = choices.toSorted((x, y) => x - y).map((i) => [i, this.rows[i].name]);
    return html`<span class="picker">${seriesMark(row)}${
      options.length < 2 ? html`<span>${row.name}</span>` : select({ label, options, value: chosen, choose })
    }</span>`;
  }

  // The region in words, for screen readers.
  said({ rows, region, number, total, pairs, pair }) {
    const [told] = pairs.get(pair) || [];
    if (!region || !told) return "";
    const [a, b] = pair.split(" ").map(Number);
    const kinds = told.reasons.map(([kind]) => KINDS[kind]).join(", ");
    return (
      `${figure(number)} of ${figure(total)}: ${spoken(this.bytes, told.start, told.end)} is one token of ` +
      `${rows[a].name}, split by ${rows[b].name}: ${kinds}.`
    );
  }

  token(bytes, special = false) {
    const token = chip(bytes, home(bytes), 24);
    token.classList.toggle("inverse", special);
    return token;
  }

  // The tokens of a row from start to end: the first CHIPS as chips, and how many there are.
  tokensIn(i, start, end) {
    const { encoding } = this.rows[i];
    const drawn = [];
    let count = 0;
    for (let at = startOf(encoding, start, END); at < end; count++) {
      const stop = endOf(encoding, at, END);
      if (count < CHIPS) drawn.push(this.token(encoding.bytes.subarray(at, stop), isSpecial(encoding, at)));
      at = stop;
    }
    if (count > CHIPS) drawn.push(html`<span class="quiet">… ${figure(count - CHIPS)} more</span>`);
    return { drawn, count };
  }

  cut(row, i, [start, end]) {
    const { drawn, count } = this.tokensIn(i, start, end);
    return html`<li><span class="who">${seriesMark(row)}<span>${row.name}</span></span><span class="tokens">${drawn}</span><span
      class="quiet count">${quantity(count, "token")}</span></li>`;
  }

  // "don't → don 't", and every reason.
  difference(a, b, { start, end, reasons }) {
    const whole = this.token(this.bytes.subarray(start, end), isSpecial(this.rows[a].encoding, start));
    const kindOf = ([kind, ...by]) => KINDS[kind] || this.inTheWay(a, b, start, end, ...by).kind;
    return html`<div class="difference">
      <p class="headline">${whole}<span class="becomes" role="img" aria-label=" is split into ">→</span>${this.tokensIn(b, start, end).drawn}</p>
      <ul class="reasons">${reasons.map(
        (reason) =>
          html`<li><span class="badge kind">${kindOf(reason)}</span><p>${this.sentence(a, b, start, end, reason)}</p></li>`,
      )}</ul>
    </div>`;
  }

  // The special or added token that is in the way: of which row, and which of the two.
  inTheWay(a, b, start, end, at, length) {
    const row = this.rows[at === start && at + length === end && isSpecial(this.rows[a].encoding, at) ? a : b];
    return { name: row.name, kind: cutAs(row.encoding, at) };
  }

  // The bytes from start to end with a bar at each cut of a row's split pattern.
  cutApart(row, start, end) {
    const { seams } = row.encoding;
    const besideSpecial = (at) =>
      isSpecial(row.encoding, at) || isSpecial(row.encoding, startOf(row.encoding, at - 1, END));
    const drawn = [];
    for (let at = start, next = at + 1; at < end; next++) {
      if (next < end && (seams[next] !== SPLIT || besideSpecial(next))) continue;
      drawn.push(this.token(this.bytes.subarray(at, next)));
      if (next < end) drawn.push(html`<span class="bar" role="img" aria-label=" cut ">│</span>`);
      at = next;
    }
    return html`<span class="cut">${drawn}</span>`;
  }

  sentence(a, b, start, end, [kind, ...by]) {
    const { bytes } = this;
    const row = this.rows[b];
    const { name, kind: model, pattern, vocab_size: size } = row;
    const w = () => this.token(bytes.subarray(start, end));
    const fromPair = (hex) => this.token(fromHex(hex));
    if (kind === "split")
      return html`The split pattern of ${name} (<code>${shortened(pattern)}</code>) cuts here, and no merge crosses a cut: ${this.cutApart(row, start, end)}`;
    if (kind === "absent") return html`${name} has no such token: ${w()} is not one of its ${quantity(size, "token")}.`;
    if (kind === "taken") {
      const [at, rank, pair, own] = by;
      const [before, ran] =
        rank === own
          ? ["The same merge (", ") ran one place further left and used up the "]
          : [`But ${mergeNumber(rank)} (`, ") ran first and used up the "];
      const used = fromPair(pair[at === start ? 1 : 0]);
      return html`${name} has ${w()}, from ${mergeNumber(own)}. ${before}${fromPair(pair[0])} + ${fromPair(pair[1])}${ran}${used}, so ${w()} could not form.`;
    }
    if (kind === "unreachable") {
      const [parts, lookedUp] = by;
      const why = lookedUp
        ? "only looks it up where it is a whole chunk. Elsewhere, these bytes become "
        : "no merge makes it. Even on their own, these bytes become ";
      return html`${name} has ${w()}, but ${why}${parts.map(fromPair)}.`;
    }
    const [at, length] = by;
    const there = this.token(bytes.subarray(at, at + length), kind === "special");
    if (kind === "normalizer") return html`A normalizer changes ${there} before it is cut.`;
    if (kind === "special") {
      const cut = this.inTheWay(a, b, start, end, at, length);
      return html`${there} is ${an(cut.kind)} of ${cut.name}. It is taken out of the text before any merge.`;
    }
    if (row.encoding.whole.get(at) === null) return html`No token of ${name} covers ${there}.`;
    return html`${name} has ${there} here, ${model ? `a token of ${model}` : "a token that no merge made"}.`;
  }
}

const shortened = (pattern) => (pattern.length > 48 ? `${pattern.slice(0, 47)}…` : pattern);

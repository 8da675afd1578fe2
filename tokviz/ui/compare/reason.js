// Why tokenizers disagree in one place: how each cuts it, and for a pair of them, which the reader picks, every reason
// why one has boundaries inside a token of the other. Python finds the reasons and says them (questions.py).

import { seriesMark } from "../kit/elements.js";
import { html, keyed } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { isSpecial } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip } from "../tokenview/marks.js";
import { drawParts } from "../tokenview/sentences.js";
import { tokenEnd, tokenStart } from "./boundaries.js";

const CHIPS = 24; // tokens of a place that are drawn
const TOLD = 3; // tokens that are explained; the others are folded away
const COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight"];

const inPieces = (count) => COUNTS[count] ?? `${figure(count)} pieces`;

// The pairs that differ: "a b" -> differences { a, b, start, end, pieces, causes }, in which b cuts a token of a.
export function pairsOf(differences) {
  return Map.groupBy(differences, ({ a, b }) => `${a} ${b}`);
}

// The pair to explain: one in which the tokenizer is whose ticks were clicked (null: none were), or the one before, or
// else the visitor's own tokenizer with the next that differs from it.
export function pairFor(pairs, rows, before, lane) {
  const own = Math.max(
    0,
    rows.findIndex(({ series }) => /^(yours|other)/.test(series)),
  );
  const either = (a, b) => [`${a} ${b}`, `${b} ${a}`].find((pair) => pairs.has(pair));
  const others = [own, ...rows.keys()];
  const clicked = lane === null ? null : others.map((other) => either(other, lane)).find(Boolean);
  return (
    clicked ??
    (pairs.has(before) ? before : (others.map((other) => either(own, other)).find(Boolean) ?? [...pairs.keys()][0]))
  );
}

// whole: the text. region: [start, end]; place: "1 of 19". pairs: none until Python has answered.
export function reason({ whole, rows, region, place, pairs, pair, choose }) {
  const told = pairs?.get(pair) ?? [];
  const blocks = told.map((found, i) => difference(whole, rows, found, i));
  const rest = blocks.length - TOLD;
  const fold = html`<details><summary>${figure(rest)} more ${rest === 1 ? "token" : "tokens"}</summary>${blocks.slice(TOLD)}</details>`;
  return html`<p class="place small"><b>${place}</b> <span class="quiet">bytes ${figure(region[0])} to ${figure(region[1])}</span></p>
    ${blocks.slice(0, TOLD)}${rest > 0 && keyed(`${region} ${pair}`, fold)}
    <ul class="cuts">${rows.map((row) => cut(whole, row, region))}</ul>
    ${pairs && asks(rows, pairs, pair, choose)}`;
}

const token = ({ bytes }, start, end) => {
  const part = bytes.subarray(start, end);
  return chip(part, home(part), CHIPS);
};

function difference(whole, rows, { a, b, start, end, pieces, causes }, i) {
  const said = html`Why does ${rows[b].name} cut ${token(whole, start, end)} ${i ? `of ${rows[a].name} ` : ""}in ${inPieces(pieces)}?`;
  return html`<h3>${said}</h3>${causes.map((cause) => html`<p>${drawParts(cause)}</p>`)}`;
}

function cut(whole, { encoding, cuts, name, glyph, series }, [from, to]) {
  const drawn = [];
  let count = 0;
  for (let at = tokenStart(cuts, from); at < to; count++) {
    const end = tokenEnd(cuts, at);
    if (count < CHIPS) {
      const one = token(whole, at, end);
      one.classList.toggle("inverse", !encoding.typed && isSpecial(encoding, at));
      drawn.push(one);
    }
    at = end;
  }
  if (count > CHIPS) drawn.push(html`<span class="quiet">… ${figure(count - CHIPS)} more</span>`);
  return html`<li><span class="who">${seriesMark({ glyph, series })} ${name}</span><span class="tokens">${drawn}</span>
    <span class="quiet">${quantity(count, "token")}</span></li>`;
}

// One button for each other question: of two pairs about the same tokens, the first.
function asks(rows, pairs, pair, choose) {
  const questionOf = (one) => `${pairs.get(one)[0].b}: ${pairs.get(one).map(({ start, end }) => `${start}-${end}`)}`;
  const others = new Map();
  for (const one of pairs.keys()) {
    if (questionOf(one) !== questionOf(pair) && !others.has(questionOf(one))) others.set(questionOf(one), one);
  }
  const cutters = [...others.values()].map((one) => pairs.get(one)[0].b);
  const ask = (one) => {
    const [{ a, b }] = pairs.get(one);
    const isClear = b !== pairs.get(pair)[0].b && cutters.filter((other) => other === b).length === 1;
    const about = isClear ? rows[b].name : `${rows[b].name} and the token of ${rows[a].name}`;
    return html`<button type="button" class="link" @click=${() => choose(one)}>Ask about ${about}</button>`;
  };
  return others.size > 0 && html`<p class="flow small asks">${[...others.values()].map(ask)}</p>`;
}

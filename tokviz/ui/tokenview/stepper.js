// How a chunk was encoded, or a token made: a row for each merge, with the pair that merges next marked, and below them all
// pairs that could merge at the current row, which is the one that has the focus. The rows come from
// tokviz/vocabulary/steps.py.

import { html } from "../kit/html.js";
import { walk } from "../kit/keys.js";
import { figure, mergeNumber } from "../kit/words.js";
import { drawPieces, piecesOf, spoken } from "./marks.js";

const STEPPED = 100; // bytes of a chunk whose steps Python lists, as in tokviz/vocabulary/steps.py
const CANDIDATES = 8; // that are shown

// record: of the card. bytes: from the first that is stepped through. hues(start, end): of a token. at: the row shown, null
// for the last. go(row): show another one.
export function stepperOf({ steps, chunk, kind }, { bytes, hues, at, go }) {
  const all = chunk ? chunk[1] - chunk[0] : 0;
  if (!steps)
    return (
      all > STEPPED && kind !== "look-up" && html`<p class="told quiet">Its chunk is too long to step through.</p>`
    );
  const size = steps.end - steps.start;
  if (size === 1) return false;
  const { rows } = steps;
  const last = rows.length - 1;
  const shown = at ?? last;
  const [title, label] =
    all === size
      ? ["How this chunk was encoded", "Merges of this chunk, in order"]
      : ["How this token is made", "Merges of this token, in order"];
  const why =
    all > size &&
    `${all > STEPPED ? `Its chunk has ${figure(all)} bytes, too many` : "Another token of its chunk is looked up, so it is not"} to step through: only merges inside the token are listed.`;
  const piece = (start, end, next = false) =>
    html`<span class="chip h${hues(start, end)} ${next ? "go" : ""}">${drawPieces(piecesOf(bytes, start, end))}</span>`;
  const square = (words, label, to) => {
    const press = ({ currentTarget }) => {
      const list = currentTarget.closest(".stepper").querySelector(".steps");
      go(to);
      list.scrollTop = list.children[to].offsetTop - list.clientHeight / 2; // only the list scrolls, never the page
    };
    return html`<button type="button" class="square" aria-label=${label} aria-disabled=${to < 0 ? "true" : null}
      @click=${to >= 0 && press}>${words}</button>`;
  };
  return html`<div class="stepper group">
    <div class="flow ends"><h3>${title}</h3>
      <span class="flow">${square("‹", "Previous merge", shown - 1)}${
        shown === last ? square("↺", "From the first merge", 0) : square("›", "Next merge", shown + 1)
      }</span></div>
    ${why && html`<p class="told quiet">${why}</p>`}
    <ol class="steps" aria-label=${label} @keydown=${walk(".step")}>${rows.map((row, i) =>
      rowOf(row, i, { bytes, piece, current: i === shown, go }),
    )}</ol>
    ${candidatesOf(rows[shown], piece)}
  </div>`;
}

const spansOf = (ends) => ends.map((end, i) => [ends[i - 1] ?? 0, end]);

function rowOf({ ends, ids, ranks, next }, i, { bytes, piece, current, go }) {
  const spans = spansOf(ends);
  const words = spans.map(([start, end]) => spoken(bytes, start, end));
  const isNext = (j) => next !== null && (j === next || j === next + 1);
  const left = ids.length === 1 ? `id ${figure(ids[0])}` : `${figure(ids.length)} tokens`;
  const then =
    next === null
      ? `Result: ${ids.length === 1 ? "id" : "ids"} ${ids.join(", ")}`
      : `Next ${words[next]} and ${words[next + 1]}, merge ${ranks[next] + 1}`;
  return html`<li><button type="button" class="step plain" tabindex=${current ? 0 : -1} aria-current=${current ? "step" : null}
    aria-label="Step ${i}: ${words.join(", ")}. ${then}" @focus=${() => go(i)} @click=${() => go(i)}><span class="n">${i}</span><span
    class="mini">${spans.map(([start, end], j) => piece(start, end, isNext(j)))}</span><span
    class="r">${next === null ? left : mergeNumber(ranks[next])}</span></button></li>`;
}

// The pairs that could merge at a step, by their merges, so the winner is first; then how many have no merge.
function candidatesOf({ ends, ids, ranks, next }, piece) {
  if (next === null)
    return html`<div class="could"><p><span class="quiet">${
      ids.length === 1 ? "One token is left." : "No two neighbours have a merge: this is the result."
    }</span>${ids.length > 1 && html`<span class="ids">ids ${ids.join(", ")}</span>`}</p></div>`;
  const spans = spansOf(ends);
  const open = Map.groupBy(
    ranks.flatMap((rank, j) => (rank === null ? [] : [{ rank, j }])),
    ({ rank }) => rank,
  ); // equal pairs are one merge
  const groups = [...open.values()].sort(([a], [b]) => a.rank - b.rank);
  const without = ranks.filter((rank) => rank === null).length;
  const rest = [
    groups.length > CANDIDATES && `${figure(groups.length - CANDIDATES)} more`,
    without > 0 && `${figure(without)} ${without === 1 ? "pair has" : "pairs have"} no merge`,
  ];
  const candidate = ([{ rank, j }, ...others], i) => html`<span class="candidate ${i ? "" : "next"}"><span
    class="two">${piece(...spans[j])}${piece(...spans[j + 1])}</span><span class="r">${figure(rank + 1)}${
      others.length > 0 && `, ${figure(others.length + 1)} places`
    }</span></span>`;
  return html`<div class="could"><p><span class="quiet term">Could merge, earliest first</span>${groups
    .slice(0, CANDIDATES)
    .map(candidate)}<span class="quiet">${rest.filter(Boolean).join("; ")}</span></p></div>`;
}

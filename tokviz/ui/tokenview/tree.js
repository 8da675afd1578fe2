// A token's merge tree: its bytes at the bottom, and above them a pill for each merge, the later the higher. So time runs
// upwards. All of it has its place in a grid of two columns for each byte, as a pill is above the middle of its bytes, and
// two rows for each merge, as its legs begin in the middle of the pill.

import { html } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { END, endOf, idOf, OPEN, SPLIT, startsAt, treeOf } from "./encoding.js";
import { replayHues } from "./hues.js";
import { drawPieces, hexOf, piecesOf, spoken } from "./marks.js";

export const TREE_BYTES = 128; // a longer token has no drawing

// The bytes from start to end as an encoding of its own, at step k.
export function stretchOf(encoding, start, end, k) {
  const seams = encoding.seams.slice(start, end).map((seam) => (seam >= k && seam < OPEN ? OPEN : seam));
  seams[0] = SPLIT;
  const whole = new Map();
  if (encoding.whole.size) {
    for (let i = start; i < end; i++) if (encoding.whole.has(i)) whole.set(i - start, encoding.whole.get(i));
  }
  return { ...encoding, bytes: encoding.bytes.subarray(start, end), n: end - start, seams, whole };
}

// The hue of every token in the history of a stretch, such that the last ones have their hues of the view.
export function huesOf(stretch, hueOfLast) {
  const last = new Uint8Array(stretch.n);
  for (const start of startsAt(stretch, END)) last[start] = hueOfLast(start, endOf(stretch, start, END));
  return replayHues(stretch, last);
}

// Draw the tree of the token from start to end of a stretch. hues(start, end): of each token in it. isMade(seam): is the pill
// with this seam there at the step shown? press(id, bytes): what a press on a token in it does.
export function drawTree({ stretch, start, end, hues }, { isMade, press }) {
  const { bytes } = stretch;
  const tree = treeOf(stretch, start, end);
  const nodes = [...nodesIn(tree)];
  const merges = nodes.filter(({ rank }) => rank !== null);
  const ranks = [...new Set(merges.map(({ rank }) => rank))].sort((a, b) => b - a);
  const rowOf = ({ rank }) => 2 * (rank === null ? ranks.length : ranks.indexOf(rank)) + 1;
  const columnOf = (byte) => 2 * (byte - start) + 1;
  const lookOf = ({ parts }) => (isMade(parts[1].start) ? "" : "later");

  const leg = (node, part) => {
    const [from, to] = [node, part].map(({ start, end }) => columnOf((start + end) / 2)).sort((a, b) => a - b);
    return html`<i class="leg ${lookOf(node)}" style="grid-area: ${rowOf(node) + 1} / ${from} / ${rowOf(part)} / ${to}"></i>`;
  };
  const drawn = ({ start: from, end: to, rank }, look, inside) => {
    const act = () => (from > start || to < end) && press(idOf(stretch, from, to), bytes.slice(from, to));
    const row = rowOf({ rank });
    return html`<span class="chip node ${look}" @click=${act}
      style="grid-area: ${row} / ${columnOf(from)} / ${row + 2} / ${columnOf(to)}">${inside}</span>`;
  };
  const pill = (node) => {
    const inside = html`${drawPieces(piecesOf(bytes, node.start, node.end))}<small>${figure(node.rank + 1)}</small>`;
    return drawn(node, `h${hues(node.start, node.end)} ${lookOf(node)}`, inside);
  };
  // A byte that is no token of its own has no hue and no edge.
  const byte = (at, isToken) => {
    const pieces = piecesOf(bytes, at, at + 1);
    const hex = pieces[0][0] !== "bytes" && html`<span class="hex">${hexOf([bytes[at]])}</span>`;
    const look = isToken ? `h${hues(at, at + 1)}` : "plain-byte";
    return drawn({ start: at, end: at + 1, rank: null }, `byte ${look}`, html`${drawPieces(pieces)}${hex}`);
  };
  const bytesOf = (leaf) =>
    Array.from({ length: leaf.end - leaf.start }, (_, i) => byte(leaf.start + i, leaf.end - leaf.start === 1));

  const label = `Merge tree of ${spoken(bytes, start, end)}: ${quantity(merges.length, "merge")}, from the bottom up.`;
  return html`<div class="roots" role="img" tabindex="0" aria-label=${label}><div class="tree" style="--bytes: ${end - start}">${[
    ...merges.map((node) => node.parts.map((part) => leg(node, part))),
    ...nodes.map((node) => (node.rank === null ? bytesOf(node) : pill(node))),
  ]}</div></div>`;
}

function* nodesIn(node) {
  yield node;
  for (const part of node.parts) yield* nodesIn(part);
}

// A token's merge tree as a drawing: its bytes at the bottom, and above them a pill for each merge, the later the
// higher. So time runs upwards.

import { html, svg } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { END, endOf, idOf, OPEN, SPLIT, startsAt, treeOf } from "./encoding.js";
import { replayHues } from "./hues.js";
import { CODE_FONT, codePoint, hexOf, INVISIBLE, measured, onCircle, piecesOf, spoken } from "./marks.js";

export const TREE_BYTES = 128; // a longer token has no drawing
const CELL = 54;
const CELL_LEAST = 34; // px of a byte
const FOOT = 46;
const LEVEL = 39;
const PILL = 26;
const ROUND = 7;
const SIDE = 2;
const RANK_FONT = "13px 'Source Sans', system-ui, sans-serif";

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

// The label of a pill: [string, kind] with kind "m" (as it is), "mark" or "hex".
function labelOf(bytes, start, end) {
  return piecesOf(bytes, start, end).map(([kind, string]) => {
    if (kind === "text") return [onCircle(string), "m"];
    if (kind === "space") return [string === " " ? "·" : "□", "mark"];
    if (kind === "bytes") return [string, "hex"];
    const short = INVISIBLE.get(string.codePointAt(0))?.[0] || codePoint(string);
    return [{ "\n": "↵", "\t": "→" }[string] || short, "mark"];
  });
}

const LABEL = 18; // characters of a pill's text

function shortened(label) {
  let room = LABEL;
  const kept = [];
  for (const [string, kind] of label) {
    const letters = [...string];
    if (letters.length > room) return [...kept, [`${letters.slice(0, Math.max(room, 1)).join("")}…`, kind]];
    kept.push([string, kind]);
    room -= letters.length;
  }
  return kept;
}

// Draw the tree of the token from start to end of a stretch. hues(start, end): of each token in it. room: the width that
// there is, in px where a letter is 16 high; a wider drawing scrolls sideways. isMade(seam): is the pill with this seam
// there at the step shown? press(id, bytes): what a press on a token in it does.
export function drawTree({ stretch, start, end, hues }, { room, isMade, press }) {
  const { bytes } = stretch;
  const tree = treeOf(stretch, start, end);
  const ranks = [...new Set(ranksIn(tree))].sort((a, b) => a - b);
  const cell = Math.min(CELL, Math.max(CELL_LEAST, Math.floor((room - 8) / (end - start))));
  const foot = ranks.length * LEVEL + (ranks.length ? 10 : 2);
  const box = { left: -SIDE, right: (end - start) * cell + SIDE };
  const joints = [];
  const nodes = [];

  // A byte that is no token of its own has no hue and no edge.
  const leaf = (at, isToken) => {
    const left = (at - start) * cell + 2;
    const x = left - 2 + cell / 2;
    const hex = hexOf(bytes.subarray(at, at + 1));
    const [[string, kind]] = labelOf(bytes, at, at + 1);
    const words = (y, look, text) => svg`<text x=${x} y=${y} text-anchor="middle" class=${look}>${text}</text>`;
    nodes.push(svg`<g class=${`node ${isToken ? `h${hues(at, at + 1)}` : "plain-byte"}`} data-start=${at} data-end=${at + 1}>
      <rect x=${left} y=${foot} width=${cell - 4} height=${FOOT} rx="3" fill="var(--b)"></rect>
      ${isToken && svg`<rect x=${left} y=${foot} width="2.4" height=${FOOT} fill="var(--e)"></rect>`}
      ${kind !== "hex" && words(foot + 20, string.length > 2 ? "hex" : kind, string)}
      ${words(foot + (kind === "hex" ? 28 : 38), "hex", hex)}</g>`);
    return { x, top: foot };
  };

  // The pill of a merge above its two parts, and its joint to them.
  const pill = ({ start: from, end: to, rank, parts }) => {
    const [left, right] = parts.map(lay);
    const x = (left.x + right.x) / 2;
    const y = foot - 31 - ranks.indexOf(rank) * LEVEL;
    const top = y - PILL / 2;
    const label = shortened(labelOf(bytes, from, to));
    const number = figure(rank + 1); // merges are counted from 1
    const wide = ([string, kind]) => measured(string, `${kind === "hex" ? 13 : 16}px ${CODE_FONT}`).width;
    const letters = label.reduce((sum, part) => sum + wide(part), 0);
    const width = 9 + letters + 7 + measured(number, RANK_FONT).width + 7;
    const edge = x - width / 2;
    const later = isMade(parts[1].start) ? "" : "later";
    const joint = (part, way) => {
      const gap = Math.abs(x - part.x) - width / 2; // from the middle of the part to the side of the pill
      const elbow = `V${y + ROUND}Q${part.x} ${y} ${part.x + way * ROUND} ${y}H${x - (way * width) / 2}`;
      return svg`<path d=${`M${part.x} ${part.top}${gap < ROUND ? `V${top + PILL}` : elbow}`}></path>`;
    };
    joints.push(svg`<g class=${later}>${joint(left, 1)}${joint(right, -1)}</g>`);
    nodes.push(svg`<g class=${`node h${hues(from, to)} ${later}`} data-start=${from} data-end=${to} data-rank=${rank}>
      <rect x=${edge} y=${top} width=${width} height=${PILL} rx="4" fill="var(--b)"></rect>
      <rect x=${edge} y=${top} width="2.6" height=${PILL} fill="var(--e)"></rect>
      <text x=${edge + 9} y=${top + 18.5}>${label.map(([string, kind]) => svg`<tspan class=${kind}>${string}</tspan>`)}</text>
      <text x=${edge + width - 7} y=${top + 18} text-anchor="end" class="rank">${number}</text></g>`);
    box.left = Math.min(box.left, edge - SIDE);
    box.right = Math.max(box.right, edge + width + SIDE);
    return { x, top };
  };

  const lay = (node) => {
    if (node.parts.length) return pill(node);
    const isToken = node.end - node.start === 1;
    const ends = []; // if no merge made it, its bytes are side by side
    for (let at = node.start; at < node.end; at++) ends.push(leaf(at, isToken));
    return { x: (ends[0].x + ends.at(-1).x) / 2, top: foot };
  };

  const middle = lay(tree).x - box.left;
  const [width, height] = [box.right - box.left, foot + FOOT + 2];
  const pressed = ({ target }) => {
    const [from, to] = ["start", "end"].map((side) => Number(target.closest(".node")?.dataset[side]));
    if (to && (from !== start || to !== end)) press(idOf(stretch, from, to), stretch.bytes.slice(from, to));
  };
  const scrolls = width > room; // what scrolls must be reachable by keys
  const label = `Merge tree of ${spoken(bytes, start, end)}: ${quantity(joints.length, "merge")}, from the bottom up.`;
  return html`<div class="roots" role=${scrolls ? "group" : null} tabindex=${scrolls ? 0 : null}
    aria-label=${scrolls ? "Merge tree, scrolls sideways" : null} data-middle=${middle / width}><svg class="tree" role="img"
      aria-label=${label} viewBox=${`${box.left} 0 ${width} ${height}`} width=${`${width / 16}em`} height=${`${height / 16}em`}
      @click=${pressed}><g class="joints">${joints}</g>${nodes}</svg></div>`;
}

const ranksIn = ({ rank, parts }) => [...(rank === null ? [] : [rank]), ...parts.flatMap(ranksIn)];

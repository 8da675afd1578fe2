// A token's merge tree as a drawing: its bytes at the bottom, and above them a pill for each merge, the later the
// higher. So time runs upwards.

import { make, setAttributes, shape } from "../kit/elements.js";
import { figure, quantity } from "../kit/words.js";
import { END, endOf, idOf, OPEN, SPLIT, startsAt, treeOf } from "./encoding.js";
import { replayHues } from "./hues.js";
import { codePoint, hexOf, INVISIBLE, measured, onCircle, piecesOf, spoken } from "./marks.js";

export const TREE_BYTES = 128; // a longer token has no drawing
const CELL = 54;
const CELL_LEAST = 34; // px of a byte
const FOOT = 46;
const LEVEL = 39;
const PILL = 26;
const ROUND = 7;

function draw(tag, attributes, parent, text = "") {
  return parent.appendChild(shape(tag, attributes, text));
}

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

// The drawing in an element as wide as its parent, in which it scrolls sideways if it is wider.
export class MergeTree {
  // press(id, bytes): what a press on a token in it does.
  constructor(press) {
    this.press = press;
    this.root = make("div", "roots");
    this.sized = new ResizeObserver(() => this.root.clientWidth !== this.drawn && this.draw());
    this.sized.observe(this.root);
  }

  end() {
    this.sized.disconnect();
  }

  // Draw the tree of the token from start to end of a stretch, unless it is drawn. hues(start, end): of each token in it.
  show(drawable) {
    const same = this.drawable === drawable;
    this.drawable = drawable;
    if (!same && this.root.clientWidth) this.draw();
  }

  draw() {
    const { root, drawable } = this;
    this.drawn = root.clientWidth;
    if (!drawable || !this.drawn) return;
    const { stretch, start, end, hues } = drawable;
    const style = getComputedStyle(root);
    const scale = parseFloat(style.fontSize) / 16 || 1;
    const { svg, dim, middle } = drawTree(
      stretch,
      start,
      end,
      hues,
      this.drawn / scale,
      style.getPropertyValue("--code"),
    );
    for (const side of ["width", "height"]) svg.setAttribute(side, svg.getAttribute(side) * scale);
    const merges = quantity(svg.querySelectorAll("[data-rank]").length, "merge");
    svg.setAttribute(
      "aria-label",
      `Merge tree of ${spoken(stretch.bytes, start, end)}: ${merges}, from the bottom up.`,
    );
    svg.addEventListener("click", ({ target }) => {
      const { start: from, end: to } = target.closest(".node")?.dataset ?? {};
      if (!to || (Number(from) === start && Number(to) === end)) return;
      this.press(idOf(stretch, Number(from), Number(to)), stretch.bytes.slice(Number(from), Number(to)));
    });
    root.replaceChildren(svg);
    const wide = root.scrollWidth > root.clientWidth + 1; // what scrolls must be reachable by keys
    const named = { role: "group", "aria-label": "Merge tree, scrolls sideways", tabindex: 0 };
    if (wide) setAttributes(root, named);
    else for (const name of Object.keys(named)) root.removeAttribute(name);
    root.scrollLeft = middle * scale - root.clientWidth / 2;
    this.dims = dim;
    this.dim(this.isMade);
  }

  // Dim each joint and pill whose seam does not pass the test.
  dim(isMade) {
    this.isMade = isMade;
    if (isMade) this.dims?.(isMade);
  }
}

// Draw the tree of the token from start to end of a stretch. hueOf(start, end) is the hue of each token in it, and
// `room` its width in px. Returns the drawing, the x of its top, and dim(isMade), which dims each joint and pill whose
// seam does not pass the test.
function drawTree(stretch, start, end, hueOf, room, code) {
  const { bytes } = stretch;
  const tree = treeOf(stretch, start, end);
  const n = end - start;
  const cell = Math.min(CELL, Math.max(CELL_LEAST, Math.floor((room - 8) / n)));
  const ranks = new Set();
  const gather = (node) => {
    if (node.rank !== null) ranks.add(node.rank);
    node.parts.forEach(gather);
  };
  gather(tree);
  const order = new Map([...ranks].sort((a, b) => a - b).map((rank, i) => [rank, i]));
  const foot = order.size * LEVEL + (order.size ? 10 : 2);
  const svg = shape("svg", { class: "tree", role: "img" });
  const side = 2;
  const box = { left: -side, right: n * cell + side };
  const joints = draw("g", { class: "joints" }, svg);
  const made = []; // [seam, its joint and its pill]

  const leaf = (at, token = true) => {
    // a byte that is no token of its own has no hue and no edge
    const x = (at - start) * cell + cell / 2;
    const group = draw(
      "g",
      { class: `node ${token ? `h${hueOf(at, at + 1)}` : "plain-byte"}`, "data-start": at, "data-end": at + 1 },
      svg,
    );
    draw("rect", { x: x - cell / 2 + 2, y: foot, width: cell - 4, height: FOOT, rx: 3, fill: "var(--b)" }, group);
    if (token) draw("rect", { x: x - cell / 2 + 2, y: foot, width: 2.4, height: FOOT, fill: "var(--e)" }, group);
    const hex = hexOf(bytes.subarray(at, at + 1));
    const [[string, kind]] = labelOf(bytes, at, at + 1);
    const middle = { x, "text-anchor": "middle" };
    if (kind === "hex") draw("text", { ...middle, y: foot + 28, class: "hex" }, group, hex);
    else {
      draw("text", { ...middle, y: foot + 20, class: string.length > 2 ? "hex" : kind }, group, string);
      draw("text", { ...middle, y: foot + 38, class: "hex" }, group, hex);
    }
    return { x, top: foot };
  };

  const place = (node) => {
    if (!node.parts.length) {
      if (node.end - node.start === 1) return leaf(node.start);
      const ends = []; // no merge made it: draw its bytes side by side
      for (let at = node.start; at < node.end; at++) ends.push(leaf(at, false));
      return { x: (ends[0].x + ends.at(-1).x) / 2, top: foot };
    }
    const [left, right] = node.parts.map(place);
    const x = (left.x + right.x) / 2;
    const y = foot - 31 - order.get(node.rank) * LEVEL;
    const hue = hueOf(node.start, node.end);
    const pill = draw(
      "g",
      { class: `node h${hue}`, "data-start": node.start, "data-end": node.end, "data-rank": node.rank },
      svg,
    );
    const label = shortened(labelOf(bytes, node.start, node.end));
    const rank = figure(node.rank + 1); // merges are counted from 1
    const sizeOf = (kind) => `${kind === "hex" ? 13 : 16}px ${code}`;
    const text = label.reduce((sum, [string, kind]) => sum + measured(string, sizeOf(kind)).width, 0);
    const number = measured(rank, "13px 'Source Sans', system-ui, sans-serif").width;
    const width = 9 + text + 7 + number + 7;
    const from = x - width / 2;
    const top = y - PILL / 2;
    const joint = draw("g", {}, joints);
    for (const [part, way] of [
      [left, 1],
      [right, -1],
    ]) {
      const gap = Math.abs(x - part.x) - width / 2; // from the middle of the part to the side of the pill
      const elbow = `V${y + ROUND}Q${part.x} ${y} ${part.x + way * ROUND} ${y}H${x - (way * width) / 2}`;
      draw("path", { d: `M${part.x} ${part.top}${gap < ROUND ? `V${top + PILL}` : elbow}` }, joint);
    }
    draw("rect", { x: from, y: top, width, height: PILL, rx: 4, fill: "var(--b)" }, pill);
    draw("rect", { x: from, y: top, width: 2.6, height: PILL, fill: "var(--e)" }, pill);
    const words = draw("text", { x: from + 9, y: top + 18.5 }, pill);
    for (const [string, kind] of label) draw("tspan", { class: kind }, words, string);
    draw("text", { x: from + width - 7, y: top + 18, "text-anchor": "end", class: "rank" }, pill, rank);
    box.left = Math.min(box.left, from - side);
    box.right = Math.max(box.right, from + width + side);
    made.push([node.parts[1].start, joint, pill]);
    return { x, top };
  };
  const middle = place(tree).x - box.left;
  const width = box.right - box.left;
  const height = foot + FOOT + 2;
  setAttributes(svg, { viewBox: `${box.left} 0 ${width} ${height}`, width: width, height: height });
  const dim = (isMade) => {
    for (const [seam, ...parts] of made) for (const part of parts) part.classList.toggle("later", !isMade(seam));
  };
  return { svg, dim, middle };
}

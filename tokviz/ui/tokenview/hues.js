// The hue of each token: an index 0 to 6 into the palette. The rules are those that palette.json spells out.

import { END, endOf, isLineStart, OPEN, startsAt, topSeam, WHOLE } from "./encoding.js";

const CLASHES = [
  [0, 1, 4],
  [0, 1, 2, 3],
  [1, 2, 3],
  [1, 2, 3],
  [0, 4, 5],
  [4, 5, 6],
  [5, 6],
];
const TURNS = [0, 2, 4, 6, 1, 3, 5];

const mayStand = (hue, neighbour) => neighbour === null || !CLASHES[neighbour].includes(hue);

// The hue that bytes have unless it clashes with a neighbour's: FNV-1a, mixed once, modulo 7.
export function home(bytes, start = 0, end = bytes.length) {
  let h = 0x811c9dc5;
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return ((h ^ (h >>> 16)) >>> 0) % 7;
}

// The home hue, or the next in turn that does not clash with the hue on the left (null: nothing is there).
function choose(homeHue, before) {
  return TURNS.map((turn) => (homeHue + turn) % 7).find((hue) => mayStand(hue, before));
}

// The hues of the tokens between two bytes, by start byte from the first: from left to right, each line afresh.
export function lineHues(encoding, from = 0, to = encoding.n) {
  const hues = new Uint8Array(to - from);
  let before = null;
  for (let at = from; at < to; ) {
    const end = endOf(encoding, at, END);
    before = hues[at - from] = choose(home(encoding.bytes, at, end), before);
    if (encoding.bytes.subarray(at, end).includes(10)) before = null;
    at = end;
  }
  return hues;
}

// Hues for the two halves of a token that a step back splits: the pair nearest their home hues that clashes neither
// with the neighbours nor with each other. One always exists.
const halves = new Map();
function splitHues(leftHome, rightHome, before, after) {
  const key = [leftHome, rightHome, before, after].join();
  if (!halves.has(key)) {
    const turns = (hue, homeHue) => ((((hue - homeHue) * 4) % 7) + 7) % 7; // 4 undoes the turn of 2
    let best = null;
    let cost = Infinity;
    for (let left = 0; left < 7; left++) {
      for (let right = 0; right < 7; right++) {
        const sum = turns(left, leftHome) + turns(right, rightHome);
        if (sum < cost && mayStand(right, left) && mayStand(left, before) && mayStand(right, after)) {
          best = [left, right];
          cost = sum;
        }
      }
    }
    halves.set(key, best);
  }
  return halves.get(key);
}

// One hue for a token, wherever it is and at every step: where tokens are counted. Edges part it from its twins.
export const homeHues =
  ({ bytes }) =>
  (start, end) =>
    home(bytes, start, end);

// The hues of a pair outside a text: as near to the home hues of the two tokens as can be told apart.
export const pairHues = (left, right) => splitHues(home(left), home(right), null, null);

// The hue of every token of the whole history, as a function of its span. The final tokens are coloured from left to
// right, then the merges are undone one by one. So a token keeps its hue from the merge that makes it to the merge that
// uses it. `now` are the hues of the final tokens, by start byte, if they are not the usual ones.
export function replayHues(encoding, now = lineHues(encoding)) {
  const { n, bytes, seams } = encoding;
  const low = new Int32Array(n);
  const high = new Int32Array(n).fill(n); // the span that the merge at this seam makes
  const waiting = [];
  for (let i = 0; i < n; i++) {
    while (waiting.length && seams[waiting.at(-1)] < seams[i]) high[waiting.pop()] = i;
    low[i] = waiting.length ? waiting.at(-1) : 0;
    waiting.push(i);
  }
  const startBefore = new Int32Array(n + 1); // start of the token that ends here
  for (const start of startsAt(encoding, END)) startBefore[endOf(encoding, start, END)] = start;
  const made = new Uint8Array(n); // hue of the token that the merge at this seam makes
  const closed = [];
  for (let i = 0; i < n; i++) if (seams[i] > WHOLE && seams[i] < OPEN) closed.push(i);
  closed.sort((a, b) => seams[b] - seams[a] || a - b);
  for (const seam of closed) {
    const start = low[seam];
    const end = high[seam];
    made[seam] = now[start];
    const before = isLineStart(encoding, start) ? null : now[startBefore[start]];
    const after = end === n || isLineStart(encoding, end) ? null : now[end];
    [now[start], now[seam]] = splitHues(home(bytes, start, seam), home(bytes, seam, end), before, after);
    startBefore[seam] = start;
    startBefore[end] = seam;
  }
  return (start, end) => {
    const top = topSeam(encoding, start, end);
    return top < 0 ? now[start] : made[top];
  };
}

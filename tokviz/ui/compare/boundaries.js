// Where tokenizers disagree in one text: tokviz/comparison/comparison.py says it, and this file mirrors the few lines
// that read seams. A test runs both on the same texts and demands equality.

import { END, firstWhere } from "../tokenview/encoding.js";

// 1 for each byte of the typed text before which a token starts. A normalizer's tokens start where their characters
// come from. n: how many bytes the typed text has.
export function cutsOf({ seams, typed }, n) {
  const cuts = new Uint8Array(n);
  for (let i = 0; i < seams.length; i++)
    if (seams[i] >= END && (!typed || typed[i] < n)) cuts[typed ? typed[i] : i] = 1;
  if (n) cuts[0] = 1;
  return cuts;
}

// [start, end] of each region: from a place where all have a boundary to the next one, if they differ in between.
// rows: the cuts of each tokenizer.
export function regionsOf(rows, n) {
  const regions = [];
  if (rows.length < 2) return regions;
  let start = 0;
  let differs = false;
  for (let i = 1; i <= n; i++) {
    let cuts = 0;
    if (i < n) for (const row of rows) cuts += row[i];
    if (i < n && cuts < rows.length) differs ||= cuts > 0;
    else {
      if (differs) regions.push([start, i]);
      start = i;
      differs = false;
    }
  }
  return regions;
}

// The place among regions of the first that ends after a byte: the one that the byte is in, or else the next.
export const regionFrom = (regions, byte) => firstWhere(regions.length, (i) => regions[i][1] > byte);

// The region that a byte is in; -1 if it is in none.
export function regionAt(regions, byte) {
  const i = regionFrom(regions, byte);
  return i < regions.length && regions[i][0] <= byte ? i : -1;
}

// The end of the token of these cuts that starts at a byte, and the start of the one that a byte is in.
export function tokenEnd(cuts, start) {
  let end = start + 1;
  while (end < cuts.length && !cuts[end]) end++;
  return end;
}

export function tokenStart(cuts, byte) {
  while (!cuts[byte]) byte--;
  return byte;
}

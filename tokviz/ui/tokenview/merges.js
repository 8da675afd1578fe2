// Replay: the merges as columns, and the bytes of the tokens that they made.
//
// At step k, k merges are done. So merge k, counted from 0, comes next.
//
// Of somebody else's merge list there are only the merges that fire in the text, each with its rank in the whole list.
// Their counts in that corpus are unknown: count and replaced are places in the text.

import { make, sign } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { fromBase64 } from "./encoding.js";
import { pairHues } from "./hues.js";
import { chip, spoken } from "./marks.js";

const KEPT_BYTES = 256; // of a token's bytes, for its chip and hue

const varints = (base64) => numbersIn(fromBase64(base64));

// Numbers from 0, seven bits a byte, low bits first (tokviz/offline/replay.py).
export function numbersIn(bytes) {
  const values = new Float64Array(bytes.length);
  let n = 0;
  let value = 0;
  let place = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * place;
    place *= 128;
    if (byte < 0x80) {
      values[n++] = value;
      value = 0;
      place = 1;
    }
  }
  return values.slice(0, n);
}

// Numbers that were sent as differences.
function summed(values) {
  let sum = 0;
  return values.map((value) => {
    sum += value % 2 ? -(value + 1) / 2 : value / 2;
    return sum;
  });
}

// left, right, id, count, replaced, tied: a number a merge. tokens: in the corpus at each step, from 0 on.
export class Merges {
  constructor(columns, tokensBefore) {
    this.left = varints(columns.left);
    this.right = varints(columns.right);
    this.id = summed(varints(columns.id));
    this.count = summed(varints(columns.count));
    const unreplaced = varints(columns.unreplaced);
    this.replaced = this.count.map((count, k) => count - unreplaced[k]);
    this.tied = varints(columns.tied);
    this.rank = columns.rank ? summed(varints(columns.rank)) : null; // in the whole list
    this.length = this.id.length;
    this.tokens = new Float64Array(this.length + 1);
    this.tokens[0] = tokensBefore;
    for (let k = 0; k < this.length; k++) this.tokens[k + 1] = this.tokens[k] - this.replaced[k];
  }

  // The number of merge k as people count: from 1.
  number(k) {
    return this.rank ? this.rank[k] + 1 : k + 1;
  }
}

// The bytes of every token, of a very long one only the beginning.
export class Vocabulary {
  constructor(alphabet, { left, right, id, length }) {
    this.known = new Map(Array.from(alphabet, (byteId, byte) => [byteId, Uint8Array.of(byte)]));
    for (let k = 0; k < length; k++) {
      const [first, second] = [this.bytes(left[k]), this.bytes(right[k])];
      if (first && second) this.known.set(id[k], Uint8Array.of(...first, ...second).slice(0, KEPT_BYTES));
    }
  }

  // Undefined if no merge here makes it.
  bytes(id) {
    return this.known.get(id);
  }

  chip(id, hue, limit) {
    const bytes = this.bytes(id);
    return bytes ? chip(bytes, hue, limit) : make("span", "quiet", `id ${figure(id)}`);
  }

  // The two tokens of a pair, in the hues that it has everywhere.
  pair(left, right, limit) {
    const halves = [this.bytes(left), this.bytes(right)];
    const hues = halves[0] && halves[1] ? pairHues(...halves) : [];
    return [this.chip(left, hues[0], limit), this.chip(right, hues[1], limit)];
  }

  // "t + h"
  sum(left, right, limit) {
    const [first, second] = this.pair(left, right, limit);
    return [first, sign("+", "and"), second];
  }

  spoken(id) {
    const bytes = this.bytes(id);
    return bytes ? spoken(bytes, 0, bytes.length) : `id ${id}`;
  }
}

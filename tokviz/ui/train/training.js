// A training of the corpus that is being written, as Python answers it (tokviz/ui/train/questions.py), and what it changed.
//
// A training has columns with a number for each merge (left, right, id, count, replaced), `tokens` with one for each step,
// the bytes of its tokens as `vocabulary`, the corpus under it as `encoding`, and the number of its `specials`.

import { read, textOf } from "../tokenview/encoding.js";
import { Merges, Vocabulary } from "../tokenview/merges.js";

const NO_COLUMNS = { left: "", right: "", id: "", count: "", unreplaced: "", tied: "" };
const NO_CORPUS = { seams: "", ranks: "", ids: "", alphabet: "", whole: {}, special_ids: [] };

// The training that was answered for this text.
export function trainingOf({ columns, tokens, stopped, specials, ...corpus }, text) {
  const merges = new Merges(columns, tokens);
  const encoding = read(corpus, textOf(text));
  return { ...merges, encoding, vocabulary: new Vocabulary(encoding.alphabet, merges), stopped, specials };
}

export const UNTRAINED = trainingOf({ columns: NO_COLUMNS, tokens: 0, specials: 0, ...NO_CORPUS }, "");

// The rows of the ladder: of each merge the bytes of its two tokens, and its count.
export const rowsOf = ({ left, right, count, length, vocabulary }) =>
  Array.from({ length }, (_, k) => ({
    left: vocabulary.bytes(left[k]),
    right: vocabulary.bytes(right[k]),
    count: count[k],
  }));

// All bytes of the token that each merge makes, as text.
function namesOf({ left, right, id, length }) {
  const names = new Map();
  const nameOf = (id) => names.get(id) ?? String.fromCharCode(id);
  for (let k = 0; k < length; k++) names.set(id[k], nameOf(left[k]) + nameOf(right[k]));
  return [...names.values()];
}

// What a training changed, for the ladder. A merge is known by the bytes of its token.
export function changesBetween(last, now) {
  const places = new Map(namesOf(last).map((name, k) => [name, k]));
  const old = namesOf(now).map((name) => places.get(name) ?? -1);
  const stay = new Set(old);
  const many = (is) => old.filter(is).length;
  return {
    old,
    gone: rowsOf(last).flatMap((row, at) => (stay.has(at) ? [] : [{ at, ...row }])),
    up: many((before, k) => before > k),
    down: many((before, k) => before >= 0 && before < k),
    fresh: many((before) => before < 0),
  };
}

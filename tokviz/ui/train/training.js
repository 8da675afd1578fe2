// A training of the corpus that is being written, as Python answers it (tokviz/ui/train/questions.py), and what it changed.
//
// A training has columns with a number for each merge (left, right, id, count, replaced), `tokens` with one for each step,
// the bytes of its tokens as `vocabulary`, the corpus under it as `encoding`, and the number of its `specials`.

import { cutFirst, fromBase64, OPEN, textOf } from "../tokenview/encoding.js";
import { Merges, numbersIn, Vocabulary } from "../tokenview/merges.js";

const ALPHABET = Int32Array.from({ length: 256 }, (_, byte) => byte);
const NO_COLUMNS = { left: "", right: "", id: "", count: "", unreplaced: "", tied: "" };
const NOTHING = { columns: NO_COLUMNS, tokens: 0, specials: 0, whole: {}, special_ids: [] };

// The training that was answered for this text.
export async function trainingOf(said, text) {
  const packed = new Blob([fromBase64(said.seams)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return trained(said, text, numbersIn(new Uint8Array(await new Response(packed).arrayBuffer())));
}

// seams: as `training_data` of questions.py folds them.
function trained({ columns, tokens, stopped, specials, ...cut }, text, seams) {
  const merges = new Merges(columns, tokens);
  const encoding = {
    ...textOf(text),
    seams: Int32Array.from(seams, (seam) => (seam < 2 ? OPEN + seam : seam - 3)),
    mintedBy: new Map(merges.id.entries()),
    alphabet: ALPHABET,
    whole: new Map(Object.entries(cut.whole).map(([start, id]) => [Number(start), id])),
    specialIds: cutFirst(cut),
    bare: 0,
    characters: 0,
  };
  return { ...merges, encoding, vocabulary: new Vocabulary(ALPHABET, merges), stopped, specials };
}

export const UNTRAINED = trained(NOTHING, "", []);

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

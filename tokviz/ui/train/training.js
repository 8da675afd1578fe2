// A training of the corpus that is being written, and what an answer of the socket makes of it. The answer has only what
// changed: see tokviz/ui/train/socket.py.
//
// A training has columns with a number for each merge (left, right, id, count, replaced), `tokens` with one for each step,
// the bytes of its tokens as `vocabulary`, the corpus under it as `encoding`, and the number of its `specials`.

import { cutFirst, splice } from "../tokenview/encoding.js";
import { Vocabulary } from "../tokenview/merges.js";
import { NOTHING } from "../tokenview/patches.js";

const GONE = -9; // in place of the rank of a token that is no longer made
const FIELDS = 7; // numbers of a row
const ALPHABET = Int32Array.from({ length: 256 }, (_, byte) => byte);
const COLUMNS = ["left", "right", "id", "count", "replaced"];

// The training with these columns of a corpus.
function training(columns, tokensBefore, encoding) {
  const { length, replaced } = columns;
  const tokens = new Float64Array(length + 1);
  tokens[0] = tokensBefore;
  for (let k = 0; k < length; k++) tokens[k + 1] = tokens[k] - replaced[k];
  return { ...columns, tokens, encoding, vocabulary: new Vocabulary(ALPHABET, columns) };
}

function columnsOf(length) {
  const columns = { length };
  for (const name of COLUMNS) columns[name] = new Int32Array(length);
  for (let k = 0; k < length; k++) columns.id[k] = 256 + k;
  return columns;
}

const encodingOf = (text, seams, length, whole = new Map()) => ({
  ...text,
  seams,
  whole,
  mintedBy: new Map(Array.from({ length }, (_, rank) => [rank, 256 + rank])),
  alphabet: ALPHABET,
  specialIds: cutFirst({ special_ids: [...whole.values()] }),
  bare: 0,
});

export const UNTRAINED = { ...training(columnsOf(0), 0, encodingOf(NOTHING, new Int32Array(0), 0)), specials: 0 };

// The rows of the ladder: of each merge the bytes of its two tokens, and its count.
export const rowsOf = ({ left, right, count, length, vocabulary }) =>
  Array.from({ length }, (_, k) => rowOf(vocabulary, left[k], right[k], count[k]));

const rowOf = (vocabulary, left, right, count) => ({
  left: vocabulary.bytes(left),
  right: vocabulary.bytes(right),
  count,
});

// The training after an answer to a change, and its changes for the ladder. last: the training before. header, numbers:
// the answer. text: the corpus now. Null if they do not fit together.
export function trainedAgain(last, header, numbers, text) {
  const columns = columnsOf(header.merges);
  const old = new Int32Array(header.merges).fill(-1);
  const ranks = new Int32Array(last.length).fill(GONE); // old rank -> new rank
  const { left, right, count, replaced } = columns;
  for (const [rank, before, many] of header.kept) {
    for (let i = 0; i < many; i++) {
      old[rank + i] = before + i;
      ranks[before + i] = rank + i;
    }
  }
  const now = (id) => (id < 256 ? id : 256 + ranks[id - 256]);
  let at = 0;
  for (let i = 0; i < header.rows; i++, at += FIELDS) {
    const [rank, before] = numbers.subarray(at, at + 2);
    old[rank] = before;
    if (before >= 0) ranks[before] = rank;
    [left[rank], right[rank], count[rank], replaced[rank]] = numbers.subarray(at + 2, at + 6);
  }
  for (const [rank, before, many] of header.kept) {
    for (let i = 0; i < many; i++) {
      left[rank + i] = now(last.left[before + i]);
      right[rank + i] = now(last.right[before + i]);
      count[rank + i] = last.count[before + i];
      replaced[rank + i] = last.replaced[before + i];
    }
  }
  const moved = last.encoding.seams.map((seam) => (seam >= 0 && seam < ranks.length ? ranks[seam] : seam));
  const [first, removed, added] = header.edit;
  const seams = splice(moved, first, removed, new Int32Array(added));
  if (seams.length !== text.n) return null;
  const runs = at;
  at += 2 * header.runs;
  for (let i = runs; i < runs + 2 * header.runs; i += 2) {
    const [start, many] = numbers.subarray(i, i + 2);
    seams.set(numbers.subarray(at, at + many), start);
    at += many;
  }
  const whole = new Map();
  for (let i = 0; i < header.whole; i++, at += 2) whole.set(numbers[at], 256 + header.merges + numbers[at + 1]);
  const { left: oldLeft, right: oldRight, count: oldCount, vocabulary } = last;
  const gone = header.gone.map((k) => ({ at: k, ...rowOf(vocabulary, oldLeft[k], oldRight[k], oldCount[k]) }));
  const after = training(columns, header.tokens, encodingOf(text, seams, header.merges, whole));
  after.stopped = header.stopped;
  after.specials = header.specials.length;
  return [after, { old, gone, up: header.up, down: header.down, fresh: header.new }];
}

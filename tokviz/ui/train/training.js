// A training of the corpus that is being written, as Python answers it (tokviz/ui/train/questions.py), and what it changed.
//
// A training has columns with a number for each merge (left, right, id, count, replaced), `tokens` with one for each step,
// the bytes of its tokens as `vocabulary`, all bytes of what each merge makes as `names`, the corpus under it as
// `encoding`, and what the page says of it as `said`.

import { figure } from "../kit/words.js";
import { cutFirst, fromBase64, OPEN, textOf } from "../tokenview/encoding.js";
import { Merges, numbersIn, Vocabulary } from "../tokenview/merges.js";

const ALPHABET = Int32Array.from({ length: 256 }, (_, byte) => byte);
const NO_COLUMNS = { left: "", right: "", id: "", count: "", unreplaced: "", tied: "" };
const NOTHING = { columns: NO_COLUMNS, tokens: 0, whole: {}, special_ids: [], said: { name: "Written 256" } };

// The training that was answered for this text.
export async function trainingOf(answer, text) {
  const packed = new Blob([fromBase64(answer.seams)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return trained(answer, text, numbersIn(new Uint8Array(await new Response(packed).arrayBuffer())));
}

// seams: as `training_data` of questions.py folds them.
function trained({ columns, tokens, said, ...cut }, text, seams) {
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
  return { ...merges, encoding, vocabulary: new Vocabulary(ALPHABET, merges), names: namesOf(merges), said };
}

function namesOf({ left, right, id, length }) {
  const names = new Map();
  const nameOf = (id) => names.get(id) ?? String.fromCharCode(id);
  for (let k = 0; k < length; k++) names.set(id[k], nameOf(left[k]) + nameOf(right[k]));
  return [...names.values()];
}

export const UNTRAINED = trained(NOTHING, "", []);

// What a training changed: the rows of the ladder, where those of merges that are gone keep their old places, and a
// sentence. A merge is known by the bytes of its token. A training beside itself has rows without marks.
export function changesBetween(last, now) {
  const before = new Map(last.names.map((name, k) => [name, k]));
  const rows = now.names.map((name, k) => ({ of: now, k, ...moveOf(before.get(name), k) }));
  const here = new Set(now.names);
  const gone = last.names
    .map((name, k) => ({ of: last, k, kind: "gone", mark: "× gone", name }))
    .filter(({ name }) => !here.has(name));
  const many = Map.groupBy([...rows, ...gone], ({ kind }) => kind);
  const said = ["up", "down", "new", "gone"]
    .filter((kind) => many.has(kind))
    .map((kind) => `${figure(many.get(kind).length)} ${kind}`);
  for (const row of rows.length ? gone : []) rows.splice(Math.min(row.k, rows.length), 0, row);
  return { rows, said: said.join(", ") || "no merge moved" };
}

// How a merge moved: the class of its row, and its mark.
function moveOf(before, k) {
  if (before === undefined) return { kind: "new", mark: "+ new" };
  if (before > k) return { kind: "up", mark: `↑ ${figure(before - k)}` };
  return before < k ? { kind: "down", mark: `↓ ${figure(k - before)}` } : { kind: "", mark: "" };
}

// Draws data = {label, pieces: [{clause, sentence, share, figures: [strong, quiet], chunks: [{hex, bytes, words}]}]}.

import { make, putIn } from "../../kit/elements.js";
import { fromHex } from "../encoding.js";
import { chip, drawPieces, piecesOf, spoken } from "../token_view/marks.js";
import { showWhole } from "../token_view/whole.js";

const LETTERS = 24; // of a chunk

// A clause in the font of code. Its spaces are marked, as they are easily missed.
function codeOf(clause) {
  const code = make("code");
  const bytes = new TextEncoder().encode(clause);
  code.dir = "ltr";
  if (bytes.length) code.append(...drawPieces(piecesOf(bytes, 0, bytes.length)));
  else code.append(make("span", "quiet", "(nothing)"));
  return code;
}

function chunkOf({ hex, words }) {
  const bytes = fromHex(hex);
  const item = make("li");
  const drawn = item.appendChild(chip(bytes, undefined, LETTERS));
  drawn.setAttribute("aria-hidden", "true"); // the words name the chunk: a mark has no text of its own
  item.append(make("span", "unseen", `${spoken(bytes, 0, bytes.length)}, `), make("span", "quiet", words));
  return item;
}

function pieceOf({ clause, sentence, share, figures, chunks }) {
  const piece = make("li", share ? "piece" : "piece idle");
  const what = piece.appendChild(make("div", "what"));
  what.append(codeOf(clause));
  if (sentence) what.append(make("p", "", sentence));
  const amount = piece.appendChild(make("div", "amount"));
  const words = amount.appendChild(make("p"));
  words.append(make("b", "", figures[0]), " ", make("span", "quiet", figures[1]));
  if (share) amount.appendChild(make("span", "bar")).style.width = `${100 * share}%`;
  const list = piece.appendChild(make("ul"));
  list.setAttribute("aria-label", "Most frequent chunks");
  list.append(...chunks.map(chunkOf));
  list.hidden = !chunks.length;
  return piece;
}

export default function ({ data, parentElement }) {
  const root = make("div", "tokviz pattern-pieces");
  const list = root.appendChild(make("ol"));
  list.setAttribute("aria-label", data.label);
  list.append(...data.pieces.map(pieceOf));
  putIn(parentElement, root);
  return showWhole(root);
}

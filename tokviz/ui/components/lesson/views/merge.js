// A merge in a row: its pair and, behind an arrow, the token that it makes.

import { make, sign } from "../../../kit/elements.js";
import { drawPair } from "../../sentences.js";
import { chip } from "../../token_view/marks.js";

export const TOKEN_LETTERS = 8; // of a token in a row, before it is cut

export function drawMerge(left, right) {
  const made = chip(Uint8Array.from([...left, ...right]), undefined, 2 * TOKEN_LETTERS);
  const token = make("span", "token-of");
  token.append(sign(" → ", "becomes"), made);
  return [drawPair(left, right, TOKEN_LETTERS), token];
}

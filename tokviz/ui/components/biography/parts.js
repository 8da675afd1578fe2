// What the parts of a biography are made of: a group under a heading, a token that can be pressed, "12 more".

import { asStatus, make, makeButton } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { fromHex } from "../encoding.js";
import { chip, drawPieces, piecesOf, spoken } from "../token_view/marks.js";

const TOKEN_LETTERS = 24; // of a token in a row

export function bioGroup(heading) {
  const part = make("section", "bio-group");
  part.append(make("h3", "", heading));
  return part;
}

// A token whose biography a press shows.
export function tokenButton({ id, bytes }, pin, hue) {
  const token = fromHex(bytes);
  const label = `${spoken(token, 0, token.length)}, id ${id}: show its biography`;
  const button = makeButton("bio-token", "", () => pin(id), label);
  button.append(chip(token, hue, TOKEN_LETTERS));
  button.title = `id ${figure(id)}`;
  return button;
}

// Bytes as running text: spaces are spaces, and only what cannot be seen gets a mark.
export function inText(bytes) {
  const pieces = piecesOf(bytes, 0, bytes.length).map(([kind, string, at]) => [
    kind === "space" ? "text" : kind,
    string,
    at,
  ]);
  return drawPieces(pieces);
}

// A button that shows more rows, as many as come at once. ask() is a Promise; trouble is said beside it.
export function moreButton(rest, atOnce, ask) {
  const line = make("p", "bio-more");
  const button = makeButton("bio-button", `${figure(Math.min(rest, atOnce))} more`, async () => {
    button.setAttribute("aria-disabled", "true");
    try {
      await ask();
    } catch (error) {
      button.removeAttribute("aria-disabled");
      said.textContent = error.message;
    }
  });
  const said = asStatus(make("span", "quiet"));
  line.append(button, " ", said);
  return line;
}

// What the parts of a biography are made of: a token that can be pressed, bytes as text, "12 more".

import { html, keyed } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { fromHex } from "../tokenview/encoding.js";
import { chip, drawPieces, piecesOf, spoken } from "../tokenview/marks.js";

const TOKEN_LETTERS = 24; // of a token in a row

// A token whose biography a press shows.
export function tokenButton({ id, bytes }, pin, hue) {
  const token = fromHex(bytes);
  return html`<button type="button" class="bio-token" title="id ${figure(id)}" @click=${() => pin(id)}
    aria-label="${spoken(token, 0, token.length)}, id ${id}: show its biography">${chip(token, hue, TOKEN_LETTERS)}</button>`;
}

export function inPieces(hex) {
  const bytes = fromHex(hex);
  return drawPieces(piecesOf(bytes, 0, bytes.length));
}

// Bytes as running text: spaces are spaces, and only what cannot be seen gets a mark.
export function inText(hex) {
  const bytes = fromHex(hex);
  const asText = ([kind, ...piece]) => [kind === "space" ? "text" : kind, ...piece];
  return drawPieces(piecesOf(bytes, 0, bytes.length).map(asText));
}

export const remains = (count) => `${figure(count)} ${count === 1 ? "remains" : "remain"}`;

// A button that shows more rows, as many as come at once. ask() is a Promise; trouble is said beside it.
export const moreButton = (rest, atOnce, ask) => {
  const press = ({ currentTarget: button }) => {
    button.ariaDisabled = "true";
    ask().catch(({ message }) => {
      button.ariaDisabled = null;
      button.nextElementSibling.textContent = message;
    });
  };
  return keyed(
    rest,
    html`<p class="bio-more"><button type="button" class="bio-button"
      @click=${press}>${figure(Math.min(rest, atOnce))} more</button> <span class="quiet" role="status"></span></p>`,
  );
};

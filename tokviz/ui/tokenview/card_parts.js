// What a card has in it: a token that can be pressed, bytes as text, "12 more", and the tokens that absorbed a token.

import { html, keyed } from "../kit/html.js";
import { figure, mergeNumber, quantity } from "../kit/words.js";
import { fromHex } from "./encoding.js";
import { chip, drawPieces, piecesOf, spoken } from "./marks.js";

const TOKEN_LETTERS = 24; // of a token in a row
const FAMILY_AT_ONCE = 12; // as FAMILY in tokviz/vocabulary/card.py

// look: what a press does, for screen readers.
export function tokenButton({ id, bytes }, look, press, hue) {
  const token = fromHex(bytes);
  return html`<button type="button" class="token-button plain" title="id ${figure(id)}" @click=${() => press(id, token)}
    aria-label="${spoken(token, 0, token.length)}, id ${id}: ${look}">${chip(token, hue, TOKEN_LETTERS)}</button>`;
}

function inPieces(hex) {
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
    html`<p class="more-row"><button type="button"
      @click=${press}>${figure(Math.min(rest, atOnce))} more</button> <span class="quiet" role="status"></span></p>`,
  );
};

// The tokens that absorbed a token, as a tree of two levels, by rank. family: null if it is being looked up. shown: the
// children in view. fault: why the family is not known. button(token) draws one of them. above: a line above them. more() is
// a Promise of more of them; without it, the rest is counted.
export const familyOf = (family, { shown, fault, button, above, more }) => html`<section class="group">
  <h3>${headingOf(family)}</h3>
  ${
    !family
      ? html`<p class="quiet told">${fault ?? "They are being looked up. This reads all merges once and takes a few seconds."}</p>`
      : family.n > 0 &&
        html`${above}<ul class="family">${shown.map((child) => childOf(child, button))}${
          !more && restOf(family.n - shown.length)
        }</ul>${more && shown.length < family.n && moreButton(family.n - shown.length, FAMILY_AT_ONCE, more)}`
  }
</section>`;

function headingOf(family) {
  if (!family) return "The tokens that absorbed it";
  if (!family.n) return "No token absorbed it";
  return family.n === 1 ? "The token that absorbed it" : `The ${figure(family.n)} tokens that absorbed it`;
}

const restOf = (rest) => rest > 0 && html`<li class="rest quiet">and ${quantity(rest, "other")}</li>`;

function childOf({ other, leads, rank, took, children, n, ...token }, button) {
  return html`<li><div class="kin">${button(token)}<span
    class="other quiet">${leads && "+ "}${inPieces(other)}${!leads && " +"}</span><span
    class="fact quiet">${mergeNumber(rank)}${took > 0 && html`, <b>took ${figure(took)}</b>`}</span></div>${
      children.length > 0 &&
      html`<ul>${children.map((child) => childOf(child, button))}${restOf(n - children.length)}</ul>`
    }</li>`;
}

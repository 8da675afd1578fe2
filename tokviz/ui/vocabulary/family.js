// The tokens that absorbed a token, as a tree of two levels, by rank.

import { html } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { fromHex } from "../tokenview/encoding.js";
import { chip } from "../tokenview/marks.js";
import { inPieces, moreButton, remains, tokenButton } from "./parts.js";

const FAMILY_AT_ONCE = 12; // as FAMILY in tokviz/ui/vocabulary/biography.py
const FIRST_ROWS = 12; // rows that are shown at first, of both levels

// The children that are shown at first.
export function firstOf({ children }) {
  let rows = 0;
  return children.filter((child) => {
    const fits = rows < FIRST_ROWS;
    rows += 1 + child.children.length;
    return fits;
  });
}

// shown: the children in view. fault: why the family is not known. more() is a Promise of more of it.
export const familyOf = ({ bytes, fate, family }, { shown, fault, pin, more }) => html`<section class="bio-group">
  <h3>${headingOf(family)}</h3>
  <div>${
    !family
      ? html`<p class="quiet">${fault ?? "They are being looked up: all merges are read once, in a few seconds."}</p>`
      : family.n > 0 &&
        html`<div class="bio-row">${chip(fromHex(bytes))}${fate && html`<span class="bio-fact quiet">${remains(fate.remain)}</span>`}</div>
          <ul class="bio-family">${shown.map((child) => childOf(child, pin))}</ul>
          ${shown.length < family.n && moreButton(family.n - shown.length, FAMILY_AT_ONCE, more)}`
  }</div>
</section>`;

function headingOf(family) {
  if (!family) return "The tokens that absorbed it";
  if (!family.n) return "No token absorbed it";
  return family.n === 1 ? "The token that absorbed it" : `The ${figure(family.n)} tokens that absorbed it`;
}

function childOf({ other, leads, rank, took, children, n, ...token }, pin) {
  const rest = n - children.length;
  return html`<li><div class="bio-row">${tokenButton(token, pin)}<span
    class="bio-other quiet">${leads && "+ "}${inPieces(other)}${!leads && " +"}</span><span
    class="bio-fact quiet">merge ${figure(rank + 1)}${took > 0 && html`, <b>took ${figure(took)}</b>`}</span></div>${
      children.length > 0 &&
      html`<ul>${children.map((child) => childOf(child, pin))}${
        rest > 0 && html`<li class="bio-rest quiet">and ${quantity(rest, "other")}</li>`
      }</ul>`
    }</li>`;
}

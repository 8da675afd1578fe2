// The places of a token in what is counted: where it remains, and where it was absorbed. A place opens Replay or Tokens.

import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { inText, moreButton } from "../tokenview/card_parts.js";
import { CUT_FIRST, fromHex } from "../tokenview/encoding.js";
import { chip, spoken } from "../tokenview/marks.js";
import { pressTo } from "../tokenview/page_link.js";

const PLACES_AT_ONCE = 20; // as MORE_PLACES in tokviz/ui/vocabulary/token_card.py
const BEFORE = 60; // bytes before a place with which the window of Replay begins

// places: those in view, with the `fault` of the last question. turn(remaining) shows the others, more() is a Promise of
// more of them.
export function placesOf(data, { n, rows, remaining, fault }, { turn, more }) {
  const { made, remain } = data.fate;
  const where = data.corpus ? "in the corpus" : "in the text";
  const gone = remaining || made === remain ? "" : " where it was absorbed";
  const kinds = [
    [true, `${figure(remain)} where it remains`],
    [false, `${figure(made - remain)} where it was absorbed`],
  ];
  const isMore = rows.length > 0 && rows.length < n;
  return html`<section class="group">
    <h3>${n ? `Its ${n === 1 ? "one place" : `${figure(n)} places`} ${where}${gone}` : `Its places ${where}`}</h3>
    ${
      remain > 0 &&
      remain < made &&
      html`<div class="choice"><span role="group" aria-label="Which places">${kinds.map(
        ([is, words]) => html`<button type="button" aria-pressed=${is === remaining}
          @click=${() => is !== remaining && turn(is)}>${words}</button>`,
      )}</span></div>`
    }
    <ul class="places">${rows.map((row) => placeOf(row, data))}</ul>
    <div>${
      fault
        ? html`<p class="quiet">${fault}</p>`
        : n
          ? isMore && moreButton(n - rows.length, PLACES_AT_ONCE, more)
          : html`<p class="quiet">They are not known: the text itself is not here.</p>`
    }</div>
  </section>`;
}

// A line of text, a link if a page can show it.
function placeOf({ start, left, bytes, right, taker }, { kind, opens }) {
  const token = chip(fromHex(bytes));
  token.classList.toggle("inverse", kind in CUT_FIRST);
  const by = taker && fromHex(taker.bytes);
  const said = by && `absorbed by ${spoken(by, 0, by.length)}`;
  const { address, title, press } = opens ? linkTo(opens, start) : {};
  return html`<li><a class="place-line" href=${address} title=${title} aria-description=${said} @click=${press}><span
    class="offset quiet">${figure(start)}</span><span class="left-of"><bdi>${inText(left)}</bdi></span>${token}<span
    class="right-of">${inText(right)}</span></a>${by && html`<p class="taker quiet">absorbed by ${chip(by)}</p>`}</li>`;
}

function linkTo({ page, query }, start) {
  const isReplay = page === "replay";
  const to = `${query}&${isReplay ? `start=${Math.max(0, start - BEFORE)}` : `pin=0.${start}`}`;
  return {
    address: `${page}?${to}`,
    title: isReplay ? "See in Replay how it is made here" : "See it here on Tokens",
    press: pressTo(page, to),
  };
}

// The places of a token in what is counted: where it remains, and where it was absorbed. A place opens Replay or Tokens.

import { choice } from "../kit/choices.js";
import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { inText, moreButton } from "../tokenview/card_parts.js";
import { CUT_FIRST, fromHex } from "../tokenview/encoding.js";
import { chip, spoken } from "../tokenview/marks.js";
import { pressTo } from "../tokenview/page_link.js";

const PLACES_AT_ONCE = 20; // as MORE_PLACES in tokviz/ui/vocabulary/token_card.py
const BEFORE = 60; // bytes before a place with which the window of Replay begins

// record: Python's answer; its places have the `fault` of the last question. turn(remaining) shows the others, more() is a
// Promise of more of them.
export function placesOf(record, { turn, more }) {
  const { places, fate, corpus } = record;
  const { n, rows, remaining, fault } = places;
  const where = corpus ? "in the corpus" : "in the text";
  const gone = remaining || fate.made === fate.remain ? "" : " where it was absorbed";
  const which = {
    label: "Which places",
    options: {
      remain: `${figure(fate.remain)} where it remains`,
      absorbed: `${figure(fate.made - fate.remain)} where it was absorbed`,
    },
    value: remaining ? "remain" : "absorbed",
    choose: (of) => turn(of === "remain"),
  };
  return html`<section class="group">
    <h3>${n ? `Its ${n === 1 ? "one place" : `${figure(n)} places`} ${where}${gone}` : `Its places ${where}`}</h3>
    ${fate.remain > 0 && fate.remain < fate.made && choice(which)}
    <ul class="places">${rows.map((row) => placeOf(row, record))}</ul>
    ${fault || !n ? html`<p class="quiet">${fault ?? "They are not known: the text itself is not here."}</p>` : false}
    ${!fault && rows.length > 0 && rows.length < n && moreButton(n - rows.length, PLACES_AT_ONCE, more)}
  </section>`;
}

// A line of text, a link if a page can show it.
function placeOf({ start, left, bytes, right, taker }, { kind, opens }) {
  const token = chip(fromHex(bytes));
  token.classList.toggle("inverse", kind in CUT_FIRST);
  const by = taker && fromHex(taker.bytes);
  const isReplay = opens?.page === "replay";
  const to = opens && `${opens.query}&${isReplay ? `start=${Math.max(0, start - BEFORE)}` : `pin=0.${start}`}`;
  return html`<li><a class="place-line" href=${opens && `${opens.page}?${to}`} @click=${opens && pressTo(opens.page, to)}
    title=${opens && (isReplay ? "See in Replay how it is made here" : "See it here on Tokens")}
    aria-description=${by && `absorbed by ${spoken(by, 0, by.length)}`}><span
    class="offset quiet">${figure(start)}</span><span class="left-of"><bdi>${inText(left)}</bdi></span>${token}<span
    class="right-of">${inText(right)}</span></a>${by && html`<p class="taker quiet">absorbed by ${chip(by)}</p>`}</li>`;
}

// What a new visitor meets above the text: what a token is, and three doors.

import { html } from "../kit/html.js";

const DOORS = [
  ["letters", "Why can’t it count the r’s?", "How a model reads the word"],
  ["cost", "What does this cost?", "Your text under three models"],
  ["own", "Make your own", "Train a tokenizer as you write"],
];

// go(door): its name, as above.
export const opening = (go) => html`<section class="opening" aria-label="What a token is">
  <p class="say">A <b>token</b> is a piece of text that a model reads as one number: a word, a part of a word, or a single
    byte.</p>
  <div class="doors">${DOORS.map(
    ([door, words, more]) => html`<button type="button" class="door" @click=${() => go(door)}><span><b>${words}</b>
      <span class="small quiet">${more}</span></span><span class="way" aria-hidden="true">›</span></button>`,
  )}</div>
</section>`;

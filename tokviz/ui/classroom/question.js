// What teacher and students see of a question: its text in tokens, its options, and sentences about them.

import { make } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { times } from "../kit/words.js";
import { fromHex, read, startOf } from "../tokenview/encoding.js";
import { homeHues } from "../tokenview/hues.js";
import { chip, spoken } from "../tokenview/marks.js";
import { TokenView } from "../tokenview/pointing.js";
import { drawPair, drawParts } from "../tokenview/sentences.js";

const LONG = 100; // UTF-16 units of a text, from which a teacher's screen has it smaller

// The text of a question.
export class QuestionText extends TokenView {
  constructor(strip) {
    super(make("div", strip.text.length > LONG ? "strip long" : "strip"), "The text of the question");
    this.entered = false; // there is nothing to do with a single token here
    this.box.tabIndex = 0; // so that a long text can be scrolled by keys
    this.seams = [];
    const encoding = read(strip);
    this.load(encoding, homeHues(encoding));
  }

  // The pairs of the right answer are boxed as if they were to merge now: nothing that merges later is in the text.
  places(k) {
    return k === this.k ? this.seams : [];
  }

  // places: [[start, end], ...] in bytes.
  join(places) {
    this.seams = places.map(([, end]) => startOf(this.encoding, end - 1, this.k));
    this.mark();
  }
}

export const press = (look, text, act) =>
  html`<button type="button" class="press ${look}" @click=${act}>${text}</button>`;

// A question, without its options. where: what is beside its title.
export function drawAsked({ asked: { title, lead }, state, text }, where) {
  text?.join(state.result?.places ?? []);
  return html`<div class="flow ends head"><h1 dir="auto">${title}</h1>${where}</div>
    ${lead && html`<p class="quiet lead">${lead}</p>`}
    ${text?.box}`;
}

// An option: its letter, and tokens, of which two are a pair, or words.
export function drawOption({ letter, tokens, text }) {
  const bytes = tokens.map(fromHex);
  const words = html`<span class="option-text" dir="auto">${text}</span>`;
  const chips = html`<span class="pair-of">${bytes.map((token) => chip(token))}</span>`;
  const drawn = bytes.length === 2 ? drawPair(...bytes) : bytes.length ? chips : words;
  return html`<span class="letter">${letter}</span>${drawn}`;
}

// The same for a screen reader.
export function spokenOption({ letter, tokens, text }) {
  const said = tokens.map((hex) => spoken(fromHex(hex), 0, hex.length / 2));
  return `${letter}: ${said.length ? said.join(said.length === 2 ? " and " : ", ") : text}`;
}

export const drawSentences = (sentences) => sentences.flatMap((sentence) => [...drawParts(sentence), " "]);

export const occurrences = (count) => (count === null ? "" : times(count));

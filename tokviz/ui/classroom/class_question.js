// What teacher and students see of a question: its text in tokens, its options, and sentences about them.

import { make } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { times } from "../kit/words.js";
import { fromHex, read } from "../tokenview/encoding.js";
import { homeHues } from "../tokenview/hues.js";
import { chip, spoken } from "../tokenview/marks.js";
import { TokenView } from "../tokenview/pointing.js";
import { drawPair, drawParts } from "../tokenview/sentences.js";

const LONG = 100; // UTF-16 units of a text, from which a teacher's screen has it smaller

// The text of the question that is shown. A view of tokens draws it, in an element that stays until another one comes.
export class QuestionText {
  close() {
    this.view?.close();
    this.question = this.view = null;
  }

  // The element of a question's text with these places boxed, [[start, end], ...] in bytes; none if it has no text.
  of(question, places = []) {
    if (question !== this.question) this.load(question);
    for (const box of this.boxed) box.replaceWith(...box.childNodes);
    this.boxed = places.map(([start, end]) => this.box(start, end)).filter(Boolean);
    return this.view?.box;
  }

  load(question) {
    this.close();
    this.question = question;
    this.boxed = [];
    if (!question.strip) return;
    const box = make("div", question.strip.text.length > LONG ? "strip long" : "strip");
    this.view = new TokenView(box, "The text of the question");
    this.view.entered = false; // there is nothing to do with a single token here
    box.tabIndex = 0; // so that a long text can be scrolled by keys
    const encoding = read(question.strip);
    this.view.load(encoding, homeHues(encoding));
  }

  box(start, end) {
    const tokens = [...(this.view?.spans.values() ?? [])].filter((token) => token.start >= start && token.end <= end);
    if (!tokens.length) return null;
    tokens.sort((one, other) => one.start - other.start);
    const box = make("span", "pair");
    tokens[0].before(box);
    box.append(...tokens);
    return box;
  }
}

export const press = (look, text, act) =>
  html`<button type="button" class="press ${look}" @click=${act}>${text}</button>`;

// An option: tokens, of which two are a pair, or words.
export function drawOption({ tokens, text }) {
  const bytes = tokens.map(fromHex);
  if (bytes.length === 2) return drawPair(...bytes);
  if (bytes.length) return html`<span class="pair-of">${bytes.map((token) => chip(token))}</span>`;
  return html`<span class="option-text" dir="auto">${text}</span>`;
}

// The same for a screen reader.
export function spokenOption({ letter, tokens, text }) {
  const said = tokens.map((hex) => spoken(fromHex(hex), 0, hex.length / 2));
  return `${letter}: ${said.length ? said.join(said.length === 2 ? " and " : ", ") : text}`;
}

export const drawSentences = (sentences) => sentences.flatMap((sentence) => [...drawParts(sentence), " "]);

export const occurrences = (count) => (count === null ? "" : times(count));

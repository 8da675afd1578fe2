// What teacher and students see of a question: its text in tokens, its options, and sentences about them.

import { make } from "../kit/elements.js";
import { times } from "../kit/words.js";
import { fromHex, read } from "./encoding.js";
import { homeHues } from "./hues.js";
import { drawPair, drawParts } from "./sentences.js";
import { chip, spoken } from "./token_view/marks.js";
import { TokenView } from "./token_view/pointing.js";

export class QuestionText {
  // box: the element to draw in.
  constructor(box) {
    this.view = new TokenView(box, "The text of the question");
    this.view.entered = false; // there is nothing to do with a single token here
    box.tabIndex = 0; // so that a long text can be scrolled by keys
    this.boxed = [];
  }

  close() {
    this.view.close();
  }

  // Draw a question's text, and box these places: [[start, end], ...] in bytes.
  draw(strip, places = []) {
    const { view } = this;
    if (strip !== this.strip) {
      this.strip = strip;
      const encoding = read(strip);
      view.load(encoding, homeHues(encoding));
      this.boxed = [];
    }
    for (const box of this.boxed) box.replaceWith(...box.childNodes);
    this.boxed = places.map(([start, end]) => this.box(start, end)).filter(Boolean);
  }

  box(start, end) {
    const tokens = [...this.view.spans.values()].filter((token) => token.start >= start && token.end <= end);
    if (!tokens.length) return null;
    tokens.sort((one, other) => one.start - other.start);
    const box = make("span", "pair");
    tokens[0].before(box);
    box.append(...tokens);
    return box;
  }
}

// An option: tokens, of which two are a pair, or words.
export function drawOption({ tokens, text }) {
  const bytes = tokens.map(fromHex);
  if (bytes.length === 2) return drawPair(...bytes);
  const option = make("span", bytes.length ? "pair-of" : "option-text", bytes.length ? "" : text);
  if (!bytes.length) option.dir = "auto";
  option.append(...bytes.map((token) => chip(token)));
  return option;
}

// The same for a screen reader.
export function spokenOption({ letter, tokens, text }) {
  const said = tokens.map((hex) => spoken(fromHex(hex), 0, hex.length / 2));
  return `${letter}: ${said.length ? said.join(said.length === 2 ? " and " : ", ") : text}`;
}

export const drawSentences = (sentences) => sentences.flatMap((sentence) => [...drawParts(sentence), " "]);

export const occurrences = (count) => (count === null ? "" : times(count));

// The block of a corpus that the learner writes, with the merges of its training, as on the Train page. A merge that is
// chosen shows the corpus after it.

import { html, render } from "../kit/html.js";
import { quantity } from "../kit/words.js";
import { fromHex, read } from "../tokenview/encoding.js";
import { homeHues } from "../tokenview/hues.js";
import { Ladder } from "../tokenview/ladder.js";
import { TokenView } from "../tokenview/pointing.js";
import { Strip } from "../tokenview/strip.js";

const MARKED = 1000; // ms that the rows that moved are marked, once the typing rests

export class LadderView {
  constructor() {
    this.ladder = new Ladder({ chosen: (step) => this.choose(step), entered: () => this.strip.box.focus() });
    const boxOf = (name) => Object.assign(document.createElement("div"), { className: name });
    this.strip = new Strip(boxOf("view strip"), "The corpus in tokens");
    this.strip.steady = true;
    this.word = new TokenView(boxOf("view"), "The word in tokens");
    this.box = boxOf("live-halves");
    this.rows = [];
  }

  close() {
    clearTimeout(this.rest);
    this.ladder.close();
    this.strip.close();
    this.word.close();
  }

  show(data) {
    const { tokens, merges, size, word } = data;
    this.word.box.hidden = !word;
    render(
      html`<div>
          <p class="words above"><b>${quantity(tokens, "token")}</b><span class="quiet">${quantity(size, "byte")}, ${quantity(merges.length, "merge")}</span></p>
          ${this.strip.box}
          ${word && html`<p class="words above"><b>“${word}”</b><span class="quiet">${quantity(data.word_tokens, "token")}</span></p>`}
          ${this.word.box}
        </div>
        ${this.ladder.root}`,
      this.box,
    );
    this.strip.load(read(data.encoding), merges.length);
    const encoded = read(data.word_encoding);
    this.word.load(encoded, homeHues(encoded));
    const rows = merges.map(([{ left, right }, count]) => ({
      left: fromHex(left),
      right: fromHex(right),
      made: left + right,
      count,
    }));
    this.ladder.show(rows, this.told ? changesOf(this.rows, rows) : null, merges.length);
    this.ladder.say(rows.length ? "" : data.none);
    this.told = true;
    this.rows = rows;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.ladder.show(rows, null, this.ladder.step), MARKED);
  }

  choose(step) {
    this.ladder.point(step);
    this.strip.step(step, step - 1, { pairs: false });
  }
}

// What moved in the ladder, in the form that it takes. A merge is known by the token that it makes.
function changesOf(before, now) {
  const places = new Map(before.map(({ made }, place) => [made, place]));
  const made = new Set(now.map((row) => row.made));
  const gone = before.map((row, at) => ({ ...row, at })).filter((row) => !made.has(row.made));
  return { old: now.map((row) => places.get(row.made) ?? -1), gone };
}

// A corpus that the learner writes, with the merges of its training, as on the Train page. A merge that is chosen shows
// the corpus after it.

import { make } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { fromHex, read } from "../../encoding.js";
import { homeHues } from "../../hues.js";
import { Ladder } from "../../live_training/ladder.js";
import { Strip } from "../../replay/strip.js";
import { TokenView } from "../../token_view/pointing.js";
import { Field } from "./field.js";

const MARKED = 1000; // ms that the rows that moved are marked, once the typing rests

export class LiveTrainingView {
  constructor(box, change) {
    this.field = new Field(box, change, "Corpus", 1);
    const halves = box.appendChild(make("div", "live-halves"));
    const left = halves.appendChild(make("div"));
    this.counts = left.appendChild(make("p", "row-head"));
    this.strip = new Strip(left.appendChild(make("div", "view strip")), "The corpus in tokens");
    this.strip.steady = true;
    this.wordHead = left.appendChild(make("p", "row-head word-head"));
    this.word = new TokenView(left.appendChild(make("div", "view")), "The word in tokens");
    const choose = (step) => this.choose(step);
    this.ladder = new Ladder({ chosen: choose, entered: () => this.strip.box.focus() });
    halves.append(this.ladder.root);
    this.rows = [];
  }

  close() {
    clearTimeout(this.rest);
    this.ladder.close();
    this.strip.close();
    this.word.close();
  }

  show(data) {
    const { tokens, merges, bytes } = data;
    this.field.show(data);
    this.counts.replaceChildren(
      make("b", "", quantity(tokens, "token")),
      make("span", "quiet", `${quantity(bytes, "byte")}, ${quantity(merges, "merge")}`),
    );
    this.strip.load(read(data.encoding), merges);
    this.wordHead.replaceChildren(
      make("b", "", `“${data.word}”`),
      make("span", "quiet", quantity(data.word_tokens, "token")),
    );
    this.wordHead.hidden = this.word.box.hidden = !data.word;
    const word = read(data.word_encoding);
    this.word.load(word, homeHues(word));
    const rows = data.rows.map(({ left, right, count }) => ({
      left: fromHex(left.hex),
      right: fromHex(right.hex),
      made: left.hex + right.hex,
      count,
    }));
    this.ladder.show(rows, this.told ? changesOf(this.rows, rows) : null, merges);
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

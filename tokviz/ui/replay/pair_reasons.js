// Replay: why this pair? The candidates of the step in view, with their exact counts over the whole corpus, and the
// rule that decided. Python counts and explains (tokviz/training/why.py); it is asked when the step has come to rest.

import { make } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { chip } from "../tokenview/marks.js";
import { drawParts } from "../tokenview/sentences.js";

const REST_REASONS = 40; // ms without a step; a held key repeats more slowly
const REMEMBERED = 200; // answers

export class PairReasons {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".why");
    this.body = this.box.querySelector("tbody");
    this.table = this.box.querySelector("table");
    this.words = this.box.querySelector(".said");
    this.answers = new Map();
    this.shown = null;
  }

  close() {
    clearTimeout(this.resting);
  }

  load(data, vocabulary) {
    Object.assign(this, { vocabulary, shown: null });
    this.answers.clear();
    this.box.hidden = !data.live || data.others;
    this.body.replaceChildren();
    this.words.replaceChildren();
  }

  // The step in view is k. While the reader moves on, the table is greyed.
  step(k, moving) {
    clearTimeout(this.resting);
    if (this.box.hidden) return;
    this.k = k;
    this.box.classList.toggle("waits", this.shown !== k);
    const known = this.answers.get(k);
    if (known && !moving) return this.draw(known);
    if (!moving) this.resting = setTimeout(() => this.ask(k), REST_REASONS);
  }

  ask(k) {
    this.stage.ask("why", { step: k }).then(
      (answer) => {
        if (this.answers.size >= REMEMBERED) this.answers.delete(this.answers.keys().next().value);
        this.answers.set(k, answer);
        if (k === this.k) this.draw(answer);
      },
      ({ message }) => k === this.k && this.draw({ step: k, candidates: [], said: [[message]] }),
    );
  }

  draw({ step, candidates, said }) {
    this.shown = step;
    this.box.classList.remove("waits");
    this.box.dataset.answered = step;
    this.table.hidden = !candidates.length;
    const most = Math.max(...candidates.map(({ count }) => count));
    const lead = candidates.length ? candidates[0].count : 0;
    this.body.replaceChildren(
      ...candidates.map((candidate, i) => {
        const { left, right, count, state } = candidate;
        const row = make("tr", i === 0 && state ? "winner" : state ? "tied" : "");
        row.setAttribute("role", "row");
        const cell = (className = "", ...content) => {
          const element = row.appendChild(make("td", className));
          element.setAttribute("role", "cell");
          element.append(...content);
          return element;
        };
        cell("pair-cell", ...this.vocabulary.sum(left, right));
        const joined = this.vocabulary.joined(left, right);
        cell("makes", joined ? chip(joined) : "–");
        cell("number", figure(count));
        const bar = cell("bar").appendChild(make("span"));
        bar.style.width = `${Math.max(1, (100 * count) / most)}%`;
        const behind = count - lead;
        cell("number", i === 0 ? "" : behind > 0 ? `+${figure(behind)}` : figure(behind).replace("-", "−"));
        cell("state", ...(state ? [make("span", "pill", state)] : []));
        return row;
      }),
    );
    this.words.replaceChildren(
      ...said.map((sentence, i) => {
        const element = make("span", i ? "more-said" : "");
        element.append(...drawParts(sentence, { vocabulary: this.vocabulary }), " ");
        return element;
      }),
    );
  }
}

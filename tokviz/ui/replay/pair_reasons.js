// Replay: why this pair? The candidates of the step in view, with their exact counts over the whole corpus, and the
// rule that decided. Python counts and explains (tokviz/training/why.py); it is asked when the step has come to rest.

import { html, render } from "../kit/html.js";
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
    render(null, this.body);
    render(null, this.words);
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
    render(
      candidates.map((candidate, i) => this.rowOf(candidate, i, candidates)),
      this.body,
    );
    const inParts = (sentence) => drawParts(sentence, { vocabulary: this.vocabulary });
    render(
      said.map((sentence, i) => html`<span class=${i ? "more-said" : ""}>${inParts(sentence)} </span>`),
      this.words,
    );
  }

  rowOf({ left, right, count, state }, i, candidates) {
    const most = Math.max(...candidates.map((candidate) => candidate.count));
    const behind = count - candidates[0].count;
    const said = behind > 0 ? `+${figure(behind)}` : figure(behind).replace("-", "−");
    const joined = this.vocabulary.joined(left, right);
    return html`<tr role="row" class=${state ? (i ? "tied" : "winner") : ""}>
      <td role="cell" class="pair-cell">${this.vocabulary.sum(left, right)}</td>
      <td role="cell" class="makes">${joined ? chip(joined) : "–"}</td>
      <td role="cell" class="number">${figure(count)}</td>
      <td role="cell" class="bar"><i class="bar" style="width:${Math.max(1, (100 * count) / most)}%"></i></td>
      <td role="cell" class="number">${i > 0 && said}</td>
      <td role="cell" class="state">${state && html`<span class="badge">${state}</span>`}</td>
    </tr>`;
  }
}

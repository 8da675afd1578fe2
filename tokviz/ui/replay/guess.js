// Replay: predict, then reveal. The reader chooses the pair that merges next; then all counts are shown, in the same
// rows. Python asks and judges (tokviz/ui/replay/predict.py), so before that the browser has neither counts nor winner.

import { html, keyed, live, render } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { drawParts } from "../tokenview/sentences.js";

const REST_QUESTION = 40; // ms without a step

export class Guess {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".guess");
    this.options = this.box.querySelector(".options");
    this.verdict = this.box.querySelector(".verdict");
    this.button = this.box.querySelector(".act");
    this.score = this.box.querySelector(".score");
    this.question = null; // the last one that came, with its answer if there was a guess
    this.box.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.told) this.stage.forward(true);
      else this.reveal();
    });
    this.box.addEventListener("change", () => this.choose(Number(new FormData(this.box).get("pair"))));
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input")) return;
      event.preventDefault(); // a form does so by itself, but only while its button is not disabled
      this.box.requestSubmit();
    });
  }

  close() {
    clearTimeout(this.resting);
  }

  load() {
    this.question = this.chosen = null;
  }

  // Is the reader asked about this step?
  get here() {
    return this.stage.predicting && this.question?.step === this.stage.k;
  }

  // Is the answer for the step in view known?
  get told() {
    return this.here && this.question.answer !== null;
  }

  step() {
    const { stage } = this;
    clearTimeout(this.resting);
    this.box.hidden = !stage.predicting;
    this.box.classList.toggle("waits", !this.here && !stage.player.playing);
    if (!stage.predicting || this.here) return;
    this.resting = setTimeout(() => this.ask("pairs", { step: stage.k }), REST_QUESTION);
  }

  ask(name, fields) {
    const { stage } = this;
    stage.ask(name, fields, "guess").then(
      (answer) => {
        if (!stage.predicting || answer.step !== stage.k) return; // the question in view stays
        this.question = answer;
        this.draw();
      },
      ({ message }) => {
        if (!stage.predicting) return;
        if (!this.here) {
          render(null, this.options); // those of another step
          this.button.hidden = true;
          this.box.classList.remove("waits");
        }
        render(message, this.verdict);
      },
    );
  }

  // Show the answer. What the reader has chosen is the guess; nothing chosen is no guess.
  reveal() {
    if (!this.here || this.told) return;
    this.ask("guess", { guess: this.chosen, step: this.question.step });
  }

  // A number key chooses a pair; true if there is such a pair.
  press(digit) {
    const input = this.here && !this.told ? this.options.querySelectorAll("input")[digit - 1] : null;
    if (!input) return false;
    input.checked = true;
    this.choose(digit - 1);
    return true;
  }

  choose(option) {
    this.chosen = option;
    this.button.textContent = "Commit";
    this.underline();
  }

  underline() {
    const { stage, chosen } = this;
    const pair = this.here && !this.told && chosen !== null ? this.question.options[chosen] : [];
    const tokens = pair.map((id) => stage.vocabulary.bytes(id));
    for (const view of stage.views) view.underline(...tokens);
  }

  draw() {
    const { step, options, answer, score } = this.question;
    const { stage } = this;
    const held = this.options.contains(this.box.getRootNode().activeElement);
    this.box.classList.remove("waits");
    this.chosen = answer ? answer.guess : null;
    render(
      keyed(
        step,
        options.map((pair, i) => this.optionOf(pair, i, answer)),
      ),
      this.options,
    );
    const said = answer && html`<b>${answer.verdict}</b> ${drawParts(answer.why, { vocabulary: stage.vocabulary })}`;
    const asked = options.length ? "Choose a pair, then go on to see the counts." : "No merge is left to predict.";
    render(said ?? asked, this.verdict);
    this.button.textContent = answer ? "Next merge" : "Reveal";
    this.button.hidden = !options.length;
    this.score.textContent = score;
    if (answer) stage.draw(false); // now it may show what merges next
    this.underline();
    if (held) (answer ? this.button : this.options.querySelector("input"))?.focus({ preventScroll: true });
  }

  optionOf(pair, i, answer) {
    const { counts, winner, guess } = answer ?? {};
    const share = counts ? counts[i] / Math.max(1, ...counts) : 0;
    const tag = i === winner ? "merges next" : counts && counts[i] === counts[winner] && "= tie";
    return html`<label class=${i === winner ? "option winner" : "option"}><input type="radio" name="pair" value=${i}
      ?disabled=${answer !== null} .checked=${live(i === this.chosen)}><span
      class="pair-of">${this.stage.vocabulary.sum(...pair)}</span><i class="bar" style="--share:${share}"></i><span
      class="count">${counts && figure(counts[i])}</span><span class="tags">${tag && html`<span class="badge">${tag}</span>`}${
        i === guess && html`<span class="badge mine">your guess</span>`
      }</span></label>`;
  }
}

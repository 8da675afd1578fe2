// Replay: predict, then reveal. The reader chooses the pair that merges next; then all counts are shown, in the same
// rows. Python asks and judges (tokviz/ui/replay/predict.py), so before that the browser has neither counts nor winner.

import { make } from "../kit/elements.js";
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
          this.options.replaceChildren(); // those of another step
          this.button.hidden = true;
          this.box.classList.remove("waits");
        }
        this.verdict.textContent = message;
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
    const { options, answer, score } = this.question;
    const { stage } = this;
    const held = this.options.contains(this.box.getRootNode().activeElement);
    this.box.classList.remove("waits");
    this.chosen = answer ? answer.guess : null;
    const most = answer ? Math.max(...answer.counts) : 0;
    this.options.replaceChildren(
      ...options.map(([left, right], i) => {
        const row = make("label", "option");
        const radio = row.appendChild(make("input"));
        const checked = i === this.chosen;
        Object.assign(radio, { type: "radio", name: "pair", value: i, disabled: answer !== null, checked });
        row.appendChild(make("span", "pair-of")).append(...stage.vocabulary.sum(left, right));
        const bar = row.appendChild(make("span", "bar"));
        const count = row.appendChild(make("span", "count"));
        const tags = row.appendChild(make("span", "tags"));
        if (!answer) return row;
        row.classList.toggle("winner", i === answer.winner);
        bar.style.setProperty("--share", most ? answer.counts[i] / most : 0);
        count.textContent = figure(answer.counts[i]);
        if (i === answer.winner) tags.append(make("span", "pill", "merges next"));
        else if (answer.counts[i] === answer.counts[answer.winner]) tags.append(make("span", "pill", "= tie"));
        if (i === answer.guess) tags.append(make("span", "pill mine", "your guess"));
        return row;
      }),
    );
    this.verdict.replaceChildren(
      ...(answer
        ? [make("b", "", answer.verdict), " ", ...drawParts(answer.why, { vocabulary: stage.vocabulary })]
        : [options.length ? "Choose a pair, then go on to see the counts." : "No merge is left to predict."]),
    );
    this.button.textContent = answer ? "Next merge" : "Reveal";
    this.button.hidden = !options.length;
    this.score.textContent = score;
    if (answer) stage.draw(false); // now it may show what merges next
    this.underline();
    if (held) (answer ? this.button : this.options.querySelector("input"))?.focus({ preventScroll: true });
  }
}

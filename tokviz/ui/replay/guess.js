// Replay: predict, then reveal. The reader chooses the pair that merges next; then all counts are shown, in the same
// rows. Python asks and judges (tokviz/ui/replay/predict.py), so before that the browser has neither counts nor winner.

import { html, keyed, live } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { drawParts } from "../tokenview/sentences.js";

export class Guess {
  constructor(stage) {
    this.stage = stage;
    this.load();
  }

  load() {
    this.question = this.chosen = null; // the last question that came, with its answer if there was a guess
  }

  // Is the reader asked about this step?
  get here() {
    return this.stage.predicting && this.question?.step === this.stage.k;
  }

  // Is the answer for the step in view known?
  get told() {
    return this.here && this.question.answer !== null;
  }

  // Ask for the question at the step in view.
  ask() {
    if (!this.here) this.send("pairs", {});
  }

  // Show the answer. What the reader has chosen is the guess; nothing chosen is no guess.
  reveal() {
    if (this.here && !this.told) this.send("guess", { guess: this.chosen });
  }

  send(name, fields) {
    const { stage } = this;
    const { root, k } = stage;
    const heard = (question) => {
      if (!stage.predicting || question.step !== stage.k) return; // the question in view stays
      const held = root.querySelector(".guess")?.contains(root.getRootNode().activeElement);
      Object.assign(this, { question, chosen: question.answer?.guess ?? null });
      stage.draw();
      if (held) root.querySelector(".guess :is(input, .act):enabled")?.focus({ preventScroll: true });
    };
    stage.ask(name, { ...fields, step: k }, heard, "guess");
  }

  // A number key chooses a pair; true if there is such a pair.
  press(digit) {
    const isOne = this.here && !this.told && digit <= this.question.options.length;
    if (isOne) this.choose(digit - 1);
    return isOne;
  }

  choose(option) {
    this.chosen = option;
    this.stage.draw();
  }

  // Where the pair that is chosen is in the texts.
  underline() {
    const { stage, chosen } = this;
    const pair = this.here && !this.told && chosen !== null ? this.question.options[chosen] : [];
    const tokens = pair.map((id) => stage.vocabulary.bytes(id));
    for (const view of stage.views) view.underline(...tokens);
  }

  template() {
    const { stage, here, told, chosen } = this;
    const { step, options, answer, score } = this.question ?? { options: [], answer: null };
    this.underline();
    const said = () => html`<b>${answer.verdict}</b> ${drawParts(answer.why)}`;
    const asked = options.length ? "Choose a pair and press Commit to see the counts." : "No merge is left to predict.";
    const submit = (event) => {
      event.preventDefault();
      if (this.told) stage.forward(true);
      else this.reveal();
    };
    return html`<form class=${here || stage.player.playing ? "guess" : "guess waits"} @submit=${submit}
      @change=${({ target }) => this.choose(Number(target.value))}>
      <div class="options" role="radiogroup" aria-label="Pairs that could merge next">${keyed(
        step,
        options.map((pair, i) => this.optionOf(pair, i, answer)),
      )}</div>
      <p class="verdict" role="status">${answer ? said() : asked}</p>
      <div class="flow"><button type="submit" class="act" ?hidden=${!options.length}>${
        told ? "Next merge" : chosen === null ? "Reveal" : "Commit"
      }</button><span class="quiet score">${score || (!stage.root.open && "Only you see your score.")}</span></div></form>`;
  }

  optionOf(pair, i, answer) {
    const { counts, winner, guess } = answer ?? {};
    const share = counts ? counts[i] / Math.max(1, ...counts) : 0;
    const tags = [
      i === winner ? "merges next" : counts && counts[i] === counts[winner] && "= tie",
      i === guess && "your guess",
    ];
    return html`<label class=${i === winner ? "option winner" : "option"}><input type="radio" name="pair" value=${i}
      ?disabled=${answer !== null} .checked=${live(i === this.chosen)}><span
      class="pair-of">${this.stage.vocabulary.sum(...pair)}</span><i class="bar" style="--share: ${100 * share}%"></i><span
      class="count">${counts && figure(counts[i])}</span><span class="tags">${tags.map(
        (tag) => tag && html`<span class="badge">${tag}</span>`,
      )}</span></label>`;
  }
}

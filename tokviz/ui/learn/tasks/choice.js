// A task with options, each a sentence or a pair of tokens. One is right; then others may follow.
//
// start: {options: [parts], columns: how many are side by side, again: whether others follow; then an answer is the list of
// all choices}. judged: {chosen, right (once it is known), notes: option -> words, done: how many choices were right, options:
// those there are then}.

import { html, nothing, render } from "../../kit/html.js";
import { drawParts } from "../../tokenview/sentences.js";

export class ChoiceTask {
  constructor(box, attempt) {
    Object.assign(this, { box, attempt, answer: [], done: 0 });
  }

  get choices() {
    return this.options.length;
  }

  start({ options, columns, again }) {
    this.again = again;
    this.box.className = `options ${{ 2: "two", 4: "four" }[columns] ?? ""}`;
    this.offer(options);
    this.draw();
  }

  restore(answer) {
    this.answer = answer;
  }

  offer(options) {
    this.options = options.map((parts) => drawParts(parts));
    this.notes = {};
  }

  draw(judged) {
    const verdict = (i) => {
      if (i === judged?.right) return ["is-right", "✓"];
      return judged && judged.right === undefined && i === judged.chosen ? ["is-wrong", "×"] : ["", ""];
    };
    const option = (words, i) => {
      const [look, mark] = verdict(i);
      return html`<button type="button" class=${`option ${look}`} aria-pressed=${judged ? i === judged.chosen : nothing}
        @click=${() => this.choose(i)}><kbd>${i + 1}</kbd><span class="of">${words}</span><span class="mark">${mark}</span><span
        class="note-of">${this.notes[i]}</span></button>`;
    };
    render(this.options.map(option), this.box);
  }

  choose(i) {
    this.answer = this.again ? [...this.answer.slice(0, this.done), i] : i;
    this.attempt(this.answer);
  }

  judged(judged) {
    const { notes, done = 0, options } = judged;
    const follows = done !== this.done;
    const held = follows && this.box.contains(this.box.getRootNode().activeElement);
    this.done = done;
    if (follows) this.offer(options);
    Object.assign(this.notes, notes);
    this.draw(judged);
    if (held) this.box.querySelector("button")?.focus();
  }

  key({ key }) {
    const button = this.box.querySelectorAll("button")[Number(key) - 1];
    button?.click();
    return Boolean(button);
  }
}

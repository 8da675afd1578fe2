// A task with options, each a sentence or a pair of tokens. One is right; then others may follow.
//
// start: {options: [parts], columns: how many are side by side, again: whether others follow; then an answer is the list of
// all choices}. judged: {chosen, right (once it is known), notes: option -> words, done: how many choices were right, options:
// those there are then}.

import { make, makeButton } from "../../../kit/elements.js";
import { drawParts } from "../../sentences.js";

export class ChoiceTask {
  constructor(box, attempt) {
    this.root = box.appendChild(make("div", "options"));
    this.attempt = attempt;
    this.answer = [];
    this.done = 0;
  }

  get choices() {
    return this.buttons.length;
  }

  start({ options, columns, again }) {
    this.again = again;
    this.root.classList.toggle("four", columns === 4);
    this.root.classList.toggle("two", columns === 2);
    this.draw(options);
  }

  restore(answer) {
    this.answer = answer;
  }

  draw(options) {
    this.buttons = options.map((parts, i) => {
      const button = makeButton("option", "", () => this.choose(i));
      const words = make("span", "of");
      words.append(...drawParts(parts));
      button.append(make("kbd", "", String(i + 1)), words, make("span", "mark"), make("span", "note-of"));
      return button;
    });
    this.root.replaceChildren(...this.buttons);
  }

  choose(i) {
    this.answer = this.again ? [...this.answer.slice(0, this.done), i] : i;
    this.attempt(this.answer);
  }

  judged({ chosen, right, notes, done = 0, options }) {
    if (done !== this.done) {
      const held = this.root.contains(this.root.getRootNode().activeElement);
      this.done = done;
      this.draw(options);
      if (held) this.buttons[0]?.focus();
    }
    for (const [i, button] of this.buttons.entries()) {
      const wrong = right === undefined && i === chosen;
      button.classList.toggle("is-right", i === right);
      button.classList.toggle("is-wrong", wrong);
      button.setAttribute("aria-pressed", String(i === chosen));
      button.querySelector(".mark").textContent = i === right ? "✓" : wrong ? "×" : "";
      if (notes?.[i] !== undefined) button.querySelector(".note-of").textContent = notes[i];
    }
  }

  key({ key }) {
    const button = this.buttons[Number(key) - 1];
    button?.click();
    return Boolean(button);
  }
}

// A task with options, each a sentence or a pair of tokens. One is right.
//
// start: {options: [parts], columns: how many stand side by side, if they are sentences}. judged: {chosen, right (once it is known), notes: option -> words}.

import { make, makeButton } from "../../../kit/elements.js";
import { drawParts } from "../../sentences.js";

export class ChoiceTask {
  constructor(box, attempt) {
    this.root = box.appendChild(make("div", "options"));
    this.attempt = attempt;
  }

  get choices() {
    return this.buttons.length;
  }

  start({ options, columns = options.length }) {
    this.buttons = options.map((parts, i) => {
      const button = makeButton("option", "", () => this.attempt(i));
      const words = make("span", "of");
      words.append(...drawParts(parts));
      button.append(make("kbd", "", String(i + 1)), words, make("span", "mark"), make("span", "note-of"));
      return button;
    });
    this.root.classList.toggle("four", columns === 4);
    this.root.classList.toggle("two", columns === 2);
    this.root.replaceChildren(...this.buttons);
  }

  judged({ chosen, right, notes }) {
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

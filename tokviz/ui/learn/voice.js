// What a screen reader hears of a task: the hint or the reason, once, when the learner rests.

import { make } from "../kit/elements.js";

const REST = 700; // ms after the last key

export class Voice {
  constructor() {
    this.root = make("p", "unseen");
    this.root.setAttribute("aria-live", "polite");
  }

  say(words) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.root.textContent !== words) this.root.textContent = words;
    }, REST);
  }

  // The next words are news, even if they are the same.
  forget() {
    clearTimeout(this.timer);
    this.root.textContent = "";
  }

  close() {
    clearTimeout(this.timer);
  }
}

// Encode a text by hand: choose the merge that acts next, again and again. An answer is the list of all choices.
//
// start: {options: [parts], of: how many merges act}. judged: {done: how many were right, options: those that there are
// then, chosen: the one that was not right}.

import { ChoiceTask } from "./choice.js";

export class NextMergeTask extends ChoiceTask {
  constructor(box, attempt) {
    super(box, (i) => {
      this.answer = [...this.answer.slice(0, this.done), i];
      attempt(this.answer);
    });
    this.answer = [];
    this.done = 0;
  }

  start({ options }) {
    super.start({ options, columns: 4 });
  }

  restore(answer) {
    this.answer = answer;
  }

  judged({ done, options, chosen }) {
    const held = this.root.contains(this.root.getRootNode().activeElement);
    this.done = done;
    this.start({ options });
    if (chosen !== undefined) super.judged({ chosen });
    if (held) this.buttons[chosen ?? 0]?.focus();
  }
}

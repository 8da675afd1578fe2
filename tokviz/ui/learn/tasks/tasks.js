// The kinds of tasks, by the names that lessons have for them.

import { ChoiceTask } from "./choice.js";
import { CutTask } from "./cut.js";
import { FindTextTask } from "./find_text.js";
import { NumberTask } from "./number.js";

// A text that is written in the view's own field, which shows it as it is.
class WriteTextTask {
  constructor(_box, _start, { fill }) {
    this.isInView = true;
    this.restore = (answer) => fill("text", answer);
    this.judged = () => {};
  }
}

export const TASKS = {
  choose: ChoiceTask,
  cut: CutTask,
  "find-text": FindTextTask,
  "next-merge": ChoiceTask,
  number: NumberTask,
  "write-text": WriteTextTask,
};

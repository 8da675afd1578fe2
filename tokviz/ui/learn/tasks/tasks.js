// The kinds of tasks, by the names that lessons have for them.

import { ChoiceTask } from "./choice.js";
import { CutTask } from "./cut.js";
import { FindTextTask } from "./find_text.js";
import { NumberTask } from "./number.js";
import { WriteTextTask } from "./write_text.js";

export const TASKS = {
  choose: ChoiceTask,
  cut: CutTask,
  "find-text": FindTextTask,
  "next-merge": ChoiceTask,
  number: NumberTask,
  "write-text": WriteTextTask,
};

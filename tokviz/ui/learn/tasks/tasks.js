// The kinds of tasks, by the names that lessons have for them.

import { ChoiceTask } from "./choice.js";
import { CutTask } from "./cut.js";
import { NumberTask } from "./number.js";
import { TextTask } from "./text.js";

export const TASKS = {
  choose: ChoiceTask,
  cut: CutTask,
  "find-text": TextTask,
  "next-merge": ChoiceTask,
  number: NumberTask,
  "write-text": TextTask,
};

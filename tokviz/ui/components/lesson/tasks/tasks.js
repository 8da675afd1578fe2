// The kinds of tasks, by the names that lessons have for them.

import { ChoiceTask } from "./choice.js";
import { ExactTokensTask } from "./exact_tokens.js";
import { FindTextTask } from "./find_text.js";
import { NumberTask } from "./number.js";
import { TwoTextsTask } from "./two_texts.js";
import { WriteTextTask } from "./write_text.js";

export const TASKS = {
  choose: ChoiceTask,
  "choose-pair": ChoiceTask,
  "exact-tokens": ExactTokensTask,
  "find-text": FindTextTask,
  number: NumberTask,
  "two-texts": TwoTextsTask,
  "write-text": WriteTextTask,
};

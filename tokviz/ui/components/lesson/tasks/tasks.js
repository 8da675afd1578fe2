// The kinds of tasks, by the names that lessons have for them.

import { ChoiceTask } from "./choice.js";
import { CutTask } from "./cut.js";
import { ExactTokensTask } from "./exact_tokens.js";
import { FindTextTask } from "./find_text.js";
import { NextMergeTask } from "./next_merge.js";
import { NumberTask } from "./number.js";
import { TwoTextsTask } from "./two_texts.js";
import { WriteTextTask } from "./write_text.js";

export const TASKS = {
  choose: ChoiceTask,
  "choose-pair": ChoiceTask,
  cut: CutTask,
  "exact-tokens": ExactTokensTask,
  "find-text": FindTextTask,
  "next-merge": NextMergeTask,
  number: NumberTask,
  "one-token": WriteTextTask,
  "two-texts": TwoTextsTask,
  "write-text": WriteTextTask,
};

// The choice of how special tokens in a text are read, in the workbench and in the ruler: a button for each way.

import { make, makeButton } from "../kit/elements.js";

const READINGS = [
  ["text", "As text"],
  ["special", "As special"],
  ["refuse", "Refuse"],
];

export class ReadingChoice {
  // `choose(reading)` is called with the way that was pressed. The owner gives the group its label.
  constructor(choose) {
    this.group = make("span");
    this.group.setAttribute("role", "group");
    this.group.append(...READINGS.map(([reading, label]) => makeButton("", label, () => choose(reading))));
  }

  show(shown) {
    for (const [i, [reading]] of READINGS.entries()) {
      this.group.children[i].setAttribute("aria-pressed", reading === shown);
    }
  }
}

// What the reader chooses for the ruler: an example as its text, and how special tokens are read. The choices are made
// in Python; this file draws them and asks for others.

import { make, makeButton } from "../kit/elements.js";
import { exampleChoice } from "../tokenview/examples.js";
import { ReadingChoice } from "../tokenview/reading_choice.js";

export class Choices {
  // `ask` is called with the question for Python.
  constructor(ask) {
    this.ask = ask;
    this.examples = make("div", "tools");
    this.specials = make("div", "choice");
    this.specials.append(make("b", "", "Special tokens"));
    this.readings = new ReadingChoice((reading) => {
      if (reading === this.reading) return;
      this.reading = reading;
      this.readings.show(reading);
      this.ask({ what: "specials", at: 0, name: reading });
    });
    this.readings.group.setAttribute("aria-label", "Special tokens");
    this.specials.append(this.readings.group);
  }

  // texts: {examples, example, back}: the examples, the name of the one in view or null, how many own texts are kept.
  drawExamples(texts) {
    const said = JSON.stringify(texts);
    if (said === this.drawn) return;
    this.drawn = said;
    const { examples, example, back } = texts;
    const held = this.examples.getRootNode().activeElement;
    const focused = this.examples.contains(held) ? held.textContent : null;
    const parts = exampleChoice(examples, example, (name) => {
      if (name !== example) this.ask({ what: "example", at: 0, name });
    });
    if (back) parts.push(makeButton("plain", "Back to your text", () => this.ask({ what: "back", at: 0 })));
    this.examples.replaceChildren(...parts);
    if (focused) [...this.examples.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
  }

  drawReading({ specials, size }) {
    this.reading = specials;
    this.readings.show(specials);
    this.specials.hidden = !size;
  }
}

// A question before the reveal, as the teacher's screen shows it: its text, its options, and how many have voted.

import { make } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { drawOption, QuestionText } from "../class_question.js";

const LONG_TITLE = 60; // UTF-16 units
const LONG = 100; // UTF-16 units of a text, from which it is set smaller

export class Asked {
  constructor() {
    this.element = make("div", "asked");
  }

  close() {
    this.text?.close();
  }

  draw(question, places, where) {
    if (question !== this.question) {
      this.question = question;
      this.text?.close();
      this.text = null;
      const title = make("h1", question.title.length > LONG_TITLE ? "long" : "", question.title);
      title.dir = "auto";
      const head = make("div", "head");
      this.where = make("p", "quiet where");
      head.append(title, this.where);
      this.element.replaceChildren(head);
      if (question.lead) this.element.append(make("p", "quiet lead", question.lead));
      if (question.strip) {
        const strip = this.element.appendChild(make("div", question.strip.text.length > LONG ? "strip long" : "strip"));
        this.text = new QuestionText(strip);
      }
    }
    this.where.textContent = where;
    this.text?.draw(question.strip, places);
  }

  // The options and the meter.
  votes({ options }, { voted, joined }) {
    const list = make("ul", options.length > 4 ? "votes many" : "votes");
    for (const option of options) {
      const entry = list.appendChild(make("li", "vote"));
      entry.append(make("span", "letter", option.letter), drawOption(option));
    }
    return [list, this.meter(voted ?? 0, joined)];
  }

  meter(voted, joined) {
    const of = Math.max(voted, joined);
    const meter = make("div", "meter");
    const words = make("p");
    if (of) words.append(make("b", "", figure(voted)), ` of ${figure(of)} have voted`);
    else words.append("Nobody has joined yet");
    const bar = make("span", "meter-bar");
    const filled = bar.appendChild(make("span"));
    filled.style.width = `${of ? (100 * voted) / of : 0}%`;
    meter.append(words, bar);
    return meter;
  }
}

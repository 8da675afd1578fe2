// The foot of a step: the way to the next one, what can be done with this one, its keys, and what is to be told of the
// server.

import { asStatus, make, makeButton } from "../../kit/elements.js";

export class StepFoot {
  // lesson: move(by), copyLink() and presenter are used.
  constructor(lesson) {
    this.root = make("div", "step-foot");
    this.back = makeButton("", "Back", () => lesson.move(-1));
    this.next = makeButton("", "Next", () => lesson.move(1));
    const link = makeButton("copy-link", "Copy link", () => lesson.copyLink());
    const present = makeButton("to-present", "Present", () => lesson.presenter.toggle());
    this.keys = make("p", "keys quiet");
    this.status = asStatus(make("p", "status quiet"));
    this.ending = make("p", "ending");
    this.root.append(this.ending, this.status, this.back, this.next, link, present, this.keys);
  }

  // number: of the step, from 0. ready: whether what the step asks for is done. choices: how many its task offers.
  // ending: what is to be said after the step, if it is the last of its chapter.
  draw(number, of, ready, choices, ending) {
    this.ending.textContent = ending;
    this.back.disabled = number === 0;
    this.next.disabled = number === of - 1;
    this.next.classList.toggle("bold", ready && !this.next.disabled);
    this.keys.replaceChildren(
      ...(choices ? [keysOf(["1", "to", String(choices)], "choose")] : []),
      keysOf(["←", "→"], "step"),
      keysOf(["P"], "present"),
    );
  }
}

// Keys and what they do: keysOf(["1", "to", "4"], "choose").
export function keysOf(keys, does) {
  const drawn = make("span");
  drawn.append(...keys.map((key) => (key === "to" ? " to " : make("kbd", "", key))), ` ${does}`);
  return drawn;
}

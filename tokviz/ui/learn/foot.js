// The foot of a step: the way to the next one, what can be done with this one, its keys, and what is to be told of the
// server.

import { html, render } from "../kit/html.js";

export class StepFoot {
  // lesson: move(by), copyLink() and presenter are used.
  constructor(lesson) {
    this.lesson = lesson;
    this.root = document.createElement("div");
    this.root.className = "flow step-foot";
    this.status = document.createElement("p"); // presenter mode borrows it
    this.status.className = "status quiet";
    this.status.role = "status";
  }

  // number: of the step, from 0. ready: whether what the step asks for is done. choices: how many its task offers.
  // ending: what is to be said after the step, if it is the last of its chapter.
  draw(number, of, ready, choices, ending) {
    const { lesson } = this;
    this.isPrimary = ready && number < of - 1;
    render(
      html`<p class="ending">${ending}</p>
        ${this.status}
        <button type="button" ?disabled=${number === 0} @click=${() => lesson.move(-1)}>Back</button>
        <button type="button" class=${this.isPrimary ? "primary" : ""} ?disabled=${number === of - 1} @click=${() => lesson.move(1)}>Next</button>
        <button type="button" class="copy-link" @click=${() => lesson.copyLink()}>Copy link</button>
        <button type="button" class="to-present" @click=${() => lesson.presenter.toggle()}>Present</button>
        <p class="keys quiet">${choices && toChoose(choices)}<span><kbd>←</kbd><kbd>→</kbd> step</span><span><kbd>P</kbd> present</span></p>`,
      this.root,
    );
  }
}

// The keys that choose one of so many.
export const toChoose = (choices) => html`<span><kbd>1</kbd> to <kbd>${choices}</kbd> choose</span>`;

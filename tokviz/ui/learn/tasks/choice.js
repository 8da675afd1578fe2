// A task with options, each a sentence or a pair of tokens. One is right; then others may follow.
//
// start: {options: [parts], columns: how many are side by side, again: whether others follow; then an answer is the list of
// all choices}. judged: {chosen, right (once it is known), notes: option -> words, done: how many choices were right, options:
// those there are then}.

import { html, nothing } from "../../kit/html.js";
import { drawParts } from "../../tokenview/sentences.js";
import { Task } from "./task.js";

const SIDE_BY_SIDE = { 2: "two", 4: "four" };

export class ChoiceTask extends Task {
  get choices() {
    return this.options.length;
  }

  draw() {
    const { root, columns, options, told, notes = {} } = this;
    root.className = `options ${SIDE_BY_SIDE[columns] ?? ""}`;
    const verdict = (i) => {
      if (i === told?.right) return ["is-right", "✓"];
      return told && told.right === undefined && i === told.chosen ? ["is-wrong", "×"] : ["", ""];
    };
    return options.map((parts, i) => {
      const [look, mark] = verdict(i);
      return html`<button type="button" class=${`option ${look}`} aria-pressed=${told ? i === told.chosen : nothing}
        @click=${() => this.choose(i)}><kbd>${i + 1}</kbd><span class="of">${drawParts(parts)}</span><span class="mark">${mark}</span><span
        class="note-of">${notes[i]}</span></button>`;
    });
  }

  choose(i) {
    this.answer = this.again ? [...(this.answer ?? []).slice(0, this.done), i] : i;
    this.on.attempt(this.answer);
  }

  judged(told) {
    const { done, options } = told;
    const follows = done !== this.done;
    const held = follows && this.root.contains(this.root.getRootNode().activeElement);
    if (follows) Object.assign(this, { done, options, notes: {} });
    this.redraw({ told, notes: { ...this.notes, ...told.notes } });
    if (held) this.root.querySelector("button")?.focus();
  }

  key({ key }) {
    const button = this.root.querySelectorAll("button")[Number(key) - 1];
    button?.click();
    return Boolean(button);
  }
}

// The search over all steps, by their titles, sentences and tasks: a dialog that its button opens.

import { keepSought, sought } from "../kit/field.js";
import { html, live } from "../kit/html.js";
import { walk } from "../kit/keys.js";
import { quantity } from "../kit/words.js";

const go = walk("input, .step");

export class Find {
  words = sought("steps");
  found = [];
  answered = "";

  constructor(lesson) {
    this.lesson = lesson;
  }

  draw(outline) {
    const steps = outline.flatMap(({ title, steps }, i) =>
      steps.map((step, at) => ({ ...step, number: `${i + 1}.${at + 1}`, chapter: title })),
    );
    const rows = this.found.map((id) => steps.find((step) => step.id === id));
    const says = this.answered
      ? `${rows.length} of ${quantity(steps.length, "step")}`
      : "Searches titles, sentences and tasks";
    const row = ({ id, number, title, chapter }) => html`<button type="button" class="menu-item step"
      @click=${(event) => this.choose(event.target, id)}><span class="quiet no">${number}</span><span>${title}<span
        class="quiet small">${chapter}</span></span></button>`;
    const open = ({ currentTarget }) => {
      currentTarget.nextElementSibling.showModal();
      if (this.words && !rows.length) this.seek(this.words);
    };
    return html`<button type="button" class="to-find" aria-haspopup="dialog" @click=${open}>Find a step</button>
      <dialog class="find" closedby="any" aria-label="Find a step" @keydown=${(event) => event.key.startsWith("Arrow") && go(event)}>
        <form method="dialog" class="flow ends"><b>Find a step</b><button class="plain">Close ×</button></form>
        <form @submit=${(event) => this.goToFirst(event)}><input type="search" aria-label="Words in the step" autofocus
          autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" maxlength="80" .value=${live(this.words)}
          @input=${({ target }) => this.seek(target.value)}></form>
        <p class="quiet small" role="status">${says}</p>
        ${rows.map(row)}
      </dialog>`;
  }

  choose(inside, id) {
    inside.closest("dialog").close();
    this.lesson.goTo(id);
  }

  // The first step that is found, once the answer is there.
  async goToFirst(event) {
    const { target } = event;
    event.preventDefault();
    await this.answer;
    if (target.closest("dialog").open && this.found.length) this.choose(target, this.found[0]);
  }

  seek(words) {
    const { lesson } = this;
    this.words = words;
    keepSought("steps", words);
    lesson.redraw();
    this.answer = lesson.asker.ask("learn.find", { words }).then(({ steps }) => {
      this.found = steps;
      this.answered = words.trim();
      lesson.redraw();
    }, lesson.asker.tell);
  }
}

// Presenter mode of a lesson: the heading, the sentences, the view and the task move into a dialog that fills the screen.
// The keys are those of the page; the page keys, which a clicker sends, go one step.

import { make } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { Presenter } from "../kit/presenter.js";
import { toChoose } from "./foot.js";

export class LessonPresenter extends Presenter {
  constructor(lesson) {
    const dialog = make("dialog", "present");
    dialog.tabIndex = -1;
    dialog.ariaLabel = "Presenter mode";
    const projected = dialog.appendChild(make("div", "projected-step"));
    projected.tabIndex = -1;
    const foot = dialog.appendChild(make("div", "foot"));
    const parts = () => [lesson.title, lesson.prose, lesson.stage, lesson.task, lesson.status];
    super({ dialog, projected, presses: foot, parts, moved: () => lesson.title.focus({ preventScroll: true }) });
    Object.assign(this, { lesson, foot });
  }

  close() {
    if (this.on) this.dialog.close();
  }

  // words: where the step is. number: of the step, from 0. ready, choices: as for StepFoot.
  draw(words, { number, of, ready, choices }) {
    const move = (by) => () => this.lesson.move(by);
    render(
      html`<span>${words}</span><div class="progress" aria-hidden="true" style="--done: ${(number + 1) / of}"></div>
        <div class="presses"><span class="to-choose">${choices && toChoose(choices)}</span>
          <button type="button" ?disabled=${number === 0} @click=${move(-1)}>Back <kbd>←</kbd></button>
          <button type="button" class=${ready ? "primary" : ""} ?disabled=${number === of - 1} @click=${move(1)}>Next <kbd>→</kbd></button>
          <button type="button" @click=${() => this.toggle(false)}>Leave <kbd>P</kbd></button></div>`,
      this.foot,
    );
    this.projected.classList.toggle("with-task", !this.lesson.task.hidden);
  }

  // A new step begins at its heading.
  scrollUp() {
    this.projected.scrollTop = 0;
  }
}

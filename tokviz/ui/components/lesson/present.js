// Presenter mode of a lesson: the heading, the sentences, the view and the task move into a dialog that fills the screen.
// The keys are those of the page; the page keys, which a clicker sends, go one step.

import { make, makeButton, unspoken } from "../../kit/elements.js";
import { render } from "../../kit/html.js";
import { Presenter } from "../../kit/presenter.js";
import { toChoose } from "./foot.js";

export class LessonPresenter extends Presenter {
  constructor(lesson) {
    const dialog = make("dialog", "present");
    dialog.tabIndex = -1;
    dialog.setAttribute("aria-label", "Presenter mode");
    const projected = make("div", "projected-step");
    projected.tabIndex = -1;
    const presses = make("div", "presses");
    const parts = () => [lesson.title, lesson.prose, lesson.stage, lesson.task, lesson.status];
    super({ dialog, projected, presses, parts, moved: () => lesson.title.focus({ preventScroll: true }) });
    this.lesson = lesson;
    const foot = make("div", "foot");
    this.words = make("span");
    this.progress = unspoken(make("div", "progress"));
    this.choose = make("span", "to-choose");
    this.back = press("Back", "←", () => lesson.move(-1));
    this.next = press("Next", "→", () => lesson.move(1));
    presses.append(
      this.choose,
      this.back,
      this.next,
      press("Leave", "P", () => this.toggle(false)),
    );
    foot.append(this.words, this.progress, presses);
    dialog.append(projected, foot);
  }

  close() {
    if (this.on) this.dialog.close();
  }

  // words: where the step is. number: of the step, from 0. ready, choices: as for StepFoot.
  draw(words, { number, of, ready, choices }) {
    this.words.textContent = words;
    this.progress.style.setProperty("--done", (number + 1) / of);
    this.back.disabled = number === 0;
    this.next.disabled = number === of - 1;
    this.next.classList.toggle("bold", ready);
    render(choices && toChoose(choices), this.choose);
    this.projected.classList.toggle("with-task", !this.lesson.task.hidden);
  }

  // A new step begins at its heading.
  scrollUp() {
    this.projected.scrollTop = 0;
  }
}

function press(words, key, does) {
  const button = makeButton("", `${words} `, does);
  button.append(make("kbd", "", key));
  return button;
}

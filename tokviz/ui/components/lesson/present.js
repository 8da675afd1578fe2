// Presenter mode of a lesson: the heading, the sentences, the view and the task move into a dialog that fills the screen.

import { make, makeButton } from "../elements.js";

export class Presenter {
  constructor(lesson) {
    this.lesson = lesson;
    this.dialog = make("dialog", "present tokviz-present");
    this.dialog.setAttribute("aria-label", "The step on a projector");
    this.projected = make("div", "projected-step");
    const foot = make("div", "foot");
    this.words = make("span");
    this.progress = make("span", "progress");
    const presses = make("div", "presses");
    presses.append(
      makeButton("", "Back", () => lesson.move(-1)),
      makeButton("", "Next", () => lesson.move(1)),
      makeButton("", "Leave", () => this.toggle(false)),
    );
    foot.append(this.words, this.progress, presses);
    this.dialog.append(this.projected, foot);
    this.dialog.addEventListener("close", () => this.left());
  }

  close() {
    if (this.on) this.dialog.close();
  }

  get on() {
    return this.dialog.open;
  }

  draw(words, number, of) {
    this.words.textContent = words;
    this.progress.style.setProperty("--done", (number + 1) / of);
  }

  toggle(on = !this.on) {
    if (on === this.on) return;
    if (!on) {
      this.dialog.close();
      return;
    }
    const { title, prose, stage, task } = this.lesson;
    this.home = document.createComment("");
    title.replaceWith(this.home);
    this.projected.append(title, prose, stage, task);
    this.dialog.showModal();
    title.focus({ preventScroll: true });
  }

  left() {
    if (!this.home) return;
    const { title, prose, stage, task } = this.lesson;
    this.home.replaceWith(title, prose, stage, task);
    this.home = null;
    title.focus({ preventScroll: true });
  }
}

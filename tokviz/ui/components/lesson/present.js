// Presenter mode of a lesson: the heading, the sentences, the view and the task move into a dialog that fills the screen.
// The keys are those of the page; the page keys, which a clicker sends, go one step.

import { make, makeButton, unspoken } from "../../kit/elements.js";
import { keysOf } from "./foot.js";

export class Presenter {
  constructor(lesson) {
    this.lesson = lesson;
    this.dialog = make("dialog", "present");
    this.dialog.tabIndex = -1;
    this.dialog.setAttribute("aria-label", "Presenter mode");
    this.projected = make("div", "projected-step");
    this.projected.tabIndex = -1;
    const foot = make("div", "foot");
    this.words = make("span");
    this.progress = unspoken(make("div", "progress"));
    const presses = make("div", "presses");
    this.choose = make("span", "to-choose");
    this.back = press("Back", "←", () => lesson.move(-1));
    this.next = press("Next", "→", () => lesson.move(1));
    presses.append(
      this.choose,
      this.back,
      this.next,
      press("Leave", "P", () => this.toggle(false)),
    );
    // A press leaves the focus where it was: Enter goes on, also after a click on Back.
    presses.addEventListener("mousedown", (event) => event.preventDefault());
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

  // words: where the step is. number: of the step, from 0. ready, choices: as for StepFoot.
  draw(words, { number, of, ready, choices }) {
    this.words.textContent = words;
    this.progress.style.setProperty("--done", (number + 1) / of);
    this.back.disabled = number === 0;
    this.next.disabled = number === of - 1;
    this.next.classList.toggle("bold", ready);
    this.choose.replaceChildren(...(choices ? [keysOf(["1", "to", String(choices)], "choose")] : []));
    this.projected.classList.toggle("with-task", !this.lesson.task.hidden);
  }

  toggle(on = !this.on) {
    if (on === this.on) return;
    if (!on) {
      this.dialog.close();
      return;
    }
    const { title, prose, stage, task, status } = this.lesson;
    this.parts = [title, prose, stage, task, status];
    this.homes = this.parts.map((part) => {
      const home = document.createComment("");
      part.replaceWith(home);
      return home;
    });
    this.projected.append(...this.parts);
    this.dialog.showModal();
    title.focus({ preventScroll: true });
  }

  left() {
    if (!this.homes) return;
    for (const [i, home] of this.homes.entries()) home.replaceWith(this.parts[i]);
    this.homes = null;
    this.lesson.title.focus({ preventScroll: true });
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

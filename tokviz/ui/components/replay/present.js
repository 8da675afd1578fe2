// Replay: presenter mode, for a projector. The merge, the strip and the candidates move into a dialog that fills the
// screen. The keys are the player's; P enters and leaves.

import { figure } from "../words.js";

export class Present {
  constructor(root, stage) {
    this.stage = stage;
    this.dialog = root.querySelector("dialog");
    this.stageBox = this.dialog.querySelector(".projected");
    this.parts = [".next", ".strip", ".why"].map((selector) => root.querySelector(selector));
    this.progress = this.dialog.querySelector(".progress");
    this.count = this.dialog.querySelector(".count");
    root.querySelector("[data-do=present]").addEventListener("click", () => this.toggle());
    this.dialog.querySelector(".leave").addEventListener("click", () => this.toggle(false));
    this.dialog.addEventListener("close", () => this.left()); // also for Esc, which the browser handles
  }

  get on() {
    return this.dialog.open;
  }

  toggle(on = !this.on) {
    if (on === this.on) return;
    if (!on) {
      this.dialog.close();
      return;
    }
    this.homes = this.parts.map((part) => {
      const home = document.createComment("");
      part.replaceWith(home);
      return home;
    });
    this.stageBox.append(...this.parts);
    this.dialog.showModal();
    this.dialog.focus({ preventScroll: true });
    this.stage.presented();
  }

  left() {
    if (!this.homes) return;
    for (const [i, home] of this.homes.entries()) home.replaceWith(this.parts[i]);
    this.homes = null;
    this.stage.presented();
    this.stage.player.bar.focus({ preventScroll: true });
  }

  draw(k, last) {
    this.count.textContent = `${figure(k)} of ${figure(last)}`;
    this.progress.style.setProperty("--done", last ? k / last : 0);
  }
}

// Replay: presenter mode, for a projector. The merge, the strip and the candidates move into a dialog that fills the
// screen. The keys are the player's, but the page keys, which a clicker sends, go one step.

import { figure, rate } from "../../kit/words.js";

export class Present {
  constructor(root, stage) {
    this.stage = stage;
    this.dialog = root.querySelector("dialog");
    const find = (selector) => this.dialog.querySelector(selector);
    this.projected = find(".projected");
    this.parts = [".moment", ".strip", ".nowhere", ".guess", ".why"].map((selector) => root.querySelector(selector));
    this.progress = find(".progress");
    this.count = find(".count");
    this.tokens = find(".tokens-now");
    this.rate = find(".rate-now");
    this.play = find("[data-press=play]");
    this.predict = find("[data-press=predict]");
    root.querySelector("[data-do=present]").addEventListener("click", () => this.toggle());
    const presses = find(".presses");
    // As in the player, a press leaves the focus where it was: Space plays, also after a click on Next.
    presses.addEventListener("mousedown", (event) => event.preventDefault());
    presses.addEventListener("click", ({ target }) => this.press(target.closest("button")?.dataset.press));
    const leave = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault(); // before a token that has the focus takes the key for itself
      event.stopPropagation();
      this.toggle(false);
    };
    this.dialog.addEventListener("keydown", leave, true);
    this.dialog.addEventListener("close", () => this.left());
  }

  press(name) {
    const { stage } = this;
    const actions = {
      back: () => stage.player.step(-1),
      forward: () => stage.player.step(1),
      play: () => stage.player.toggle(),
      predict: () => stage.predict(!stage.predicting),
      leave: () => this.toggle(false),
    };
    actions[name]?.();
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
    this.projected.append(...this.parts);
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

  load({ n_bytes, can_predict }) {
    this.bytes = n_bytes;
    this.predict.hidden = !can_predict;
    this.rate.parentElement.hidden = n_bytes === null;
    this.drawPlay(false);
  }

  draw(k, last) {
    const tokens = this.stage.merges.tokens[k];
    this.tokens.textContent = figure(tokens);
    this.rate.textContent = this.bytes && tokens ? rate(this.bytes / tokens) : "–";
    this.count.textContent = `${figure(k)} of ${figure(last)}`;
    this.progress.style.setProperty("--done", last ? k / last : 0);
    this.predict.setAttribute("aria-pressed", this.stage.predicting);
  }

  drawPlay(playing) {
    this.play.firstElementChild.textContent = playing ? "Pause" : "Play";
  }
}

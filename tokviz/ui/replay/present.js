// Replay: presenter mode, for a projector. The merge, the strip and the candidates move into a dialog that fills the
// screen. The keys are the player's, but the page keys, which a clicker sends, go one step.

import { Presenter } from "../kit/presenter.js";
import { figure, rate } from "../kit/words.js";

const PARTS = [".moment", ".strip", ".nowhere", ".guess", ".why"];

export class ReplayPresenter extends Presenter {
  constructor(root, stage) {
    const dialog = root.querySelector("dialog");
    const find = (selector) => dialog.querySelector(selector);
    const parts = PARTS.map((selector) => root.querySelector(selector));
    const presses = find(".presses");
    const moved = (on) => {
      if (on) dialog.focus({ preventScroll: true });
      stage.presented();
      if (!on) stage.player.bar.focus({ preventScroll: true });
    };
    super({ dialog, projected: find(".projected"), presses, parts: () => parts, moved });
    this.stage = stage;
    this.progress = find(".progress");
    this.count = find(".count");
    this.tokens = find(".tokens-now");
    this.rate = find(".rate-now");
    this.play = find("[data-press=play]");
    this.predict = find("[data-press=predict]");
    root.querySelector("[data-do=present]").addEventListener("click", () => this.toggle());
    presses.addEventListener("click", ({ target }) => this.press(target.closest("button")?.dataset.press));
    const leave = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault(); // before a token that has the focus takes the key for itself
      event.stopPropagation();
      this.toggle(false);
    };
    dialog.addEventListener("keydown", leave, true);
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

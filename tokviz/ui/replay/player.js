// Replay: the bar that moves through the steps, and the clock that plays them.
//
// The player moves the stage, which has k and last; next(k) and before(k), the steps beside k; forward(slow), one merge
// in two beats; commit(k, animate); and settle(), which ends a merge that is under way.

import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";

const SPEEDS = [0.5, 1, 4, 16, 60, 250]; // merges per second
const FIRST_SPEED = 4;
const SAMPLE_SPEED = 1; // a newcomer sees the sample first
export const TWO_BEATS = 4; // steps a second up to which a pair is first boxed and drawn together
const ONE_BEAT = 16; // steps a second up to which a new token settles; faster playing shows neither
const FAR = 10; // steps with Shift
const FARTHER = 100; // steps with the page keys

// A choice among a few values, as buttons. values: [[value, label]].
export function drawChoice(box, values, chosen, choose) {
  const press = (value) => () => {
    drawChoice(box, values, value, choose);
    choose(value);
  };
  const button = ([value, label]) =>
    html`<button type="button" aria-pressed=${value === chosen} @click=${press(value)}>${label}</button>`;
  render(values.map(button), box);
}

export class Player {
  constructor(root, stage) {
    const find = (selector) => root.querySelector(selector);
    this.stage = stage;
    this.bar = find(".player");
    this.range = find(".scrub input");
    this.ticks = find(".ticks");
    this.field = find(".done input");
    this.rest = find(".done span");
    this.button = find("[data-do=play]");
    this.speeds = find(".speeds");
    this.playing = 0; // the frame requested, while playing
    this.modes = find(".modes");
    this.listen(find(".buttons"));
  }

  listen(buttons) {
    const { stage } = this;
    // After a click the bar has the focus, so that Space plays and does not press the button again.
    buttons.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.bar.focus({ preventScroll: true });
    });
    buttons.addEventListener("mousedown", (event) => event.preventDefault());
    buttons.addEventListener("click", (event) => this.do(event.target.closest("button")?.dataset.do));
    this.range.addEventListener("input", () => stage.go(Number(this.range.value)));
    this.field.addEventListener("change", () => this.goToField());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToField();
      if (event.key === "Escape") this.drawField();
    });
    this.field.addEventListener("blur", () => this.drawField());
  }

  do(name) {
    const { stage } = this;
    const actions = {
      first: () => stage.go(0),
      back: () => this.step(-1),
      play: () => this.toggle(),
      forward: () => this.step(1),
      last: () => stage.go(stage.last),
    };
    actions[name]?.();
  }

  // What a key does; undefined if nothing. `on` is the focused button, if any.
  action(event, on) {
    const far = event.shiftKey ? FAR : 1;
    const page = this.stage.present.on ? 1 : FARTHER; // a presenter's clicker sends the page keys
    return {
      ArrowRight: () => this.step(far),
      ArrowLeft: () => this.step(-far),
      ArrowDown: () => this.step(far),
      ArrowUp: () => this.step(-far),
      PageDown: () => this.step(page),
      PageUp: () => this.step(-page),
      Home: () => this.stage.go(0),
      End: () => this.stage.go(this.stage.last),
      " ": on && on !== this.button ? undefined : () => !event.repeat && this.toggle(),
    }[event.key];
  }

  step(by) {
    const { stage } = this;
    this.pause();
    // the question that is on its way is waited for: a step would be its answer
    const asked = stage.veiled && (stage.guess.here || stage.asker.connected);
    if (by === 1) return asked ? stage.guess.reveal() : stage.forward();
    stage.settle();
    let k = stage.k;
    for (let i = 0; i < Math.abs(by); i++) k = by > 0 ? stage.next(k) : stage.before(k);
    stage.go(k);
  }

  // Go to the number of merges in the field, with or without commas; anything else is discarded.
  goToField() {
    const number = Number(this.field.value.replace(/[\s,]/g, ""));
    if (Number.isInteger(number)) this.stage.go(Math.max(0, Math.min(this.stage.last, number)));
    this.drawField();
  }

  // --- playing ---

  get fast() {
    return this.playing > 0 && this.speed > TWO_BEATS;
  }

  toggle() {
    const { stage } = this;
    if (this.playing) {
      this.pause();
      if (stage.gathering) stage.settle(true);
      else stage.commit(stage.k, false);
      return;
    }
    if (stage.k >= stage.last) stage.go(0);
    this.play();
  }

  play() {
    const { stage } = this;
    cancelAnimationFrame(this.playing);
    let before = performance.now();
    let owed = 0;
    if (this.speed <= TWO_BEATS) owed = 1; // the first step comes at once
    const frame = (now) => {
      this.playing = requestAnimationFrame(frame);
      owed += (Math.min(now - before, 100) * this.speed) / 1000; // after a pause of the page it does not leap
      before = now;
      const steps = Math.floor(owed);
      if (!steps) return;
      owed -= steps;
      if (this.speed <= TWO_BEATS) stage.forward(true);
      else {
        stage.settle();
        let k = stage.k;
        for (let i = 0; i < steps; i++) k = stage.next(k);
        stage.commit(k, this.speed <= ONE_BEAT);
      }
      if (stage.k >= stage.last || (stage.gathering && stage.next(stage.k) >= stage.last)) this.pause();
    };
    this.playing = requestAnimationFrame(frame);
    this.drawPlay();
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.drawPlay();
    this.stage.draw(false); // with boxes, ledger and all else that fast playing leaves out
  }

  // --- drawing ---

  load(last, { of, title, others }) {
    this.speed = of === null ? SAMPLE_SPEED : FIRST_SPEED;
    const speeds = SPEEDS.map((speed) => [speed, String(speed)]);
    drawChoice(this.speeds, speeds, this.speed, (speed) => {
      this.speed = speed;
      if (this.playing) this.play();
    });
    this.range.max = last;
    this.bar.setAttribute("aria-label", `${title}: player. Arrow keys step through the merges`);
    this.rest.textContent = `of ${quantity(last, "merge")} ${others ? "that fire" : "done"}`;
    this.field.style.width = `calc(${figure(last).length}ch + 20px)`; // its padding too, in any font
    const unit =
      [1, 10, 100, 1000, 10_000]
        .flatMap((power) => [1, 2, 5].map((digit) => digit * power))
        .find((step) => last / step <= 60) || last;
    const tick = (_, i) =>
      html`<i class=${i % 10 ? "" : "long"} style="inset-inline-start:${(100 * i * unit) / last}%"></i>`;
    render(Array.from({ length: last && Math.floor(last / unit) + 1 }, tick), this.ticks);
  }

  // The switch between every merge and only the `stops` that fire in sight.
  drawModes(every, stops, choose) {
    this.modes.hidden = !stops;
    const modes = { true: "Every merge", false: `In sight: ${figure(stops)}` };
    drawChoice(this.modes, Object.entries(modes), String(every), (to) => choose(to === "true"));
  }

  draw(k, last) {
    this.range.value = k;
    this.range.style.setProperty("--done", last ? k / last : 0);
    this.range.setAttribute("aria-valuetext", `${figure(k)} ${this.rest.textContent}`);
    if (this.field.getRootNode().activeElement !== this.field) this.drawField();
  }

  drawField() {
    this.field.value = figure(this.stage.k);
  }

  drawPlay() {
    this.button.classList.toggle("playing", this.playing > 0);
    this.button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.stage.present.drawPlay(this.playing > 0);
  }
}

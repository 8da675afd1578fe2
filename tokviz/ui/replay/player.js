// Replay: the bar that moves through the steps, and the clock that plays them.
//
// The player moves the stage, which has k and last; next(k) and made(k), the steps beside k; forward(slow), one merge
// in two beats; commit(k); and settle(), which ends a merge that is under way.

import { html, live } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { menuOf } from "./more.js";

const FIRST_SPEED = 4; // merges per second
const SAMPLE_SPEED = 1; // a newcomer sees the sample first
export const TWO_BEATS = 4; // steps a second up to which a pair is first drawn together
const FAR = 10; // steps with Shift
const FARTHER = 100; // steps with the page keys
const SHAPES = {
  first: "M5 4v12M16 4L8 10l8 6z",
  back: "M14 4L6 10l8 6z",
  play: "M6 3.5v13l10-6.5z",
  pause: "M6 4v12M14 4v12",
  forward: "M6 4l8 6-8 6z",
  last: "M15 4v12M4 4l8 6-8 6z",
};

export class Player {
  constructor(stage) {
    this.stage = stage;
    this.playing = 0; // the frame requested, while playing
  }

  load({ of }) {
    this.speed = of === null ? SAMPLE_SPEED : FIRST_SPEED;
  }

  // What a key does; undefined if nothing. `on` is the focused button, if any.
  action(event, on) {
    const { stage } = this;
    const far = event.shiftKey ? FAR : 1;
    const page = stage.root.open ? 1 : FARTHER; // a presenter's clicker sends the page keys
    const isPlay = !on || on.dataset.do === "play";
    const steps = { ArrowRight: far, ArrowDown: far, ArrowLeft: -far, ArrowUp: -far, PageDown: page, PageUp: -page };
    if (event.key in steps) return () => this.step(steps[event.key]);
    return {
      Home: () => stage.go(0),
      End: () => stage.go(stage.last),
      " ": isPlay ? () => !event.repeat && this.toggle() : undefined,
    }[event.key];
  }

  step(by) {
    const { stage } = this;
    this.pause();
    // the question that is on its way is waited for: a step would be its answer
    const asked = stage.veiled && (stage.guess.here || stage.asker.connected);
    if (by === 1) return asked ? stage.guess.reveal() : stage.forward();
    stage.settle();
    stage.go(this.after(by));
  }

  // The step that is `by` steps away.
  after(by) {
    const { stage } = this;
    let k = stage.k;
    for (let i = 0; i < Math.abs(by); i++) k = by > 0 ? stage.next(k) : Math.max(0, stage.made(k));
    return k;
  }

  // --- playing ---

  // So fast that no pair draws together, and that nothing is asked about a step.
  get fast() {
    return this.playing > 0 && this.speed > TWO_BEATS;
  }

  toggle() {
    const { stage } = this;
    if (this.playing) {
      this.pause();
      return stage.settle();
    }
    if (stage.k >= stage.last) stage.go(0);
    this.play();
  }

  play() {
    const { stage } = this;
    cancelAnimationFrame(this.playing);
    let before = performance.now();
    let owed = this.speed <= TWO_BEATS ? 1 : 0; // a slow first step comes at once
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
        stage.commit(this.after(steps));
      }
      if (stage.k >= stage.last || (stage.gathering && stage.next(stage.k) >= stage.last)) this.pause();
    };
    this.playing = requestAnimationFrame(frame);
    stage.draw();
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.stage.draw();
    this.stage.rest();
  }

  // Play on at another speed.
  hurry(speed) {
    this.speed = speed;
    if (this.playing) this.play();
    else this.stage.draw();
  }

  // --- drawing ---

  // At the foot, first and last are in the menu. After a press the bar has the focus, so that Space plays and does not
  // press the button again.
  template() {
    const { stage } = this;
    const { k, last, low, data, root } = stage;
    const unit = data.others ? "merges that fire" : "merges done";
    const play = this.playing ? "pause" : "play";
    const button = (
      name,
      label,
      press,
      shape = name,
    ) => html`<button type="button" class=${name === "play" ? "primary" : ""}
      data-do=${name} aria-label=${label} @click=${press}
      ><svg viewBox="0 0 20 20" aria-hidden="true"><path d=${SHAPES[shape]}></path></svg></button>`;
    const hold = (event) => {
      event.preventDefault();
      event.currentTarget.parentElement.focus({ preventScroll: true });
    };
    const typed = ({ target }) => {
      const number = Number(target.value.replace(/[\s,]/g, "") || NaN);
      stage.go(Number.isInteger(number) ? number : stage.k);
      target.value = figure(stage.k);
    };
    return html`<div class=${low ? "player low" : "player"} tabindex="0" role="group"
        aria-label="${data.title}: player. Arrow keys step through the merges">
      <div class="buttons" @mousedown=${hold}>${!low && button("first", "Before the first merge", () => stage.go(0))}
        ${button("back", "Back one merge", () => this.step(-1))}
        ${button("play", play === "play" ? "Play" : "Pause", () => this.toggle(), play)}
        ${button("forward", "Forward one merge", () => this.step(1))}
        ${!low && button("last", "After the last merge", () => stage.go(last))}</div>
      <input type="range" min="0" step="1" max=${last} aria-label="Merges done" aria-valuetext="${figure(k)} of ${figure(last)} ${unit}"
        .value=${live(String(k))} @input=${({ target }) => stage.go(Number(target.value))}>
      <label class="done"><input type="text" inputmode="numeric" autocomplete="off"
        aria-label="Merges done. A number goes to that step" style="width: calc(${figure(last).length}ch + 14px)"
        .value=${figure(k)} @focus=${() => this.pause()} @change=${typed}>
        <span>of ${figure(last)}<span class="unit"> ${last === 1 ? unit.replace("merges", "merge") : unit}</span></span></label>
      ${low && menuOf(stage)}${
        root.open &&
        html`<button type="button" class="leave" @click=${() => stage.present(false)}>Leave <kbd>Esc</kbd></button>`
      }</div>`;
  }
}

// The block of a small training: its merges, one by one. Those after the step may be hidden until the task is done.

import { html, render } from "../kit/html.js";
import { figure, quantity, times } from "../kit/words.js";
import { read } from "../tokenview/encoding.js";
import { Strip } from "../tokenview/strip.js";
import { mergeOf } from "../tokenview/token_kinds.js";

const BEAT = 700; // ms between the pair that is marked and the merge of it, when an answer was right

export class Player {
  constructor({ change }) {
    this.inFile = !change;
    this.box = document.createElement("div");
    this.top = this.box.appendChild(document.createElement("div"));
    this.top.className = "flow small top";
    const view = this.box.appendChild(document.createElement("div"));
    view.className = "view strip";
    this.strip = new Strip(view, "The corpus at this step");
    this.strip.steady = true;
  }

  close() {
    clearTimeout(this.beat);
    this.strip.close();
  }

  // moved: whether an answer led here; then the pair is seen before it merges.
  show(data, moved = false) {
    this.data = data;
    this.answered = moved;
    this.strip.load(read(data.encoding), moved ? data.step - 1 : data.step);
    if (!moved) return this.step(data.step);
    this.step(data.step - 1);
    this.strip.step(data.step - 1, data.step - 2, {});
    this.beat = setTimeout(() => this.step(data.step), BEAT);
  }

  step(to) {
    clearTimeout(this.beat);
    const { data } = this;
    const last = data.tokens.length - 1;
    const k = Math.max(0, Math.min(to, last));
    this.strip.step(k, k - 1, { pairs: false });
    const [merge, count] = data.merges[k - 1] ?? [];
    const hidden = data.hidden && !this.answered && k === last;
    render(
      html`${(last > 0 || !this.inFile) && this.buttons(k, last)}
        <b>${figure(k)} of ${figure(data.of)} merges done</b>
        <span class="quiet">${quantity(data.tokens[k], "token")}, ${quantity(data.size, "byte")}</span>
        ${merge && html`<span class="made">${mergeOf(merge)} ${times(count)}</span>`}
        ${hidden && html`<span class="quiet veil">The next merge is hidden until you answer</span>`}`,
      this.top,
    );
  }

  buttons(k, last) {
    return html`<button type="button" aria-label="Back one merge" ?disabled=${k === 0} @click=${() => this.step(k - 1)}>◀\ufe0e</button>
      <button type="button" aria-label="Make the next merge" ?disabled=${k === last} @click=${() => this.step(k + 1)}>▶\ufe0e</button>`;
  }
}

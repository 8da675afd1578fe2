// Mark where a split pattern cuts a text: a click between two characters makes a cut, another takes it away.
//
// start: {text}. judged: {cuts, wrong: the cuts that are in no right place}.

import { html } from "../../kit/html.js";
import { oneTabStop } from "../../kit/keys.js";
import { drawPieces, piecesOf, spoken } from "../../tokenview/marks.js";
import { Task } from "./task.js";

export class CutTask extends Task {
  constructor(...given) {
    super(...given);
    oneTabStop(this.root.querySelector(".letters"));
  }

  draw() {
    const { text, cuts = [], wrong = [], on } = this;
    const without = (list, i) => list.filter((cut) => cut !== i);
    const toggle = (i) => {
      const now = cuts.includes(i) ? without(cuts, i) : [...cuts, i].sort((a, b) => a - b);
      this.redraw({ cuts: now, wrong: without(wrong, i) });
    };
    const clear = () => {
      this.redraw({ cuts: [], wrong: [] });
      on.attempt([]);
    };
    const letter = (character, i) => {
      const bytes = new TextEncoder().encode(character);
      const drawn = drawPieces(piecesOf(bytes, 0, bytes.length));
      return i
        ? html`<button type="button" class=${wrong.includes(i) ? "letter is-wrong" : "letter"} aria-pressed=${cuts.includes(i)}
            aria-label="Cut before ${spoken(bytes, 0, bytes.length)}, character ${i + 1}" @click=${() => toggle(i)}>${drawn}</button>`
        : html`<span class="letter">${drawn}</span>`;
    };
    return html`<div class="flow cut">
      <div class="letters" role="group" aria-label="The text. A button cuts before its character">${[...text].map(letter)}</div>
      <p class="flow presses"><button type="button" class="bold" @click=${() => on.attempt(cuts)}>Check</button><button
        type="button" @click=${clear}>Begin again</button></p>
    </div>`;
  }

  // When nothing was judged, as after "Begin again", what was cut meanwhile stays.
  judged(data, state) {
    if (state !== "not done") this.redraw(data);
  }
}

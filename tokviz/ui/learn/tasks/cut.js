// Mark where a split pattern cuts a text: a click between two characters makes a cut, another takes it away.
//
// start: {text}. judged: {cuts, wrong: the cuts that are in no right place}.

import { html, render } from "../../kit/html.js";
import { oneTabStop } from "../../kit/keys.js";
import { drawPieces, piecesOf, spoken } from "../../tokenview/marks.js";

export class CutTask {
  constructor(box, attempt) {
    Object.assign(this, { box, attempt });
  }

  start({ text }) {
    this.letters = [...text].map((character) => {
      const bytes = new TextEncoder().encode(character);
      return { drawn: drawPieces(piecesOf(bytes, 0, bytes.length)), said: spoken(bytes, 0, bytes.length) };
    });
    this.mark([], []);
    oneTabStop(this.box.querySelector(".letters"));
  }

  // When nothing was judged, as after "Begin again", what was cut meanwhile stays.
  judged({ cuts, wrong }, state) {
    if (state !== "not done") this.mark(cuts, wrong);
  }

  mark(cuts, wrong) {
    const without = (list, i) => list.filter((cut) => cut !== i);
    const toggle = (i) => {
      const now = cuts.includes(i) ? without(cuts, i) : [...cuts, i].sort((a, b) => a - b);
      this.mark(now, without(wrong, i));
    };
    const clear = () => {
      this.mark([], []);
      this.attempt([]);
    };
    const letter = ({ drawn, said }, i) =>
      i
        ? html`<button type="button" class=${wrong.includes(i) ? "letter is-wrong" : "letter"} aria-pressed=${cuts.includes(i)}
            aria-label="Cut before ${said}, character ${i + 1}" @click=${() => toggle(i)}>${drawn}</button>`
        : html`<span class="letter">${drawn}</span>`;
    render(
      html`<div class="cut">
        <div class="letters" role="group" aria-label="The text. A button cuts before its character">${this.letters.map(letter)}</div>
        <p class="presses"><button type="button" class="check" @click=${() => this.attempt(cuts)}>Check</button><button
          type="button" class="check" @click=${clear}>Begin again</button></p>
      </div>`,
      this.box,
    );
  }
}

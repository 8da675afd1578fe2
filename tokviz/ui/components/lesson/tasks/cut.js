// Mark where a split pattern cuts a text: a click between two characters makes a cut, another takes it away.
//
// start: {text}. judged: {cuts, wrong: the cuts that are in no right place}.

import { make, makeButton, setAttributes } from "../../../kit/elements.js";
import { oneTabStop } from "../../../kit/keys.js";
import { drawPieces, piecesOf, spoken } from "../../token_view/marks.js";

export class CutTask {
  constructor(box, attempt) {
    this.row = make("div", "letters");
    setAttributes(this.row, { role: "group", "aria-label": "The text. A button cuts before its character" });
    const check = makeButton("check", "Check", () => attempt(this.cuts));
    const clear = makeButton("check", "Begin again", () => {
      this.mark([]);
      attempt([]);
    });
    const presses = make("p", "presses");
    presses.append(check, clear);
    const cut = box.appendChild(make("div", "cut"));
    cut.append(this.row, presses);
  }

  start({ text }) {
    this.buttons = [...text].map((character, i) => {
      const bytes = new TextEncoder().encode(character);
      const drawn = i ? makeButton("letter", "", () => this.toggle(drawn)) : make("span", "letter");
      drawn.append(...drawPieces(piecesOf(bytes, 0, bytes.length)));
      if (i) drawn.setAttribute("aria-label", `Cut before ${spoken(bytes, 0, bytes.length)}, character ${i + 1}`);
      return drawn;
    });
    this.row.replaceChildren(...this.buttons);
    oneTabStop(this.row);
    this.mark([]);
  }

  get cuts() {
    return this.buttons.flatMap((button, i) => (button.getAttribute("aria-pressed") === "true" ? [i] : []));
  }

  mark(cuts, wrong = []) {
    for (const [i, button] of this.buttons.entries()) {
      if (!i) continue;
      button.setAttribute("aria-pressed", String(cuts.includes(i)));
      button.classList.toggle("is-wrong", wrong.includes(i));
    }
  }

  toggle(button) {
    button.classList.remove("is-wrong");
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  }

  judged({ cuts, wrong }) {
    this.mark(cuts, wrong);
  }
}

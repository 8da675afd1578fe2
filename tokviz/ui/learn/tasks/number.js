// Type a number. It is judged when it is handed in, not at each key, because 4 is on the way to 49.
//
// start: {unit}.

import { html, nothing } from "../../kit/html.js";
import { Task } from "./task.js";

const LOOKS = { done: "is-right", "not yet": "is-wrong" };

export class NumberTask extends Task {
  isHandedIn = true; // by a press, and not while it is typed

  draw() {
    const handIn = (event) => {
      event.preventDefault();
      this.on.attempt(event.target.elements[0].value);
    };
    return html`<form class="number" @submit=${handIn}><input type="text" inputmode="decimal" maxlength="40" spellcheck="false"
      autocapitalize="off" autocorrect="off" autocomplete="off" aria-label="Your number" class=${LOOKS[this.state] ?? ""}
      value=${this.answer ?? nothing} @input=${({ target }) => this.on.keep(target.value)}><span class="unit">${this.unit}</span><button>Check</button></form>`;
  }
}

// Type a number. It is judged when it is handed in, not at each key, because 4 is on the way to 49.
//
// start: {unit}.

import { html, render } from "../../kit/html.js";

const LOOKS = { done: "is-right", "not yet": "is-wrong" };

export class NumberTask {
  constructor(box, attempt) {
    Object.assign(this, { box, attempt });
  }

  get field() {
    return this.box.querySelector("input");
  }

  start({ unit }) {
    this.unit = unit;
    this.judged();
  }

  restore(answer) {
    this.field.value = String(answer);
  }

  judged(_data, state) {
    const handIn = (event) => {
      event.preventDefault();
      this.attempt(this.field.value);
    };
    render(
      html`<form class="number" @submit=${handIn}><input type="text" inputmode="decimal" maxlength="40" spellcheck="false"
        autocapitalize="off" autocorrect="off" autocomplete="off" aria-label="Your number" class=${LOOKS[state] ?? ""}><span
        class="unit">${this.unit}</span><button>Check</button></form>`,
      this.box,
    );
  }
}

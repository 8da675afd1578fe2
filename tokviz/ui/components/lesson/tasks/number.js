// Type a number. It is judged when it is handed in, not at each key, because 4 is on the way to 49.
//
// start: {unit}.

import { asTyped, make, makeButton } from "../../../kit/elements.js";

export class NumberTask {
  constructor(box, attempt) {
    this.form = box.appendChild(make("form", "number"));
    this.field = asTyped(make("input"));
    this.field.type = "text";
    this.field.inputMode = "decimal";
    this.field.maxLength = 40;
    this.field.setAttribute("aria-label", "Your number");
    this.unit = make("span", "unit");
    this.check = makeButton("", "Check", () => this.form.requestSubmit());
    this.form.append(this.field, this.unit, this.check);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(this.field.value);
    });
  }

  start({ unit }) {
    this.unit.textContent = unit;
  }

  restore(answer) {
    this.field.value = String(answer);
  }

  judged(_data, state) {
    this.field.classList.toggle("is-right", state === "done");
    this.field.classList.toggle("is-wrong", state === "not yet");
  }
}

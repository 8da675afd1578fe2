// The four buttons of a class and their keys. What the server says can be done is on, and the first of it is bold.

import { make, makeButton } from "../../kit/elements.js";

const ACTS = [
  ["ask", "Ask", "Q", "ask"],
  ["reveal", "Reveal", "V", "reveal"],
  ["again", "Vote again", "G", "again"],
  ["next", "Next question", "N", "next"],
];

const TYPED_IN = "input, textarea, select, [contenteditable='true'], [role='combobox']";

export class Actions {
  constructor(root, room) {
    this.room = room;
    this.foot = make("footer", "foot");
    this.buttons = new Map(
      ACTS.map(([act, label]) => {
        const button = makeButton("press act", "", () => this.act(act));
        const words = make("span", "", label);
        words.dataset.label = label; // the width of the bold label is kept free
        button.append(words);
        return [act, button];
      }),
    );
    this.keys = make("p", "keys");
    for (const [key, does] of [...ACTS.map(([, , key, does]) => [key, does]), ["J", "show the code"]]) {
      const entry = make("span");
      entry.append(make("kbd", "", key), ` ${does}`);
      this.keys.append(entry);
    }
    this.foot.append(...this.buttons.values(), this.keys);
    root.addEventListener("keydown", (event) => this.key(event));
    // The keys work wherever the focus is, but for fields in which one types.
    this.unheard = (event) => {
      if (!document.activeElement?.matches(TYPED_IN)) this.key(event);
    };
    document.addEventListener("keydown", this.unheard);
  }

  close() {
    document.removeEventListener("keydown", this.unheard);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !this.room.state) return;
    const key = event.key.toUpperCase();
    const { show_code: shown, phase } = this.room.state;
    const act = ACTS.find(([, , letter]) => letter === key)?.[0];
    if (act) this.act(act);
    else if (key === "J" && phase !== "join") this.room.say({ show_code: !shown });
    else if (key === "ESCAPE" && shown) this.room.say({ show_code: false });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  act(act) {
    const { state } = this.room;
    if (state.can.includes(act)) this.room.say({ do: act, question: state.number });
  }

  draw({ can }, isLost) {
    for (const [act, button] of this.buttons) {
      button.setAttribute("aria-disabled", String(isLost || !can.includes(act))); // it keeps the focus
      button.classList.toggle("bold", can[0] === act);
    }
  }
}

// A button that opens a menu, and a row of buttons that is one tab stop.

import { make, makeButton, setAttributes } from "../../kit/elements.js";

// Make the buttons in this element one tab stop: arrows go to the next button, Home and End to the first and last.
// Returns a function that makes a button the stop.
export function oneTabStop(row) {
  const buttons = () => [...row.querySelectorAll("button:not([role=menuitem]):enabled")];
  const stop = (chosen) => {
    for (const button of row.querySelectorAll("button")) button.tabIndex = button === chosen ? 0 : -1;
  };
  stop(buttons()[0]);
  row.addEventListener("focusin", ({ target }) => {
    if (buttons().includes(target)) stop(target);
  });
  row.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(event.target);
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 };
    if (at < 0 || !(event.key in moves) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(moves[event.key] % all.length).focus();
  });
  return stop;
}

export class Menu {
  // items() is called whenever the menu opens: [{ label, hint, act }], with null for a line between two groups.
  constructor(label, items) {
    this.items = items;
    this.root = make("div", "menu");
    this.button = this.root.appendChild(makeButton("menu-button", "", () => this.open(this.list.hidden)));
    this.button.append(make("span", "", label)); // without room for it, it is only spoken
    this.button.title = label;
    setAttributes(this.button, { "aria-haspopup": "menu", "aria-expanded": "false" });
    this.list = this.root.appendChild(make("div", "menu-list"));
    setAttributes(this.list, { role: "menu", "aria-label": label });
    this.list.hidden = true;
    this.button.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") this.step(event, event.key === "ArrowDown" ? 0 : -1);
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.root.contains(relatedTarget)) this.open(false);
    });
  }

  get entries() {
    return [...this.list.querySelectorAll("[role=menuitem]")];
  }

  open(on, focus = on) {
    if (on) {
      this.list.replaceChildren(
        ...this.items().map((item) => {
          if (!item) {
            const line = make("div", "menu-line");
            line.setAttribute("role", "separator");
            return line;
          }
          const entry = makeButton("menu-item", item.label, () => {
            this.button.focus();
            this.open(false);
            item.act();
          });
          entry.tabIndex = -1;
          entry.setAttribute("role", "menuitem");
          if (item.hint) entry.append(make("span", "menu-hint", item.hint));
          return entry;
        }),
      );
    }
    this.list.hidden = !on;
    this.button.setAttribute("aria-expanded", on);
    if (on && focus) this.entries[0].focus({ preventScroll: true });
  }

  step(event, at) {
    event.preventDefault();
    event.stopPropagation();
    if (this.list.hidden) this.open(true);
    this.entries.at(at).focus();
  }

  key(event) {
    const all = this.entries;
    const at = all.indexOf(event.target);
    const moves = { ArrowDown: (at + 1) % all.length, ArrowUp: at - 1, Home: 0, End: -1 };
    if (event.key in moves) return this.step(event, moves[event.key]);
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.button.focus();
      this.open(false);
    } else if (/^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // by its first letter
      const named = (entry) => entry.textContent.toLowerCase().startsWith(event.key.toLowerCase());
      const next = [...all.slice(at + 1), ...all.slice(0, at + 1)].find(named);
      event.stopPropagation();
      next?.focus();
    }
  }
}

// The search over all steps, by their titles, sentences and tasks: a panel below its button, on a narrow window a sheet.

import { html, live } from "../kit/html.js";
import { keys } from "../kit/keys.js";
import { quantity } from "../kit/words.js";

export class Find {
  // asker: finds. goTo(id) opens a step. redraw() draws what this is in.
  constructor(asker, goTo, redraw) {
    Object.assign(this, { asker, goTo, redraw, isOpen: false, words: "", found: [] });
  }

  draw(outline) {
    const steps = outline.flatMap(({ title, steps }, i) =>
      steps.map((step, at) => ({ ...step, number: `${i + 1}.${at + 1}`, chapter: title })),
    );
    const rows = this.found.map((id) => steps.find((step) => step.id === id));
    const says = this.words.trim()
      ? `${rows.length} of ${quantity(steps.length, "step")}`
      : "Searches titles, sentences and tasks";
    const toggle = ({ currentTarget }) => this.toggle(currentTarget.parentElement, !this.isOpen);
    const close = ({ currentTarget }) => this.toggle(currentTarget.closest(".find"), false);
    const go = (by) => (event) => {
      const stops = [...event.currentTarget.querySelectorAll("input, .step")];
      stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(event.target) + by))].focus();
    };
    const leave = ({ currentTarget, relatedTarget }) => {
      if (document.hasFocus() && !currentTarget.contains(relatedTarget)) this.fold();
    };
    const press = keys({
      Escape: close,
      ArrowDown: go(1),
      ArrowUp: go(-1),
      Enter: ({ target }) => (target.matches("input") && rows.length ? this.open(rows[0].id) : false),
    });
    return html`<div class="menu sheets find" @focusout=${leave} @keydown=${press}>
      <button type="button" class="menu-button" aria-haspopup="dialog" aria-expanded=${this.isOpen} @click=${toggle}>Find a step</button>
      <div class="scrim" @click=${close}></div>
      <div class="menu-panel" role="dialog" aria-label="Find a step" tabindex="-1" ?hidden=${!this.isOpen}>
        <div class="menu-top"><b>Find a step</b><button type="button" class="plain" @click=${close}>Close ×</button></div>
        <input type="search" aria-label="Words in the step" autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" maxlength="80"
          .value=${live(this.words)} @input=${({ target }) => this.seek(target.value)}>
        <p class="quiet small" role="status">${says}</p>
        ${rows.map(
          ({
            id,
            number,
            title,
            chapter,
          }) => html`<button type="button" class="menu-item step" @click=${() => this.open(id)}>
            <span class="quiet no">${number}</span><span>${title}<span class="quiet small">${chapter}</span></span></button>`,
        )}
      </div>
    </div>`;
  }

  toggle(root, opens) {
    this.isOpen = opens;
    this.redraw();
    root.querySelector(opens ? "input" : ".menu-button").focus({ preventScroll: true });
  }

  fold() {
    this.isOpen = false;
    this.redraw();
  }

  open(id) {
    this.fold();
    this.goTo(id);
  }

  seek(words) {
    this.words = words;
    this.redraw();
    this.asker.ask("learn.find", { words }).then(({ steps }) => {
      this.found = steps;
      this.redraw();
    }, this.asker.tell);
  }
}

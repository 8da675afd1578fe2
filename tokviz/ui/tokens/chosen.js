// What is chosen on Tokens, each as a button that opens the choice of another one.
//
// data = {chosen, most}: what is chosen (choosing.py), and how many a page shows. The trigger `chosen` is the names of
// what is to be chosen from now on.

import { Asker } from "../kit/ask.js";
import { asStatus, make } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { component, keepFocus } from "../kit/kit.js";
import { choice, enter } from "./choice.js";

function draw({ chosen, most }, { root, state, redraw, tell }) {
  keepFocus(root, ".menu-button");
  const names = chosen.map(({ name }) => name);
  const close = (event) => {
    const opener = root.querySelector("[aria-expanded=true].menu-button");
    if (!opener) return;
    redraw({ open: null });
    if (event?.type !== "focusout") opener.focus();
  };
  const show = (place) => {
    if (state.open === place) return close();
    redraw({ open: place, choosing: {} });
    state.asker
      .ask("tokens.choices")
      .then((list) => redraw({ list }))
      .catch(state.asker.tell);
    enter(root.querySelector(".chooser"));
  };
  const change = (at, gone, ...more) => tell("chosen", [...new Set(names.toSpliced(at, gone, ...more))]);
  const opener = (at, label, inside) => html`<span class="menu sheets"><button type="button" class="menu-button"
    aria-haspopup="dialog" aria-expanded=${state.open === at} aria-label=${label} @click=${() => show(at)}>${inside}</button>${
      state.open === at &&
      choice(state.list, {
        state: state.choosing,
        redraw,
        close,
        chosen: names,
        pick: (name) => {
          close();
          if (names[at] !== name) change(at, 1, name);
        },
      })
    }</span>`;
  const head = ({ title, series, glyph }, i) =>
    html`<span class="head">${opener(
      i,
      `Tokenizer: ${title}`,
      html`<span aria-hidden="true" style="color: var(--k-${series})">${glyph}</span><span>${title}</span>`,
    )}${
      names.length > 1 &&
      html`<button type="button" class="away" aria-label="Take ${title} away" @click=${() => change(i, 1)}>×</button>`
    }</span>`;
  return html`<div class="heads" role="group" aria-label="Tokenizers">${chosen.map(head)}${
    names.length < most && opener(names.length, "Add a tokenizer", "Add a tokenizer")
  }</div>${state.status}`;
}

function begin({ state, tell }) {
  state.status = asStatus(make("p", "quiet"));
  state.asker = new Asker(state.status, "What is chosen stays.", () => tell("renew", Date.now()));
  return () => state.asker.close();
}

export default component("chosen", draw, begin);

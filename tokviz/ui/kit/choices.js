// Ways to choose one of several things: a list that opens, and buttons of which one is pressed.

import { html, live } from "./html.js";

// options: [[value, text]]. choose(value) gets the value as it is in the options. The class `set` is for a choice other
// than the first.
export const select = ({ label, options, value, choose, prefix = "" }) => html`<select
  class=${value === options[0][0] ? "" : "set"} aria-label=${label} .value=${live(String(value))}
  @change=${({ target }) => choose(options[target.selectedIndex][0])}>${options.map(
    ([of, text]) => html`<option value=${of}>${prefix}${text}</option>`,
  )}</select>`;

// options: {value: text}.
export const choice = ({ label, options, value, choose }) => html`<div class="choice"><span role="group"
  aria-label=${label}>${Object.entries(options).map(
    ([of, text]) =>
      html`<button type="button" value=${of} aria-pressed=${of === value} @click=${() => choose(of)}>${text}</button>`,
  )}</span></div>`;

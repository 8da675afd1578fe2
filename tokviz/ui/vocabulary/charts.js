// The tokens by length and by script. A click sets a filter, a second one lifts it. Each bar shows how many of all its
// tokens are listed.

import { html } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";

// told: what is listed, and in its `frame` what does not change with the search. choice: the filters. change({name:
// value}): filter by "length" or "script"; 0 or "" lifts the filter.
export function charts({ frame, lengths, scripts }, choice, change) {
  const highest = Math.max(...frame.lengths);
  const button = (look, words, n, listed, filter, inside, none = "") => {
    const [[name, value]] = Object.entries(filter);
    const pressed = choice[name] === value;
    const said = `${words}: ${listed === n ? "" : `${figure(listed)} of `}${quantity(n, "token")}`;
    return html`<button type="button" class=${look} ?disabled=${n === 0} aria-pressed=${pressed} aria-label=${said}
      title=${said} @click=${() => change(pressed ? { [name]: none } : filter)}>${inside}</button>`;
  };
  const bars = frame.lengths.map((n, i) => {
    const size = n && Math.max(2, (100 * n) / highest);
    const bar = html`<span class="bar" style="height:${size}%"><span class="filled"
      style="height:${n && (100 * lengths[i]) / n}%"></span></span>`;
    return button("one", lengthInWords(i + 1, frame.lengths.length), n, lengths[i], { length: i + 1 }, bar, 0);
  });
  const pills = frame.scripts.map(({ name, n }, i) => {
    const inside = html`${name} <span class="quiet">${figure(scripts[i])}</span>`;
    return button("", name, n, scripts[i], { script: name }, inside);
  });
  return html`<section class="charts" id="charts" aria-label="Charts"><h2>${frame.length_title}</h2>
    <div class="lengths" role="group" aria-label="Tokens by length in bytes">${bars}</div>
    <div class="flow ends quiet small"><span>1 byte</span><span>${lengthInWords(bars.length, bars.length)}</span></div>
    <h2>${frame.script_title}</h2>
    <div class="pills" role="group" aria-label="Tokens by script">${pills}</div></section>`;
}

export const lengthInWords = (length, longest) => `${quantity(length, "byte")}${length === longest ? " or more" : ""}`;

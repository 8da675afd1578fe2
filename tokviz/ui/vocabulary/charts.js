// The tokens by length and by script. A click sets a filter, a second one lifts it. Each bar shows how many of all its
// tokens are listed.

import { html } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";

// all: what does not change with the search. told: what is listed. choice: the filters. pick(name, value): filter by
// "length" or "script"; 0 or "" lifts the filter.
export function charts(all, told, choice, pick) {
  const highest = Math.max(...all.lengths);
  const button = (look, words, n, listed, pressed, press, inside) => {
    const said = `${words}: ${listed === n ? "" : `${figure(listed)} of `}${quantity(n, "token")}`;
    return html`<button type="button" class=${look} ?disabled=${n === 0} aria-pressed=${pressed} aria-label=${said}
      title=${said} @click=${press}>${inside}</button>`;
  };
  const bars = all.lengths.map((n, i) => {
    const [length, listed] = [i + 1, told.lengths[i]];
    const pressed = choice.length === length;
    const size = n && Math.max(2, (100 * n) / highest);
    const bar = html`<span class="bar" style="height:${size}%"><span class="filled"
      style="height:${n && (100 * listed) / n}%"></span></span>`;
    const words = lengthInWords(length, all.lengths.length);
    return button("one", words, n, listed, pressed, () => pick("length", pressed ? 0 : length), bar);
  });
  const scripts = all.scripts.map(({ name, n }, i) => {
    const pressed = choice.script === name;
    const inside = html`${name} <span class="quiet">${figure(told.scripts[i])}</span>`;
    return button("", name, n, told.scripts[i], pressed, () => pick("script", pressed ? "" : name), inside);
  });
  return html`<section class="charts" id="charts" aria-label="Charts"><h2>${all.length_title}</h2>
    <div class="lengths" role="group" aria-label="Tokens by length in bytes">${bars}</div>
    <div class="flow ends quiet small"><span>1 byte</span><span>${lengthInWords(bars.length, bars.length)}</span></div>
    <h2>${all.script_title}</h2>
    <div class="pills" role="group" aria-label="Tokens by script">${scripts}</div></section>`;
}

export const lengthInWords = (length, longest) => `${quantity(length, "byte")}${length === longest ? " or more" : ""}`;

// data = {name, bytes, at, rows: [{name, series, glyph, values}]}: the tokens per byte in each stretch of a file.
// A click or a key chooses a stretch; when the choice has rested, Python is told the byte.

import { byTouch } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { keys } from "../kit/keys.js";
import { component } from "../kit/kit.js";
import { figure, rate } from "../kit/words.js";

const REST = 250; // ms without another choice
const TALL = 30; // px of a row

export default component("map", (data, { state, redraw, rested, tell }) => {
  if (state.name !== data.name || state.given !== data.at) {
    Object.assign(state, { name: data.name, given: data.at, at: data.at });
  }
  const { at } = state;
  const { bytes, rows } = data;
  const stretches = rows[0].values.length;
  const stretch = Math.min(Math.floor((at * stretches) / bytes), stretches - 1);
  const go = (to) => {
    redraw({ at: Math.max(0, Math.min(Math.floor(to), bytes - 1)) });
    rested(REST, () => tell("looked", state.at));
  };
  const by = (n) => () => go(at + (n * bytes) / stretches);
  const moves = {
    ArrowLeft: by(-1),
    ArrowDown: by(-1),
    ArrowRight: by(1),
    ArrowUp: by(1),
    PageDown: by(-10),
    PageUp: by(10),
  };
  const press = ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    go(((clientX - left) / width) * bytes);
  };
  const place = `${figure(at)} of ${figure(bytes)}`;
  const said = rows.map(({ name, values }) => `${name} ${rate(values[stretch])}`).join(", ");
  const highest = Math.max(...rows.flatMap(({ values }) => values), 0.01);
  return html`<section aria-label="Tokens per byte along ${data.name}">
    <div class="rows">
      ${rows.map((row) => rowOf(row, highest, stretch))}
      <div class="places" role="slider" tabindex="0" aria-label="Place in the file" aria-valuemin="0" aria-valuemax=${bytes - 1}
        aria-valuenow=${at} aria-valuetext="byte ${place}; tokens per byte: ${said}" @pointerdown=${press}
        @keydown=${keys({ ...moves, Home: () => go(0), End: () => go(bytes) })}>
        <div class="here" style="left:${(100 * (stretch + 0.5)) / stretches}%;width:${100 / stretches}%"></div>
      </div>
    </div>
    <p class="flow quiet said"><span class="place">Byte ${place}</span>
      <span>${byTouch() ? "Tap" : "Click or use the arrow keys"} to see the text of that place below</span></p>
  </section>`;
});

const rowOf = ({ name, series, glyph, values }, highest, stretch) => html`<div class="row">
  <span class="who"><span style="color:var(--k-${series})">${glyph} </span><b>${name}</b></span>
  <svg viewBox="0 0 ${values.length} ${TALL}" preserveAspectRatio="none" aria-hidden="true">
    <path style="fill:var(--k-${series})" d=${areaOf(values, highest)} /></svg>
  <span class="value">${rate(values[stretch])}<span class="unit"> tokens/byte</span></span>
</div>`;

const areaOf = (values, highest) =>
  `M0 ${TALL}${values.map((value, i) => `L${i} ${TALL - (TALL * value) / highest}H${i + 1}`).join("")}V${TALL}Z`;

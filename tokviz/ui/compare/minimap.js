// data = {name, bytes, at, rows: [{name, series, glyph, values}]}: the tokens per byte in each stretch of a file, and over
// them a slider that chooses a stretch. When the choice has rested, Python is told its first byte.

import { byTouch, seriesMark } from "../kit/elements.js";
import { html, live } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { figure, rate } from "../kit/words.js";

const REST = 250; // ms without another choice
const TALL = 30; // px of a row

export default component("map", (data, { state, redraw, rested, tell }) => {
  const { name, bytes, rows } = data;
  // The place that Python was told comes back when the choice may be another one already: only a new place is taken.
  if (state.name !== name || ![state.given, state.told].includes(data.at)) state.at = data.at;
  Object.assign(state, { name, given: data.at });
  const stretches = rows[0].values.length;
  const stretch = Math.min(Math.floor((state.at * stretches) / bytes), stretches - 1);
  const go = ({ target }) => {
    redraw({ at: Math.ceil((target.value * bytes) / stretches) });
    rested(REST, () => {
      state.told = state.at;
      tell("looked", state.at);
    });
  };
  const place = `${figure(state.at)} of ${figure(bytes)}`;
  const said = rows.map(({ name, values }) => `${name} ${rate(values[stretch])}`).join(", ");
  const highest = Math.max(...rows.flatMap(({ values }) => values), 0.01);
  const row = ({ name: who, series, glyph, values }) =>
    html`<span class="who">${seriesMark({ glyph, series })} <b>${who}</b></span>
    <svg viewBox="0 0 ${stretches} ${TALL}" preserveAspectRatio="none" aria-hidden="true"><path
      style="fill:var(--k-${series})" d=${areaOf(values, highest)} /></svg>
    <span>${rate(values[stretch])}</span>`;
  return html`<section aria-label="Tokens per byte along ${name}">
    <div class="rows" style="--stretch:${100 / stretches}%">${rows.map(row)}
      <input type="range" max=${stretches - 1} .value=${live(String(stretch))} @input=${go} aria-label="Place in the file"
        aria-valuetext="byte ${place}; tokens per byte: ${said}"></div>
    <p class="flow ends quiet small"><span>Byte ${place}</span>
      <span>${byTouch() ? "Tap a place" : "Click a place, or use the arrow keys,"} to see its text below</span></p>
  </section>`;
});

const areaOf = (values, highest) =>
  `M0 ${TALL}${values.map((value, i) => `L${i} ${TALL - (TALL * value) / highest}H${i + 1}`).join("")}V${TALL}Z`;

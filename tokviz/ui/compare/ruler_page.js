// The boundary ruler of a text in a file without a server.
//
// data = {text, rows, differences}: as tokviz/offline/ruler.py makes them.

import { seriesMark } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { quantity } from "../kit/words.js";
import { read, textOf } from "../tokenview/encoding.js";
import { cutsOf } from "./boundaries.js";
import { Places } from "./places.js";

function draw({ text, rows, differences }, { state }) {
  const { places, narrow } = state;
  if (state.rows !== rows) {
    state.rows = rows;
    const whole = textOf(text);
    const drawn = rows.map((row, key) => {
      const encoding = read(row, whole);
      return { ...row, key, encoding, cuts: cutsOf(encoding, whole.n) };
    });
    places.load(whole, drawn);
    places.take(differences, 0, whole.n);
  }
  const chip = ({ glyph, series, name, tokens }) =>
    html`<li>${seriesMark({ glyph, series })} <b>${name}</b> <span class="quiet">${quantity(tokens, "token")}</span></li>`;
  return html`<div class="chips"><ul class="flow" aria-label="Tokenizers">${rows.map(chip)}</ul></div>
    ${places.head(narrow.matches)}${places.template(narrow.matches)}${places.legend()}`;
}

export default component("workbench compare", draw, ({ state, redraw }) => {
  const [again, narrow] = [() => redraw(), matchMedia("(max-width: 999px)")];
  const places = new Places({ pointed() {}, moved: again, redraw: again });
  Object.assign(state, { places, narrow });
  narrow.addEventListener("change", again);
  document.addEventListener("keydown", (event) => places.press(event));
});

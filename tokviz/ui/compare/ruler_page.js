// The boundary ruler of a text in a file without a server.
//
// data = {text, rows, differences}: as tokviz/offline/ruler.py makes them.

import { isPageFocused, make, mount, seriesMark } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { quantity } from "../kit/words.js";
import { read, textOf } from "../tokenview/encoding.js";
import { cutsOf } from "./boundaries.js";
import { Places } from "./places.js";

class RulerPage {
  constructor(parent) {
    this.root = parent.appendChild(make("section", "tokviz workbench compare"));
    const redraw = () => this.draw();
    this.places = new Places({ pointed() {}, moved: redraw, redraw });
    this.root.addEventListener("keydown", (event) => this.places.press(event));
    this.press = (event) => isPageFocused() && this.places.press(event);
    document.addEventListener("keydown", this.press);
    this.narrow = matchMedia("(max-width: 999px)");
    this.narrow.addEventListener("change", redraw);
  }

  close() {
    document.removeEventListener("keydown", this.press);
    this.places.close();
    this.root.remove();
  }

  update({ text, rows, differences }) {
    if (this.rows === rows) return; // the theme changed
    this.rows = rows;
    const whole = textOf(text);
    const drawn = rows.map((row, i) => {
      const encoding = read(row, whole);
      return { ...row, key: i, encoding, cuts: cutsOf(encoding, whole.n) };
    });
    this.places.load(whole, drawn);
    this.places.take(differences, 0, whole.n);
    this.draw();
  }

  draw() {
    const isPhone = this.narrow.matches;
    const chip = ({ glyph, series, name, tokens }) =>
      html`<li>${seriesMark({ glyph, series })} <b>${name}</b> <span class="quiet">${quantity(tokens, "token")}</span></li>`;
    const { places } = this;
    render(
      html`<div class="chips"><ul aria-label="Tokenizers">${this.rows.map(chip)}</ul></div>${places.head(isPhone)}
        ${places.template(isPhone)}${places.legend()}`,
      this.root,
    );
  }
}

export default function (page) {
  return mount(RulerPage, page, (ruler) => ruler.update(page.data));
}

// The tokens by length and by script, as bars. A click or Enter filters, a second one lifts the filter. Each bar shows
// how many of all its tokens are listed.

import { make } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";

const LABELS = { lengths: "Tokens by length in bytes", scripts: "Tokens by script" };

export class Bars {
  // pick(name, value): filter by "length" or "script"; 0 or "" lifts the filter.
  constructor(pick) {
    this.pick = pick;
    this.root = make("details", "bars");
    this.sized = new ResizeObserver(() => this.size());
    this.sized.observe(this.root);
    this.draw({ lengths: [], scripts: [] });
  }

  close() {
    this.sized.disconnect();
  }

  // On a phone the bars are folded away until they are asked for.
  size() {
    const narrow = this.root.parentElement.clientWidth < 700;
    if (narrow === this.narrow) return;
    this.narrow = narrow;
    this.root.classList.toggle("folds", narrow);
    this.root.open = !narrow;
  }

  // all: what does not change with the search. told: what is listed. choice: the filters.
  draw(all, told, choice) {
    const highest = Math.max(1, ...all.lengths);
    const lengths = all.lengths.map((n, i) => {
      const name = i + 1 === all.lengths.length ? `${i + 1}+` : String(i + 1);
      const bytes = name === "1" ? "1 byte" : `${name.replace("+", " or more")} bytes`;
      const bar = barOf("height", n && Math.max(2, (100 * n) / highest), n, told.lengths[i]);
      const inside = html`${bar}<span class="name">${name}</span>`;
      return this.button(bytes, n, told.lengths[i], choice.length === i + 1, inside, { length: [i + 1, 0] });
    });
    const most = Math.max(1, ...all.scripts.map(({ n }) => n));
    const scripts = all.scripts.map(({ name, n }, i) => {
      const bar = barOf("width", n && Math.max(1, (100 * n) / most), n, told.scripts[i]);
      const inside = html`<span class="name">${name}</span>${bar}<b>${figure(told.scripts[i])}</b>`;
      return this.button(name, n, told.scripts[i], choice.script === name, inside, { script: [name, ""] });
    });
    const part = (name, title, buttons) => html`<section class=${name}><h2>${title}</h2><div class="drawn" role="group"
      aria-label=${LABELS[name]}>${buttons}</div>${name === "lengths" && html`<p class="quiet unit">${LABELS[name]}</p>`}</section>`;
    render(
      html`<summary>Filter by length and script</summary>${part("lengths", all.length_title, lengths)}${part(
        "scripts",
        all.script_title,
        scripts,
      )}`,
      this.root,
    );
  }

  // picks: the filter by its name, each [what a press chooses, what lifts it].
  button(label, n, listed, pressed, inside, picks) {
    const [[filter, [value, none]]] = Object.entries(picks);
    const said = `${label}: ${listed === n ? "" : `${figure(listed)} of `}${quantity(n, "token")}`;
    return html`<button type="button" class="one" ?disabled=${n === 0} aria-pressed=${pressed} aria-label=${said} title=${said}
      @click=${() => this.pick(filter, pressed ? none : value)}>${inside}</button>`;
  }
}

// The bar of all tokens, of which the listed ones are filled. size: in percent.
const barOf = (
  side,
  size,
  n,
  listed,
) => html`<span class="frame"><span class="bar" style="${side}:${size}%"><span class="filled"
  style="--share:${n ? listed / n : 0}"></span></span></span>`;

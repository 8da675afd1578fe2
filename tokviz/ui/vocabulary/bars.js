// The tokens by length and by script, as bars. A click or Enter filters, a second one lifts the filter. Each bar shows
// how many of all its tokens are listed.

import { make, makeButton, setAttributes } from "../kit/elements.js";
import { figure, quantity } from "../kit/words.js";

export class Bars {
  // pick(name, value): filter by "length" or "script"; 0 or "" lifts the filter.
  constructor(pick) {
    this.pick = pick;
    this.root = make("details", "bars");
    this.root.append(make("summary", "", "Filter by length and script"));
    this.lengths = this.part("lengths", "Tokens by length in bytes");
    this.scripts = this.part("scripts", "Tokens by script");
    this.sized = new ResizeObserver(() => this.size());
    this.sized.observe(this.root);
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

  part(className, label) {
    const part = this.root.appendChild(make("section", className));
    const title = part.appendChild(make("h2"));
    const bars = part.appendChild(make("div", "drawn"));
    setAttributes(bars, { role: "group", "aria-label": label });
    if (className === "lengths") part.append(make("p", "quiet unit", label));
    return { title, bars };
  }

  // all: what does not change with the search. told: what is listed. choice: the filters.
  draw(all, told, choice) {
    if (this.all?.key !== all.key) this.build(all);
    const { lengths, scripts } = this;
    for (const [i, button] of lengths.buttons.entries()) this.fill(button, told.lengths[i], choice.length === i + 1);
    for (const [i, button] of scripts.buttons.entries()) {
      this.fill(button, told.scripts[i], choice.script === all.scripts[i].name);
    }
  }

  build(all) {
    this.all = all;
    const highest = Math.max(1, ...all.lengths);
    this.lengths.title.textContent = all.length_title;
    this.lengths.buttons = all.lengths.map((n, i) => {
      const name = i + 1 === all.lengths.length ? `${i + 1}+` : String(i + 1);
      const bytes = name === "1" ? "1 byte" : `${name.replace("+", " or more")} bytes`;
      const button = this.button("length", i + 1, n, bytes);
      button.bar.style.height = `${n && Math.max(2, (100 * n) / highest)}%`;
      button.append(button.frame, make("span", "name", name));
      return button;
    });
    this.lengths.bars.replaceChildren(...this.lengths.buttons);
    const most = Math.max(1, ...all.scripts.map(({ n }) => n));
    this.scripts.title.textContent = all.script_title;
    this.scripts.buttons = all.scripts.map(({ name, n }) => {
      const button = this.button("script", name, n, name);
      button.bar.style.width = `${n && Math.max(1, (100 * n) / most)}%`;
      button.append(make("span", "name", name), button.frame, button.count);
      return button;
    });
    this.scripts.bars.replaceChildren(...this.scripts.buttons);
  }

  button(filter, value, n, label) {
    const button = makeButton("one", "", () => {
      const lifted = button.getAttribute("aria-pressed") === "true";
      this.pick(filter, lifted ? (filter === "length" ? 0 : "") : value);
    });
    button.disabled = n === 0;
    Object.assign(button, { n, label, frame: make("span", "frame"), bar: make("span", "bar"), count: make("b") });
    button.filled = button.bar.appendChild(make("span", "filled"));
    button.frame.append(button.bar);
    return button;
  }

  fill(button, listed, pressed) {
    const { n, label, filled } = button;
    button.setAttribute("aria-pressed", String(pressed));
    button.setAttribute(
      "aria-label",
      `${label}: ${listed === n ? "" : `${figure(listed)} of `}${quantity(n, "token")}`,
    );
    button.title = button.getAttribute("aria-label");
    button.count.textContent = figure(listed);
    filled.style.setProperty("--share", n ? listed / n : 0);
  }
}

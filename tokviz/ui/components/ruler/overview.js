// A long text in one line, above the part of it that the ruler shows: a bar for each stretch, as high as there are
// disagreements in it, and a slider to go to another place.

import { make, shape } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";

const AT_REST = 250; // ms after the last move of the slider

export class Overview {
  // `goTo(byte)` is called when the slider has come to rest.
  constructor(parent, goTo) {
    this.root = parent.appendChild(make("div"));
    this.range = this.root.appendChild(make("p", "range"));
    const map = this.root.appendChild(make("div", "map"));
    this.bars = map.appendChild(shape("svg", { class: "bars", "aria-hidden": "true", preserveAspectRatio: "none" }));
    this.slider = map.appendChild(make("input"));
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.setAttribute("aria-label", "Place in the text");
    this.slider.addEventListener("input", () => {
      const at = Number(this.slider.value);
      this.slider.setAttribute("aria-valuetext", `byte ${figure(at)}`);
      clearTimeout(this.resting);
      this.resting = setTimeout(() => goTo(at), AT_REST);
    });
  }

  close() {
    clearTimeout(this.resting);
  }

  // data: what Python sent; n: bytes in view; here: disagreements in them.
  show({ density, start, size, first }, n, here) {
    this.root.hidden = !density;
    if (!density) return;
    const which = !here
      ? " No disagreement is in them."
      : here === 1
        ? ` Disagreement ${figure(first + 1)} is in them.`
        : ` Disagreements ${figure(first + 1)} to ${figure(first + here)} are in them.`;
    this.range.replaceChildren(
      make("b", "", `Showing bytes ${figure(start)} to ${figure(start + n)} of ${figure(size)}.`),
      `${which} The whole text is compared.`,
    );
    const most = Math.max(1, ...density);
    this.bars.setAttribute("viewBox", `0 0 ${density.length} 24`);
    this.bars.replaceChildren(
      ...density.map((count, i) => {
        const height = count ? 2 + 22 * (count / most) : 0;
        return shape("rect", { x: i + 0.15, y: 24 - height, width: 0.7, height });
      }),
    );
    this.slider.max = size;
    this.slider.step = Math.max(1, Math.round(size / 200));
    this.slider.value = start;
    this.slider.setAttribute("aria-valuetext", `byte ${figure(start)}`);
  }
}

// A long text in one line, above the part of it that the ruler shows: a bar for each stretch, as high as there are
// disagreements in it, and a slider to go to another place.

import { html, live, render, svg } from "../kit/html.js";
import { figure } from "../kit/words.js";

const AT_REST = 250; // ms after the last move of the slider

export class Overview {
  // `goTo(byte)` is called when the slider has come to rest.
  constructor(parent, goTo) {
    this.root = parent.appendChild(document.createElement("div"));
    this.goTo = goTo;
  }

  close() {
    clearTimeout(this.resting);
  }

  // data: what Python sent; n: bytes in view; here: disagreements in them.
  show({ density, start, size, first }, n, here) {
    this.root.hidden = !density;
    if (!density) return;
    const which = !here
      ? "No disagreement is"
      : here === 1
        ? `Disagreement ${figure(first + 1)} is`
        : `Disagreements ${figure(first + 1)} to ${figure(first + here)} are`;
    const most = Math.max(1, ...density);
    const bar = (count, i) => {
      const height = count ? 2 + 22 * (count / most) : 0;
      return svg`<rect x=${i + 0.15} y=${24 - height} width="0.7" height=${height} />`;
    };
    const slide = ({ currentTarget: slider }) => {
      const at = Number(slider.value);
      slider.ariaValueText = `byte ${figure(at)}`;
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.goTo(at), AT_REST);
    };
    render(
      html`<p class="range"><b>Showing bytes ${figure(start)} to ${figure(start + n)} of ${figure(size)}.</b> ${which} in them. The whole text is compared.</p>
        <div class="map">
          <svg class="bars" viewBox="0 0 ${density.length} 24" preserveAspectRatio="none" aria-hidden="true">${density.map(bar)}</svg>
          <input type="range" aria-label="Place in the text" .ariaValueText=${live(`byte ${figure(start)}`)} min="0" .max=${size}
            .step=${Math.max(1, Math.round(size / 200))} .value=${live(String(start))} @input=${slide}>
        </div>`,
      this.root,
    );
  }
}

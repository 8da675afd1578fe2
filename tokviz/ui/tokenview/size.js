// The vocabulary-size slider: the text as the tokenizers split it at an earlier size. Special tokens do not count. The
// scale is logarithmic, as the first merges change most; a number field takes an exact size.

import { make } from "../kit/elements.js";
import { html, live, render } from "../kit/html.js";
import { figure, listed, quantity } from "../kit/words.js";

export class SizeSlider {
  // `moved(size)` is called with the vocabulary size, or null for all of it; `close()` takes the row away.
  constructor(moved, close) {
    Object.assign(this, { moved, close, tokenizers: [], size: null, most: 256 });
    this.root = make("section", "size");
    this.root.setAttribute("aria-label", "Vocabulary size");
  }

  // tokenizers: [{ name, merges }]. Those without merges, such as the tokenizers of others, cannot be cut.
  load(sides) {
    this.tokenizers = sides.filter(({ merges }) => merges);
    this.most = 256 + Math.max(0, ...this.tokenizers.map(({ merges }) => merges));
    if (this.size !== null && this.size >= this.most) this.size = null;
    this.draw();
  }

  sizeAt(share) {
    return Math.round(256 * (this.most / 256) ** share);
  }

  set(size) {
    const now = size === null || size >= this.most ? null : Math.max(256, size);
    const same = now === this.size;
    this.size = now;
    this.draw();
    if (!same) this.moved(now);
  }

  typed(written) {
    const size = Number(written.replace(/[,\s]/g, ""));
    if (Number.isInteger(size) && size > 0) this.set(size);
    else this.draw();
  }

  draw() {
    const size = this.size ?? this.most;
    const share = this.most === 256 ? 1 : Math.log(size / 256) / Math.log(this.most / 256);
    render(
      html`<div class="flow">
          <h2>Vocabulary size</h2>
          <input class="number" inputmode="numeric" aria-label="Vocabulary size, as a number" autocomplete="off"
            autocapitalize="off" autocorrect="off" spellcheck="false"
            .value=${live(figure(size))} @change=${({ target }) => this.typed(target.value)}
            @keydown=${({ key, target }) => key === "Enter" && this.typed(target.value)}>
          <button type="button" class=${this.size === null ? "all small gone" : "all small"} @click=${() => {
            this.set(null);
            this.root.querySelector(".range").focus();
          }}>All merges</button>
          <button type="button" class="away" aria-label="Close Vocabulary size" @click=${this.close}>×</button>
        </div>
        <input class="range" type="range" min="0" max="1000" step="1" aria-label="Vocabulary size, log scale"
          aria-valuetext=${`${figure(size)} tokens`} .value=${live(String(Math.round(1000 * share)))}
          @input=${({ target }) => this.set(this.sizeAt(target.value / 1000))}>
        <p class="small quiet" role="status">${this.words(size)}</p>`,
      this.root,
    );
  }

  words(size) {
    const names = this.tokenizers.map(({ name }) => name);
    if (this.most === 256) return "No merges of this tokenizer are known, so it has no smaller vocabulary.";
    if (this.size === null) {
      return `${listed(names)} with all ${quantity(size - 256, "merge")}. Move the slider left to see how the tokenizer cut the text earlier in its training.`;
    }
    const small = this.tokenizers.filter((other) => 256 + other.merges <= size).map(({ name }) => name);
    const rest = small.length ? `, and all merges of ${listed(small)}` : "";
    const stopped = names.filter((name) => !small.includes(name));
    return `256 bytes + ${quantity(size - 256, "merge")}: ${listed(stopped)} at size ${figure(size)}${rest}.`;
  }
}

// The settings of a training, in a line below the corpus, and what is wrong with them.

import { make } from "../kit/elements.js";
import { html, live, nothing, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";

const BYTES = 256; // tokens that are in every vocabulary
const MOST = 20_000; // merges; a corpus that can be written here never has so many
const LEAST = [1, 2, 3, 4, 5, 10, 20, 50, 100];

// A select that shows what it is for before its value. It lies unseen over the words, so that all of them open it.
// choices: pairs of a value and its words.
const pick = (label, choices, value, choose) =>
  html`<span class="pick"><span aria-hidden="true">${label}: <b>${
    choices.find(([to]) => to === value)?.[1] ?? value
  }</b></span><select aria-label=${label} .value=${live(String(value))} @change=${({ target }) => choose(target.value)}>${choices.map(
    ([to, words]) => html`<option value=${to}>${words}</option>`,
  )}</select></span>`;

export class Settings {
  // patterns, ties: what there is to choose, as pairs of a value and its words; the pattern `own` is the writer's own.
  // changed(settings): they are other ones now.
  constructor(patterns, ties, own, changed) {
    Object.assign(this, { patterns, ties, own, changed, fault: "", merges: null, isOpen: false });
    this.root = make("div", "settings");
  }

  // Ask for so many merges. merges: as they are typed, which stays until they are typed out.
  ask(count, merges = null) {
    this.set({ vocab_size: BYTES + Math.max(0, Math.min(MOST, count)) }, { merges });
  }

  set(some, fields) {
    this.show({ ...this.settings, ...some }, fields);
    this.changed(this.settings);
  }

  show(settings, fields) {
    Object.assign(this, { settings }, fields);
    const { pattern, custom, special, tie, min_count: least } = settings;
    const { patterns, ties, own, isOpen, fault } = this;
    const counts = (LEAST.includes(least) ? LEAST : [...LEAST, least]).map((count) => [count, figure(count)]);
    const many = special.split("\n").filter(Boolean).length;
    const unfold = () => this.show(this.settings, { isOpen: !this.isOpen });
    render(
      html`<div class="flow small">
          ${this.stepper()}
          ${pick("Split pattern", patterns, pattern, (to) => this.set({ pattern: to }))}
          ${pick("Ties", ties, tie, (to) => this.set({ tie: to }))}
          ${pick("Least pair count", counts, least, (to) => this.set({ min_count: Number(to) }))}
          <button type="button" class="pick unfolds" aria-controls="special-tokens" aria-expanded=${isOpen}
            title=${many ? quantity(many, "special token") : nothing} @click=${unfold}>Special tokens: <b>${
              many ? figure(many) : "none"
            }</b></button>
        </div>
        <label class="setting-field" ?hidden=${pattern !== own}><span class="label">Your split pattern, a regular expression</span><input
          class="area" spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" .value=${live(custom)}
          @input=${({ target }) => this.set({ custom: target.value })}></label>
        <label class="setting-field" id="special-tokens" ?hidden=${!isOpen}><span class="label">Special tokens, one in each line</span><textarea
          class="area" spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" .value=${live(special)}
          @input=${({ target }) => this.set({ special: target.value })}></textarea></label>
        <div class="note warn fault" role="status" ?hidden=${!fault}><span>${fault}</span></div>`,
      this.root,
    );
  }

  stepper() {
    const by = (many) => () => this.ask(this.asked + many);
    const type = ({ target: { value } }) =>
      /^[\d,\s]+$/.test(value) && this.ask(Number(value.replace(/\D/g, "")), value);
    return html`<span class="stepping"><label for="merges">Merges</label><span class="stepper"><button type="button"
      aria-label="One merge fewer" @click=${by(-1)}>−</button><input id="merges" inputmode="numeric" spellcheck="false"
      autocapitalize="off" autocorrect="off" autocomplete="off" .value=${live(this.merges ?? figure(this.asked))}
      @input=${type} @change=${() => this.show(this.settings, { merges: null })}><button type="button"
      aria-label="One merge more" @click=${by(1)}>+</button></span></span>`;
  }

  get asked() {
    return this.settings.vocab_size - BYTES;
  }
}

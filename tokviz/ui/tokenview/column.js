// A tokenizer's column on the workbench: the text as its tokens in a box as high as they need, and under it their
// figures. Its heads, one for each model that has this tokenizer, are above all boxes.

import { make, seriesMark } from "../kit/elements.js";
import { html, nothing, render } from "../kit/html.js";
import { figure, listed } from "../kit/words.js";
import { dollars } from "./price.js";
import { TokenBox } from "./token_box.js";

const TALL = { bytes: 12_000, lines: 200 }; // of a text whose box is as high as the window, and scrolls
const isTall = ({ n, bytes }) => n > TALL.bytes || bytes.filter((byte) => byte === 10).length >= TALL.lines;

export class Column extends TokenBox {
  // heads: [{ name, title, encoding, facts, model, root }]. emptied() is called when the text comes or goes, pointed(token)
  // when another token is pointed at (null: none). isHeaded: are the heads in the column itself?
  constructor({ emptied, pointed, isHeaded = false }) {
    super();
    Object.assign(this, { emptied, pointed, isHeaded, heads: [], remarks: [], none: null });
    this.root = make("section", "panel column");
  }

  close() {
    super.close();
    this.root.remove();
  }

  say(token, others) {
    super.say(token, others);
    this.pointed(token);
  }

  // How many tokens there are, as every head of it says.
  drawHead() {
    const none = this.hideEmpty();
    this.root.hidden = none && !this.error;
    this.root.setAttribute("aria-label", `Tokens of ${this.data.name}`);
    this.box.classList.toggle("tall", isTall(this.encoding));
    const notes = [...(this.error ? [this.error] : []), ...this.remarks];
    render(
      html`<div class="above">${
        this.isHeaded ? this.heads.map(({ root }) => root) : html`<p class="named-box">${this.named()}</p>`
      }${notes.map((note) => html`<p class="note"><span>${note}</span></p>`)}</div>
        ${this.box}${this.table.root}<div class="foot">${this.facts}${this.status}</div>`,
      this.root,
    );
    this.drawHeads();
    const was = this.none;
    this.none = none;
    if (was !== null && none !== was) this.emptied();
  }

  drawHeads() {
    const tokens = this.encoding.refused ? null : this.figures.tokens;
    for (const head of this.heads) render(this.head(head, tokens), head.root);
  }

  // "GPT-5 and GPT-4o, both o200k_base"
  named() {
    const { name, glyph, series } = this.data;
    const names = this.heads.map(({ title }) => title);
    const also = names.length === 2 ? `, both ${name}` : `, all ${name}`;
    return html`<b>${seriesMark({ glyph, series })} ${listed(names)}${names.length > 1 ? also : ""}</b>`;
  }

  head({ title, encoding, facts, model, isSole, opener, remove }, tokens) {
    const { glyph, series } = this.data;
    const count = tokens === null ? "no" : figure(tokens);
    const unit = tokens === 1 ? "token" : "tokens";
    const [input, output] = ["input", "output"].map((way) =>
      model?.[way] && tokens ? dollars(tokens, model[way]) : null,
    );
    const spoken = input ? `, ${input.slice(1)} dollars as input` : "";
    return html`<h2 class="unseen">${title}: ${count} ${unit}${spoken}</h2>
      ${opener(html`<span>${seriesMark({ glyph, series })} <b>${title}</b></span>`)}
      <p class="figs" aria-hidden="true"><span class="count"><b>${count}</b> ${unit}</span>${
        input &&
        html` <span class="price">${input}<span class="quiet"> in<span class="out">${output && `, ${output} out`}</span></span></span>`
      }</p>
      ${
        isSole
          ? nothing
          : html`<button type="button" class="away" aria-label=${`Take ${title} away`} @click=${remove}>×</button>`
      }
      <p class="about small quiet">${encoding && html`<span class="encoding">${encoding}${facts && ", "}</span>`}${facts}${
        model?.context &&
        tokens > model.context &&
        html`, <b>${figure(tokens - model.context)} tokens too long for it</b>`
      }</p>`;
  }
}

// A token box in its panel: name, figures, switches and a menu above it, and below it the token pointed at.

import { make, seriesMark, themeOf } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { oneTabStop } from "../kit/keys.js";
import { menu } from "../kit/menu.js";
import { figure, rate } from "../kit/words.js";
import { read } from "./encoding.js";
import { takings } from "./exports.js";
import { badgeOf, FACES, TokenBox } from "./token_box.js";

export class TokenPanel extends TokenBox {
  constructor(parent, pins = false) {
    super(pins);
    this.root = parent.appendChild(make("section", "tokviz panel"));
    this.marks = { whitespace: true, chunks: true };
    this.draw();
    this.stop = oneTabStop(this.root.querySelector(".view-tools"));
  }

  close() {
    super.close();
    this.root.remove();
  }

  turn(face) {
    super.turn(face);
    this.draw();
    this.stop(this.root.querySelector(`.view-tools [value=${face}]`));
  }

  update(data) {
    this.root.dataset.theme = themeOf(this.root);
    const same =
      this.data &&
      Object.keys({ ...data, ...this.data }).every(
        (name) => JSON.stringify(data[name]) === JSON.stringify(this.data[name]),
      );
    if (same) return; // only the theme changed: keep what is pointed at
    this.show(data, read(data));
  }

  show(data, encoding, key) {
    this.root.classList.toggle("compact", data.compact);
    this.root.setAttribute("aria-label", `Tokens of ${data.name}`);
    super.show(data, encoding, key);
  }

  drawHead() {
    this.none = this.hideEmpty();
    this.draw();
  }

  draw() {
    const words = this.none
      ? html`<div class="empty"><h2>No text yet</h2><p>Its tokens appear here as soon as there is some.</p></div>`
      : null;
    render(
      html`<div class="head">${this.data && this.head()}</div>
        ${this.data && this.note()}
        ${this.toolbar()}${words}${this.box}${this.table.root}${this.status}`,
      this.root,
    );
  }

  head() {
    const { name, glyph, series, header, compact } = this.data;
    const { tokens, bytes, characters } = this.figures;
    const refused = Boolean(this.encoding.refused); // its tokens are drawn, but are not those of the text
    const stats = [
      !refused && [figure(tokens), tokens === 1 ? "token" : "tokens"],
      !compact && [figure(bytes), bytes === 1 ? "byte" : "bytes"],
      !compact && [figure(characters), characters === 1 ? "character" : "characters"],
      [tokens ? rate(bytes / tokens) : "–", "bytes per token"],
    ].filter(Boolean);
    return html`${header && html`<h2 class="title">${seriesMark({ glyph, series })}${name}</h2>`}<p class="stats">${stats.map(
      ([number, unit]) => html`<span><b>${number}</b> <span class="quiet">${unit}</span></span> `,
    )}</p>${badgeOf(this)}`;
  }

  note() {
    const { start, totals } = this.data;
    const written = totals?.written ?? totals?.bytes;
    if (this.error) return html`<p class="note"><span><b>${this.error}</b></span></p>`;
    if (!totals || written <= this.encoding.n) return null;
    const range = `Showing bytes ${figure(start)} to ${figure(start + this.encoding.n)} of ${figure(written)}.`;
    return html`<p class="note"><span><b>${range}</b> All are counted.</span></p>`;
  }

  // The switches and the menu, as one tab stop.
  toolbar() {
    const mark = (name, label, off) => html`<button type="button" aria-pressed=${this.marks[name]} ?disabled=${off}
      @click=${() => {
        this.marks[name] = !this.marks[name];
        this.mark(this.marks);
        this.draw();
      }}>${label}</button>`;
    return html`<div class="view-tools" role="toolbar" ?hidden=${this.none}
      aria-label=${`How the tokens of ${this.data?.name} are shown`}>
      <div class="choice"><span role="group" aria-label="Show">${FACES.map(
        (face) => html`<button type="button" value=${face} aria-pressed=${face === this.face}
          @click=${() => this.turn(face)}>${face}</button>`,
      )}</span></div>
      <div class="toggles"><span role="group" aria-label="Marks">${mark("whitespace", "Whitespace", this.face !== "Text")}${mark(
        "chunks",
        "Chunks",
        this.face === "Table",
      )}</span></div>
      ${menu({ label: "Copy or save", items: () => takings(this) })}
    </div>`;
  }
}

// A text as tokens that nobody types here: its name and figures, its tokens, and two menus, View and Share.
//
// data: view_data of tokviz/offline/data.py. In a file without a server it has also `cards`, the records of the first tokens
// by their places: then a press on a token opens its card.

import { make, seriesMark, themeOf } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { read } from "./encoding.js";
import { takings } from "./exports.js";
import { Inside } from "./inside.js";
import { iconMenu, lookItems } from "./menus.js";
import { FACES, TokenBox } from "./token_box.js";

export class TokenPanel extends TokenBox {
  constructor(parent) {
    super();
    this.root = parent.appendChild(make("section", "tokviz panel"));
    this.shows = { face: FACES[0], whitespace: true, chunks: true };
  }

  close() {
    super.close();
    this.inside?.close();
    this.root.remove();
  }

  update(data) {
    this.root.dataset.theme = themeOf(this.root);
    if (JSON.stringify(data) === JSON.stringify(this.data)) return; // only the theme changed: keep what is pointed at
    this.root.setAttribute("aria-label", `Tokens of ${data.name}`);
    if (data.cards) this.inside ??= this.lookInside();
    this.show(data, read(data));
    this.inside?.views([{ ...data, key: data.name, view: this.view }]);
  }

  lookInside() {
    this.root.addEventListener("keydown", ({ key }) => key === "Escape" && this.inside.side() && this.inside.leave());
    return new Inside(this.root, {
      ask: (key, start) => this.inside.answer(key, this.data.cards[start]),
      sized() {},
      closeSize() {},
      narrow: () => false,
      isOver: true,
    });
  }

  drawHead() {
    const none = this.hideEmpty();
    const { name, glyph, series } = this.data;
    const { tokens } = this.figures;
    const menus = html`<div class="flow">${iconMenu("View", () => lookItems(this.shows, (changes) => this.look(Object.assign(this.shows, changes))))}${iconMenu(
      "Share",
      () => takings(this),
    )}</div>`;
    render(
      html`<div class="flow ends"><h2>${seriesMark({ glyph, series })} ${name}</h2>${!none && menus}</div>
        ${!this.encoding.refused && html`<p class="count"><b>${figure(tokens)}</b> ${tokens === 1 ? "token" : "tokens"}</p>`}
        ${this.facts}${this.note()}${
          none &&
          html`<div class="empty"><h2>No text yet</h2><p>The tokens appear here as soon as there is text.</p></div>`
        }<div class="looked"><div class="column">${this.box}${this.table.root}</div>${this.inside?.root}</div>${this.status}`,
      this.root,
    );
  }

  note() {
    const { start, totals } = this.data;
    const written = totals?.written ?? totals?.bytes;
    if (!totals || written <= this.encoding.n) return null;
    const range = `Showing bytes ${figure(start)} to ${figure(start + this.encoding.n)} of ${figure(written)}.`;
    return html`<p class="note"><span><b>${range}</b> All are counted.</span></p>`;
  }
}

// A text as tokens: its view, the table that can replace it, and a line that names the token pointed at. Boxes of the
// same text on a page follow each other's pointer through an event of the window; nothing goes to Python.

import { byTouch, make } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity, rate, times, UNCOVERED, UNMADE } from "../kit/words.js";
import { cutAs, END, topSeam } from "./encoding.js";
import { cutCharacters, hexOf, placeInWords, unseenIn, wholeText } from "./marks.js";
import { sharedEnds } from "./patches.js";
import { TokenView } from "./pointing.js";
import { TokenTable } from "./table.js";

export const HOVER = "tokviz:hover";
export const FACES = ["Text", "Ids", "Bytes", "Table"]; // the ways to show tokens

export class TokenBox {
  constructor() {
    this.box = make("div");
    this.status = make("div", "status");
    this.view = new TokenView(this.box, "Tokens", (token, others) => this.say(token, others));
    this.table = new TokenTable(this.view);
    this.hear = (event) => {
      const { source, text, start, end } = event.detail;
      if (source !== this && this.key && text === this.key) this.view.reflect(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, this.hear);
  }

  close() {
    window.removeEventListener(HOVER, this.hear);
    this.view.close();
    this.table.close();
  }

  // face: are the tokens shown as text, ids, bytes or in a table? whitespace, chunks: are these marked?
  look({ face, whitespace, chunks }) {
    const [ids, hex] = [face === "Ids", face === "Bytes"];
    const isOther = ids !== this.view.ids || hex !== this.view.hex;
    Object.assign(this.view, { ids, hex });
    if (isOther && this.view.encoding) this.view.redraw();
    this.table.show(face === "Table");
    this.box.classList.toggle("unmarked", !whitespace);
    this.box.classList.toggle("chunks", chunks);
  }

  // The tokenizer in words: its name, and its size if the view shows it at a smaller one.
  get title() {
    const { name } = this.data;
    const { k } = this.view;
    return k >= END ? name : `${name} at vocabulary size ${figure(256 + k)}`;
  }

  // The figures of the text; if the view has only a part of it, those of the whole.
  get figures() {
    return this.data.totals || figuresOf(this.encoding, this.view.k);
  }

  // "41 bytes, 41 characters, 4.10 bytes per token", and what tiktoken says.
  get facts() {
    const { tokens, bytes, characters } = this.figures;
    return html`<p class="flow small quiet figures"><span>${quantity(bytes, "byte")}</span> <span>${quantity(characters, "character")}</span> ${
      !this.encoding.refused && html`<span>${tokens ? rate(bytes / tokens) : "–"} bytes per token</span> `
    }${badgeOf(this)}</p>`;
  }

  // data: the tokenizer's name, and how to draw. key: the same for all views of the same text.
  show(data, encoding, key = `${data.start} ${encoding.text}`) {
    Object.assign(this, { data, encoding, key, live: encoding });
    this.box.setAttribute("aria-label", `Text as tokens of ${data.name}`);
    this.table.box.setAttribute("aria-label", `Table of the tokens of ${data.name}`);
    this.view.load(encoding);
    this.drawHead();
    this.say(null);
  }

  // Show another encoding of the same tokenizer, drawing only what differs.
  adopt(encoding) {
    const [head, tail] = sharedEnds(this.encoding, encoding);
    this.view.patch(encoding, head, this.encoding.n - tail, encoding.n - tail - head);
    this.encoding = this.live = encoding;
  }

  // What is drawn of no text: nothing.
  hideEmpty() {
    const none = this.encoding.n === 0;
    this.status.hidden = none;
    this.box.hidden = none || this.table.shown;
    this.table.root.hidden = none || !this.table.shown;
    return none;
  }

  // Name the token in the line. `others` are the tokens here that cover what another view points at.
  say(token, others = null) {
    if (token || !others) {
      const { start = null, end = null } = token || {};
      const said = token !== null || this.said;
      this.said = token !== null;
      if (said) window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.key, start, end } }));
    }
    this.status.classList.toggle("points", Boolean(token || others));
    if (token) this.write(...this.told(token));
    else if (others) {
      const said =
        others.length === 1 ? "the same bytes, one token here" : `the same bytes, ${figure(others.length)} tokens here`;
      this.write(
        others.slice(0, 4).flatMap((other) => [this.view.chip(other), idText(other)]),
        [html`<span>${said}</span>`],
      );
    } else {
      this.write(
        [html`<span class="quiet">${byTouch() ? "Tap a token" : "Point at a token, or press Tab"}</span>`],
        [],
      );
    }
  }

  // The parts of the two rows of the line.
  told(token) {
    const { view, data } = this;
    const { encoding } = view;
    const { id, start, end } = token;
    const notes = [...cutCharacters(encoding, token), ...unseenIn(wholeText(encoding, token))];
    const where = placeInWords(data.start + start, data.start + end).replaceAll(" ", "\u00a0");
    const hex = hexOf(encoding.bytes.subarray(start, Math.min(end, start + 16))) + (end - start > 16 ? " …" : "");
    const more = [view.numberInWords(token), `${where}: ${hex}`, this.origin(token)].filter(Boolean);
    return [
      [
        view.chip(token),
        idText(token),
        ...notes.map((note) => html`<span>${note}</span>`),
        html`<span class="quiet"><b>${times(view.counted().often.get(id))}</b> in this text</span>`,
      ],
      more.map((part) => html`<span>${part}</span>`),
    ];
  }

  write(named, more) {
    render(html`<p class="named">${named}</p><p class="more quiet">${more}</p>`, this.status);
    for (const line of this.status.children) {
      line.title = [...line.children].map((part) => part.textContent).join(", ");
    }
  }

  origin({ start, end, id }) {
    const { encoding } = this.view;
    const top = topSeam(encoding, start, end);
    if (top >= 0) return `made by merge ${figure(encoding.seams[top] + 1)}`;
    if (id === null) return UNCOVERED;
    if (cutAs(encoding, start)) return cutAs(encoding, start);
    if (this.data.kind) return `a token of ${this.data.kind}`;
    return encoding.whole.has(start) ? UNMADE : `one ${end > start + 1 ? "character" : "byte"}, no merge`;
  }
}

const idText = ({ id }) => html`<b>${id === null ? "no id" : `id ${figure(id)}`}</b>`;

// Tokens, bytes and characters of an encoding.
function figuresOf({ n, seams, bytes, whole, bare = 0 }, k = END) {
  let tokens = bare;
  let characters = 0;
  for (let i = 0; i < n; i++) {
    if (seams[i] >= k) tokens++;
    if ((bytes[i] & 0xc0) !== 0x80) characters++;
  }
  for (const id of whole.values()) if (id === null) tokens--;
  return { tokens, bytes: n, characters };
}

// What tiktoken says to the tokens, as a pill; null for nothing.
function badgeOf({ data, view, encoding }) {
  const told = encoding.refused ? { good: false, text: "refuses this text" } : data.badge;
  if (!told || (!encoding.refused && view.k < END)) return null; // any other badge is about the whole vocabulary
  const kind = told.good === null ? "waits" : told.good ? "good" : "bad";
  const sign = { waits: "…", good: "✓", bad: "×" }[kind];
  return html`<span class=${`badge ${kind}`}><span aria-hidden="true">${sign}</span> ${told.text}</span>`;
}

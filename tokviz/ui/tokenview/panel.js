// A token view in its panel: name, figures and switches above the view, and the token pointed at below it. Views of the
// same text on a page follow each other's pointer through an event of the window; nothing goes to Python.

import { asStatus, byTouch, make, makeButton, seriesMark, themeOf, unspoken } from "../kit/elements.js";
import { render } from "../kit/html.js";
import { oneTabStop } from "../kit/keys.js";
import { menu } from "../kit/menu.js";
import { figure, rate, times, UNCOVERED, UNMADE } from "../kit/words.js";
import { cutAs, END, placeIn, read, topSeam } from "./encoding.js";
import { takings } from "./exports.js";
import { cutCharacters, hexOf, unseenIn, wholeText } from "./marks.js";
import { tokenLink } from "./page_link.js";
import { TokenView } from "./pointing.js";
import { TokenTable } from "./table.js";

export const HOVER = "tokviz:hover";
const FACES = ["Text", "Ids", "Bytes", "Table"]; // the ways to show tokens
export const SAID = 6000; // ms for which the outcome of a copy stays

export class TokenPanel {
  // pins: does the panel itself pin a token that is clicked, so that it stays in the status line? Look inside does it
  // in another way.
  constructor(parent, pins = false) {
    this.pins = pins;
    this.root = make("section", "tokviz panel");
    this.head = make("div", "head");
    this.note = make("p", "note");
    this.box = make("div");
    this.empty = make("div", "empty");
    this.empty.append(make("h2", "", "No text yet"), make("p", "", "Its tokens appear here as soon as there is some."));
    this.status = make("div", "status");
    this.named = make("p", "named");
    this.more = make("p", "more quiet");
    this.status.append(this.named, this.more);
    this.view = new TokenView(this.box, "Tokens", (token, others) => this.say(token, others));
    if (pins) this.view.chosen = (start, entering) => this.pin(start, entering);
    this.table = new TokenTable(this.view);
    this.root.append(this.head, this.note, this.toolbar(), this.empty, this.box, this.table.root, this.status);
    parent.append(this.root);
    this.hear = (event) => {
      const { source, text, start, end } = event.detail;
      if (source !== this && this.key && text === this.key) this.view.reflect(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, this.hear);
  }

  close() {
    window.removeEventListener(HOVER, this.hear);
    clearTimeout(this.silence);
    this.view.close();
    this.table.close();
    this.root.remove();
  }

  // The switches and the menu, as one tab stop.
  toolbar() {
    this.tools = make("div", "view-tools");
    this.tools.setAttribute("role", "toolbar");
    const group = (kind, name, labels, press) => {
      const choice = this.tools.appendChild(make("div", kind)).appendChild(make("span"));
      choice.setAttribute("role", "group");
      choice.setAttribute("aria-label", name);
      return labels.map((label) => {
        const button = makeButton("", label, () => press(label, button));
        return choice.appendChild(button);
      });
    };
    this.faces = group("choice", "Show", FACES, (face) => this.turn(face));
    this.marks = group("toggles", "Marks", ["Whitespace", "Chunks"], (label, button) => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      if (label === "Whitespace") this.box.classList.toggle("unmarked", !on);
      else this.box.classList.toggle("chunks", on);
    });
    for (const button of this.marks) button.setAttribute("aria-pressed", true);
    this.outcomes = make("div", "outcomes");
    this.told = this.outcomes.appendChild(asStatus(make("p", "told quiet")));
    render(menu({ label: "Copy or save", items: () => takings(this) }), this.tools);
    this.tools.append(this.outcomes);
    this.stop = oneTabStop(this.tools);
    this.turn("Text");
    return this.tools;
  }

  // Show the tokens as text, ids, bytes or in a table.
  turn(face) {
    this.face = face;
    const [ids, hex] = [face === "Ids", face === "Bytes"];
    const redraw = this.view.encoding && (ids !== this.view.ids || hex !== this.view.hex);
    Object.assign(this.view, { ids, hex });
    if (redraw) this.view.redraw();
    this.table.show(face === "Table");
    for (const button of this.faces) button.setAttribute("aria-pressed", button.textContent === face);
    const [whitespace, chunks] = this.marks;
    whitespace.disabled = face !== "Text";
    chunks.disabled = face === "Table";
    this.stop(this.faces[FACES.indexOf(face)]);
  }

  // Is some of the view on the screen? Where it is hidden, as under a table or without a text, nobody knows.
  get inSight() {
    return this.view.inSight || this.box.hidden;
  }

  // The tokenizer in words: its name, and its size if the view shows it at a smaller one.
  get title() {
    const { name } = this.data;
    const { k } = this.view;
    return k >= END ? name : `${name} at vocabulary size ${figure(256 + k)}`;
  }

  // Do what the menu offers, and show the outcome for a while.
  async take(act) {
    clearTimeout(this.silence);
    try {
      await act();
    } catch (error) {
      console.warn(error);
      this.told.textContent = "This browser could not do that.";
    }
    this.silence = setTimeout(() => {
      this.told.textContent = "";
    }, SAID);
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

  // data: the tokenizer's name, and how to draw. key: the same for all views of the same text.
  show(data, encoding, key = `${encoding.n}:${data.start}:${fingerprint(encoding.bytes)}`) {
    this.data = data;
    this.encoding = encoding;
    this.key = key;
    this.root.classList.toggle("compact", data.compact);
    this.root.setAttribute("aria-label", `Tokens of ${data.name}`);
    this.box.setAttribute("aria-label", `Text as tokens of ${data.name}`);
    this.table.box.setAttribute("aria-label", `Table of the tokens of ${data.name}`);
    this.tools.setAttribute("aria-label", `How the tokens of ${data.name} are shown`);
    this.box.classList.toggle("numbered", data.line_numbers && !data.compact && data.start === 0);
    this.view.load(encoding);
    this.drawHead();
    this.say(null);
  }

  // The bytes from start to stop became `count` bytes, or have other seams.
  patch(encoding, start, stop, count) {
    this.view.patch(encoding, start, stop, count);
    this.encoding = encoding;
  }

  drawHead() {
    const { name, glyph, series, header, badge, totals, start, compact } = this.data;
    const { tokens, bytes, characters } = totals || figuresOf(this.encoding, this.view.k);
    const { n, refused } = this.encoding; // the tokens of a refused text are drawn, but are not its tokens
    const none = n === 0;
    this.status.hidden = this.tools.hidden = none;
    this.box.hidden = none || this.table.shown;
    this.table.root.hidden = none || !this.table.shown;
    this.empty.hidden = !none;
    this.head.replaceChildren();
    if (header) {
      const title = this.head.appendChild(make("h2", "title"));
      title.append(seriesMark({ glyph, series }), name);
    }
    const stats = this.head.appendChild(make("p", "stats"));
    const stat = (number, unit) => {
      const pair = stats.appendChild(make("span"));
      pair.append(make("b", "", number), " ", make("span", "quiet", unit));
      stats.append(" ");
    };
    if (!refused) stat(figure(tokens), tokens === 1 ? "token" : "tokens");
    if (!compact) {
      stat(figure(bytes), bytes === 1 ? "byte" : "bytes");
      stat(figure(characters), characters === 1 ? "character" : "characters");
    }
    if (!refused) stat(tokens ? rate(bytes / tokens) : "–", "bytes per token");
    const told = refused ? { good: false, text: "refuses this text" } : badge;
    if (told && (refused || this.view.k >= END)) {
      // any other badge is about the whole vocabulary
      const kind = told.good === null ? "waits" : told.good ? "good" : "bad";
      const pill = this.head.appendChild(make("p", `badge ${kind}`));
      pill.append(unspoken(make("span", "", { waits: "…", good: "✓", bad: "×" }[kind])), " ", told.text);
    }
    const written = totals?.written ?? bytes;
    const range = `Showing bytes ${figure(start)} to ${figure(start + this.encoding.n)} of ${figure(written)}.`;
    const all = make("span");
    if (this.error) all.append(make("b", "", this.error));
    else all.append(make("b", "", range), " All are counted.");
    this.note.hidden = !this.error && (!totals || written <= this.encoding.n);
    this.note.replaceChildren(all);
  }

  // Name the token in the status line. `others` are the tokens here that cover what another view points at.
  say(token, others = null) {
    if (token || !others) {
      const { start = null, end = null } = token || {};
      const said = token !== null || this.said;
      this.said = token !== null;
      if (said) window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.key, start, end } }));
    }
    this.named.title = this.more.title = "";
    const { bytes } = this.view.encoding;
    const idText = ({ id }) => make("b", "", id === null ? "no id" : `id ${figure(id)}`);
    if (!token && others) {
      this.named.replaceChildren(...others.slice(0, 4).flatMap((other) => [this.view.chip(other), idText(other)]));
      this.more.textContent =
        others.length === 1 ? "the same bytes, one token here" : `the same bytes, ${figure(others.length)} tokens here`;
      return;
    }
    const pinned = this.pins && this.view.pinned !== null ? this.view.token(this.view.pinned) : null;
    if (!token && pinned) {
      if (this.named.querySelector("a")) return; // it is shown already, and its link may be about to be clicked
      token = pinned;
    }
    if (!token) {
      this.named.replaceChildren(make("span", "quiet", byTouch() ? "Tap a token" : "Point at a token, or press Tab"));
      this.more.textContent = "";
      return;
    }
    const { starts, tokens, often } = this.view.counted();
    const all = tokens + (this.view.encoding.bare || 0); // as above the view
    const count = make("span", "quiet");
    count.append(make("b", "", times(often.get(token.id))), " in this text");
    const leads = token.start === pinned?.start && token.id !== null && this.data.called;
    const notes = [...cutCharacters(this.view.encoding, token), ...unseenIn(wholeText(this.view.encoding, token))];
    this.named.replaceChildren(
      this.view.chip(token),
      idText(token),
      ...(leads ? [tokenLink("to-biography", this.data.called, token.id)] : []),
      ...notes.map((note) => make("span", "", note)),
      count,
    );
    const place = this.view.numberAt(placeIn(starts, token.start));
    const from = this.data.start + token.start;
    const length = token.end - token.start;
    const where = length === 1 ? `byte ${figure(from)}` : `bytes ${figure(from)} to ${figure(from + length)}`;
    const inOneRow = where.replaceAll(" ", "\u00a0");
    const hex = hexOf(bytes.subarray(token.start, Math.min(token.end, token.start + 16))) + (length > 16 ? " …" : "");
    this.more.replaceChildren(
      ...(token.id === null ? [] : [make("span", "", `token ${figure(place)} of ${figure(all)}`)]),
      make("span", "", `${inOneRow}: ${hex}`),
      make("span", "", this.origin(token)),
    );
    for (const line of [this.named, this.more]) {
      line.title = [...line.children].map((part) => part.textContent).join(", ");
    }
  }

  // Keep this token in the status line (null: none), with a link to its biography. entering: go to the link.
  pin(start, entering) {
    this.view.pin(start);
    this.named.replaceChildren();
    this.say(null);
    if (entering) this.named.querySelector("a")?.focus();
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

export function fingerprint(bytes) {
  let h = 0x811c9dc5;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

// The text area of the workbench. It puts a text in, keeps what the area cannot hold, and says so in a note.

import { asStatus, asTyped, make } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, listed, quantity } from "../kit/words.js";
import { placeWithEnds, plain } from "./patches.js";

const UNDOABLE = 20_000; // UTF-16 units; to insert a longer text as an edit takes the browser too long

// Subclasses have data, panels, shown and value, and the methods typed() and drawPage().
export class TextField {
  constructor() {
    this.area = asTyped(make("textarea", "area text"));
    Object.assign(this.area, { id: "text", rows: 1, placeholder: "Type or paste some text" });
    this.area.addEventListener("paste", (event) => this.pasted(event));
    this.line = "";
    this.returns = 0;
    this.refusal = asStatus(make("p", "unseen"));
  }

  say(words) {
    if (this.line === words) return;
    this.line = words;
    this.drawPage();
  }

  // A text area has no carriage returns, so a paste with them is kept beside it.
  pasted(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const { selectionStart, selectionEnd } = this.area;
    const [from, to] = [selectionStart, selectionEnd].map((place) => placeWithEnds(this.value, place));
    const text = this.value.slice(0, from) + pasted + this.value.slice(to);
    if (!pasted.includes("\r") || text.length > this.data.limit) return;
    event.preventDefault();
    this.keep(text);
    this.area.setRangeText(plain(pasted), selectionStart, selectionEnd, "end");
    this.typed();
  }

  keep(text) {
    const returns = text.split("\r").length - 1;
    this.kept = returns ? text : null;
    if (returns === this.returns) return;
    this.returns = returns;
    this.drawPage();
  }

  convertEnds() {
    this.keep(this.area.value);
    this.area.focus();
    this.typed();
  }

  // Put a text into the area. If the visitor asked for it here, it goes in as the browser's own edit, so Ctrl+Z brings
  // back the text before, provided that the area had the whole of it.
  put(text, whole) {
    const { area } = this;
    const held = area.getRootNode().activeElement;
    if (held && whole && text.length <= UNDOABLE && area.value !== text) {
      this.putting = true;
      area.focus({ preventScroll: true });
      area.select();
      document.execCommand(text ? "insertText" : "delete", false, text);
      held.focus({ preventScroll: true });
      this.putting = false;
    }
    if (area.value !== text) area.value = text;
  }

  // If special tokens are refused: which ones are in the text, and what to do. They are drawn as text meanwhile.
  drawRefusal() {
    const refusing = [...this.panels.values()].filter(({ encoding }) => encoding.refused);
    const places = [...Map.groupBy(refusing, ({ encoding }) => encoding.refused.join()).values()];
    const lineOf = (at) => this.shown.bytes.subarray(0, at).filter((byte) => byte === 10).length + 1;
    const refused = (panels) => {
      const names = panels.flatMap(({ heads }) => heads.map(({ title }) => title));
      const [token, at] = panels[0].encoding.refused;
      return html`<b>${listed(names)} ${names.length > 1 ? "refuse" : "refuses"} this text.</b>
        <code>${token}</code> is at byte ${figure(at)}, line ${figure(lineOf(at))}. `;
    };
    this.refusal.className = places.length ? "note bad" : "unseen";
    render(
      html`<span>${places.map(refused)}${
        places.length > 0 && "Take it out, or read it as text or as a special token. Until then it is drawn as text."
      }</span>`,
      this.refusal,
    );
  }

  // What is to be known of the text, above it.
  notes() {
    return html`<p class=${this.line ? "note warn" : "unseen"} role="status"><span>${this.line}</span></p>
      ${
        this.returns > 0 &&
        html`<p class="note"><span><b>This text has ${quantity(this.returns, "carriage return")}, which the field does not
          show.</b> Its tokens are right, and what you type leaves them as they are.
          <button type="button" @click=${() => this.convertEnds()}>Convert line ends</button></span></p>`
      }
      ${this.refusal}`;
  }
}

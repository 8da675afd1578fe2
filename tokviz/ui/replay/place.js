// Replay: the window of the corpus in view, and the reader's own text. Python answers with both.

import { html, render } from "../kit/html.js";
import { figure, quantity, rate } from "../kit/words.js";
import { read } from "../tokenview/encoding.js";
import { Strip } from "../tokenview/strip.js";

const REST_TEXT = 120; // ms without a key after which the seams of the own text are asked for

// Below the strip: what is in view, and the controls to go elsewhere.
export class Place {
  constructor(root, stage) {
    const find = (selector) => root.querySelector(selector);
    this.stage = stage;
    this.controls = find(".place");
    this.caption = find(".caption");
    this.start = find(".place input");
    this.length = find(".place select");
    this.buttons = Object.fromEntries(
      ["earlier", "later", "fires"].map((name) => [name, find(`[data-place=${name}]`)]),
    );
    this.start.addEventListener("change", () => this.move(Number(this.start.value.replace(/[\s,]/g, ""))));
    this.length.addEventListener("change", () => this.move(this.at, Number(this.length.value)));
    this.buttons.earlier.addEventListener("click", () => this.move(this.at - this.size));
    this.buttons.later.addEventListener("click", () => this.move(this.at + stage.encoding.n));
    this.buttons.fires.addEventListener("click", () => this.toNext());
  }

  load(data, window, size) {
    Object.assign(this, { data, at: window.start, cut: window.cut, size });
    this.controls.hidden = !data.live || (data.reach <= window.n && this.at === 0);
    this.start.value = figure(this.at);
    this.length.value = String(size);
    this.buttons.earlier.disabled = this.at === 0;
    this.buttons.later.disabled = this.at + window.n >= data.reach;
  }

  move(start, length = this.size) {
    if (!Number.isFinite(start)) {
      this.start.value = figure(this.at);
      return;
    }
    const at = Math.max(0, Math.min(Math.floor(start), Math.max(0, this.data.reach - 1)));
    this.ask("window", { start: at, length });
  }

  // Go to the next place where the next merge fires; after the last one to the first.
  toNext() {
    const { k, last, encoding } = this.stage;
    if (k < last) this.ask("fires", { rank: k, after: this.at + encoding.n, length: this.size });
  }

  ask(name, fields) {
    this.stage.ask(name, fields, "window").then(
      (answer) => this.stage.showWindow(answer, fields.length),
      ({ message }) => this.stage.say(message),
    );
  }

  draw(k) {
    const { data, stage } = this;
    const { encoding, merges, view } = stage;
    const tokens = (number) => quantity(number, "token");
    const [from, to, now] = [this.at, this.at + encoding.n, merges.tokens[k]];
    const isPart = encoding.n && (!data.corpus_here || encoding.n !== data.n_bytes);
    const undrawn = () =>
      `Merge ${figure(merges.number(encoding.drawnTo))} and the later ones are not drawn here, because the tokens get too long. `;
    const part = () =>
      html`Bytes ${figure(from)} to ${figure(to)}${!data.corpus_here && " of your text"}: <b>${tokens(view.count())}</b>. ${
        this.cut && "Its first chunk begins before it. "
      }${encoding.drawnTo < stage.last && undrawn()}`;
    const bytes = data.n_bytes === null ? "" : `, ${figure(data.n_bytes)} bytes`;
    const each = now && data.n_bytes !== null ? `, ${rate(data.n_bytes / now)} bytes per token` : "";
    render(html`${isPart ? part() : ""}“${data.corpus_name}”${bytes}: <b>${tokens(now)}</b>${each}`, this.caption);
    this.buttons.fires.hidden = k >= stage.last;
    this.buttons.fires.textContent = k < stage.last ? `Where merge ${figure(merges.number(k))} fires next` : "";
  }
}

// The reader's own text, which goes through the same steps in a strip of its own.
export class OwnText {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".own");
    this.area = this.box.querySelector("textarea");
    this.view = new Strip(this.box.querySelector(".own-strip"), "Your text at this step");
    this.words = this.box.querySelector(".own-said");
    this.encoding = null;
    this.area.addEventListener("input", () => {
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.ask(this.area.value), REST_TEXT);
    });
  }

  close() {
    clearTimeout(this.resting);
    this.view.close();
  }

  load(data) {
    Object.assign(this, { data, encoding: null });
    this.view.box.hidden = true;
    this.area.parentElement.hidden = !data.live;
    this.box.hidden = !data.text && (!data.live || data.others); // another's merges are already applied to the own text
    if (data.text) this.show(data.text);
    else if (!this.box.hidden) this.ask(this.area.value || null);
  }

  // Ask for the seams of a text; null asks for the text typed on an earlier visit to the page.
  ask(text) {
    this.stage.ask("text", { text }).then(
      (answer) => {
        if (text === null && this.area.value === "") this.area.value = answer.text;
        this.show(answer);
        if (text !== null) this.stage.texted();
      },
      ({ message }) => {
        this.words.textContent = message;
      },
    );
  }

  show(payload) {
    this.encoding = payload.text ? read(payload) : null;
    this.view.box.hidden = !this.encoding;
    if (this.encoding) this.view.load(this.encoding, this.stage.k);
    this.stage.textChanged();
  }

  draw() {
    const { encoding, view } = this;
    if (!encoding) {
      this.words.textContent = "";
      return;
    }
    const tokens = view.count();
    this.words.textContent =
      `${figure(encoding.n)} bytes: ${quantity(tokens, "token")}, ` + `${rate(encoding.n / tokens)} bytes per token`;
  }
}

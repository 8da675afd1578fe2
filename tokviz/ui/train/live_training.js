// Training as you type: a text that is written here is trained on anew with each key. All parts change in one frame.
//
// data = {text, settings, step, view, stamp, server, limit, live, rest, link, own}. step: the merge chosen, from 1; 0 is
// before the first, null the last. view names this text area, and stamp counts the texts that Python gave it: the browser
// takes the text if the stamp is new, and keeps its own if not, or if another server has forgotten it. limit: UTF-16 units
// that a text can have. A text of more than `live` bytes is trained on when no key was pressed for `rest` ms. link: bytes of
// a text that goes into a link. own: the value of a split pattern of one's own.

import { addressOf, copyText } from "../kit/copy_and_save.js";
import { asStatus, make, mount } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { menu } from "../kit/menu.js";
import { figure, quantity } from "../kit/words.js";
import { changesInWords, Ladder, noRows, whyEnded } from "../tokenview/ladder.js";
import { packedText } from "../tokenview/link.js";
import { openPage } from "../tokenview/page_link.js";
import { Strip } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { CorpusLine } from "./corpus_line.js";
import { rowsOf, UNTRAINED } from "./training.js";

const BYTES = 256; // tokens that are in every vocabulary
const MARKED = 1000; // ms after the last key in which marks are shown
const HINT = "Choose a row, or use ↑ ↓, to see the text after that merge.";
const HELD = new Map(); // by view: the state of a component that left the page, for when it comes back

class LiveTraining {
  constructor(parent, { limit }) {
    Object.assign(this, { training: UNTRAINED, changes: null, step: null, trouble: "", fault: "", limit });
    this.outcome = asStatus(make("p", "outcome quiet small"));
    this.root = parent.appendChild(make("section", "tokviz live-training"));
    this.root.setAttribute("aria-label", "Training as you type");
    this.ladder = new Ladder({ chosen: (k) => this.choose(k), entered: () => this.enter() });
    this.strip = new Strip(make("div", "strip"), "Text in tokens");
    Object.assign(this.strip, { entered: true, steady: true }); // arrows go from token to token
    this.strip.box.tabIndex = -1;
    this.redraw();
    this.area = this.root.querySelector("#corpus");
    this.line = new CorpusLine(this.area, this);
    this.hideWhole = showWhole(this.root);
  }

  close() {
    const { view, stamp } = this.data;
    HELD.clear();
    HELD.set(view, { stamp, text: this.area.value, step: this.step });
    clearTimeout(this.resting);
    cancelAnimationFrame(this.frame);
    this.hideWhole();
    for (const part of [this.ladder, this.strip, this.line]) part.close();
    this.root.remove();
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    const before = this.data;
    this.data = data;
    if (before && before.view === data.view && before.stamp === data.stamp) {
      if (JSON.stringify(before.settings) !== JSON.stringify(data.settings)) this.line.set(data.settings);
      return;
    }
    const forgot = before && before.server !== data.server;
    const held = before ? null : HELD.get(data.view);
    if (!forgot) {
      const { text, step } = held?.stamp === data.stamp ? held : data;
      this.area.value = text;
      this.step = step;
    }
    this.opening = true;
    this.line.begin(data.view, data.settings, data);
  }

  renew() {
    this.tell("asked", { what: "renew" });
  }

  // --- what the socket says ---

  trained(training, changes, by) {
    Object.assign(this, { training, changes, by, fault: "" });
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  refused(error) {
    const none = this.training === UNTRAINED;
    this.redraw({ fault: none ? error : `${error} The merges are those of before.` });
    if (none) this.ladder.say("There is no merge with these settings.");
  }

  kept({ error, name }) {
    this.outcome.replaceChildren(...(error ? [error] : ["Kept as ", make("b", "", `“${name}”`), ", on all pages."]));
    if (!error && this.opens) openPage(this.opens);
  }

  // Make the training a tokenizer of the visitor's. opens: the page that opens when it is one, "" for none.
  keep(opens) {
    this.opens = opens;
    this.line.keep(opens === "replay");
  }

  // Copy a link to this text, its settings and the step. A long text stays out of it.
  async copyLink(status) {
    const { vocab_size: size, pattern, custom, tie, min_count: least, special } = this.data.settings;
    const said = new URLSearchParams({ v: 1, write: 1, merges: size - BYTES, tie, least });
    said.set("pattern", pattern === this.data.own ? custom : pattern);
    if (special) said.set("special", special);
    if (this.step !== null) said.set("step", this.step);
    const bytes = new TextEncoder().encode(this.area.value);
    const short = bytes.length <= this.data.link;
    const query = short ? `${said}&${await packedText(bytes)}` : String(said);
    const without = `Link copied, without the text: it has ${figure(bytes.length)} bytes, and a link carries `;
    return copyText(addressOf(query), status, short ? "Link copied." : `${without}${figure(this.data.link)}.`);
  }

  // Say what hinders: trouble with the connection, or else that the text is long.
  say(trouble = this.connectionTrouble) {
    this.connectionTrouble = trouble;
    const { live, limit } = this.data;
    const full = `The text is full: ${figure(limit)} characters fit here. To train on more, upload a file.`;
    const long = `Above ${figure(live)} bytes the merges follow when you stop typing.`;
    const hinders = this.area.value.length >= limit ? full : this.line.long && long;
    const words = [trouble, hinders].filter(Boolean).join(" ");
    if (this.trouble !== words) this.redraw({ trouble: words });
  }

  // --- the step ---

  // The step is a number that stays; a text with fewer merges shows its last.
  get k() {
    return Math.min(this.step ?? this.training.length, this.training.length);
  }

  choose(k) {
    this.step = k;
    this.line.step(k);
    this.strip.step(k, k - 1, { pairs: false });
    this.strip.reveal();
    this.ladder.point(k);
    this.redraw();
  }

  // From the ladder to the tokens.
  enter() {
    const [made] = this.strip.born;
    if (this.training.encoding.n) this.strip.go(made?.start ?? 0);
  }

  // --- drawing ---

  draw() {
    this.frame = 0;
    const { training, changes, ladder } = this;
    const { length, encoding } = training;
    const { vocab_size: size, min_count: least } = this.data.settings;
    ladder.say(length ? "" : noRows(size - BYTES, least));
    this.drawLadder();
    if (this.opening && length && this.step !== null) ladder.open();
    this.opening &&= !length;
    this.strip.change(encoding, this.k);
    this.strip.step(this.k, this.k - 1, { pairs: false });
    const ended = length < size - BYTES && whyEnded(training.stopped, least);
    const made = html`<b>${quantity(length, "merge")}, ${figure(BYTES + length)} tokens.</b>${
      ended && ` You asked for ${figure(size)}: ${ended}.`
    }`;
    this.redraw({ made, said: changes ? html`The last ${this.by}: <b>${changesInWords(changes)}</b>` : HINT });
    if (changes) this.unmarkLater();
    this.say();
  }

  redraw(fields) {
    const { limit, training, k, fault } = Object.assign(this, fields);
    const { length, tokens, encoding } = training;
    const typed = () => {
      this.unmarkLater();
      this.line.typed();
      this.say();
    };
    const fast = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.keep("replay");
    };
    const button = (words, opens, look = "") => html`<button type="button" class=${look} ?disabled=${!length}
      @click=${() => this.keep(opens)}>${words}</button>`;
    const items = () => [{ label: "Copy link", tell: (status) => this.copyLink(status) }];
    const moment = k ? `After merge ${figure(k)}` : "Before the first merge";
    render(
      html`<div class="live">
        <div class="corpus">
          <label class="label" for="corpus">Your text</label><textarea class="text area" id="corpus" rows="5"
            maxlength=${limit} spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" @input=${typed}
            @keydown=${fast}></textarea>
          <p class="trouble quiet small" role="status">${this.trouble}</p>
          <div class="note bad fault" role="status" ?hidden=${!fault}><span>${fault}</span></div>
          <div class="flow acts">${button("Replay the merges", "replay", "primary")}${button("Compare", "compare")}${button(
            `Keep as “Written ${figure(BYTES + length + training.specials)}”`,
            "",
          )}${menu({ label: "More", items, dots: true })}</div>
          ${this.outcome}
        </div>
        <div class="made"><p class="headline">${this.made}</p>${this.ladder.root}
          <p class="said quiet small">${this.said ?? HINT}</p>
          <p class="unseen" aria-live="polite">${this.spoken}</p>
          <h2>${moment}: ${quantity(tokens[k], "token")} <span class="quiet small">of ${quantity(encoding.n, "byte")}</span></h2>
          ${this.strip.box}</div>
      </div>`,
      this.root,
    );
  }

  drawLadder() {
    this.rows = this.drawnOf === this.training ? this.rows : rowsOf(this.training);
    this.drawnOf = this.training;
    this.ladder.show(this.rows, this.changes, this.k);
  }

  // The marks go at once, some time after the last key, and what they said is spoken.
  unmarkLater() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.changes) return;
      this.changes = null;
      this.redraw({ spoken: this.root.querySelector(".said").textContent });
      this.drawLadder();
    }, MARKED);
  }
}

export default function (page) {
  return mount(LiveTraining, page, (part) => part.update(page.data, page.setTriggerValue), page.data);
}

// Training as you type: a text that is written here is trained on anew with each key. All parts change in one frame.
//
// data = {text, settings, step, view, stamp, server, limit, live, rest, link, own}. step: the merge chosen, from 1; 0 is
// before the first, null the last. view names this text area, and stamp counts the texts that Python gave it: the browser
// takes the text if the stamp is new, and keeps its own if not, or if another server has forgotten it. limit: UTF-16 units
// that a text can have. A text of more than `live` bytes is trained on when no key was pressed for `rest` ms. link: bytes of
// a text that goes into a link. own: the value of a split pattern of one's own.
//
// The text area never waits: while a training is on its way, only the latest text waits for the next (kit/ask.js).

import { Asker } from "../kit/ask.js";
import { addressOf, copyText } from "../kit/copy_and_save.js";
import { asStatus, make, mount } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { menu } from "../kit/menu.js";
import { figure, quantity } from "../kit/words.js";
import { packedText } from "../tokenview/link.js";
import { openPage } from "../tokenview/page_link.js";
import { Strip } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { changesInWords, Ladder, noRows, whyEnded } from "./ladder.js";
import { changesBetween, rowsOf, trainingOf, UNTRAINED } from "./training.js";

const BYTES = 256; // tokens that are in every vocabulary
const MARKED = 1000; // ms after the last key in which marks are shown
const HINT = "Choose a row, or use ↑ ↓, to see the text after that merge.";
const HELD = new Map(); // by view: the state of a component that left the page, for when it comes back

class LiveTraining {
  constructor(parent, { limit }) {
    Object.assign(this, { training: UNTRAINED, changes: null, step: null, trouble: "", fault: "", limit });
    this.outcome = asStatus(make("p", "outcome quiet small"));
    this.connection = asStatus(make("p", "trouble quiet small"));
    this.asker = new Asker(this.connection, "What you write is kept.", () => this.tell("asked", { what: "renew" }));
    this.root = parent.appendChild(make("section", "tokviz live-training"));
    this.root.setAttribute("aria-label", "Training as you type");
    this.ladder = new Ladder({ chosen: (k) => this.choose(k), entered: () => this.enter() });
    this.strip = new Strip(make("div", "strip"), "Text in tokens");
    Object.assign(this.strip, { entered: true, steady: true }); // arrows go from token to token
    this.strip.box.tabIndex = -1;
    this.redraw();
    this.area = this.root.querySelector("#corpus");
    this.hideWhole = showWhole(this.root);
  }

  close() {
    const { view, stamp } = this.data;
    this.coming = null;
    HELD.clear();
    HELD.set(view, { stamp, text: this.area.value, step: this.step });
    for (const timer of [this.resting, this.waiting]) clearTimeout(timer);
    cancelAnimationFrame(this.frame);
    this.hideWhole();
    for (const part of [this.ladder, this.strip, this.asker]) part.close();
    this.root.remove();
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    const before = this.data;
    this.data = data;
    if (before && before.view === data.view && before.stamp === data.stamp) {
      if (JSON.stringify(before.settings) !== JSON.stringify(data.settings)) this.train("setting");
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
    this.train("");
  }

  // --- what Python answers ---

  // Is the text so long that it is trained on only when the typing rests?
  get isLong() {
    const { value } = this.area;
    const { live } = this.data;
    return value.length > live || (3 * value.length > live && new TextEncoder().encode(value).length > live);
  }

  typed() {
    clearTimeout(this.waiting);
    if (this.isLong) this.waiting = setTimeout(() => this.train("key"), this.data.rest);
    else this.train("key");
  }

  // Have the text trained on. by: what changed, "key" or "setting"; "" if there is nothing to compare with.
  train(by) {
    clearTimeout(this.waiting);
    const { step, asked } = this;
    this.asker.ask("train.written", { ...asked, step }).then(
      async (said) => {
        const coming = trainingOf(said, asked.text);
        this.coming = coming;
        const training = await coming;
        if (this.coming === coming) this.trained(training, by); // a later answer may be unpacked before this one
      },
      ({ message }) => this.refused(message),
    );
  }

  // What is asked about.
  get asked() {
    const { view, settings } = this.data;
    return { view, settings, text: this.area.value };
  }

  trained(training, by) {
    const changes = by && changesBetween(this.training, training);
    Object.assign(this, { training, changes, by, fault: "" });
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  refused(error) {
    const none = this.training === UNTRAINED;
    this.redraw({ fault: none ? error : `${error} The merges shown are from before the change.` });
    if (none) this.ladder.say("There is no merge with these settings.");
  }

  // Make the training a tokenizer of the visitor's. opens: the page that opens when it is one, "" for none.
  keep(opens) {
    this.asker.ask("train.keep", { ...this.asked, replay: opens === "replay" }).then(
      ({ name }) => {
        this.outcome.replaceChildren("Kept as ", make("b", "", `“${name}”`), ", on all pages.");
        if (opens) openPage(opens);
      },
      ({ message }) => this.outcome.replaceChildren(message),
    );
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

  // Say what hinders: that the text is long.
  say() {
    const { live, limit } = this.data;
    const full = `The text is full: ${figure(limit)} characters fit here. To train on more, upload a file.`;
    const long = `Above ${figure(live)} bytes the merges follow when you stop typing.`;
    const words = this.area.value.length >= limit ? full : this.isLong ? long : "";
    if (this.trouble !== words) this.redraw({ trouble: words });
  }

  // --- the step ---

  // The step is a number that stays; a text with fewer merges shows its last.
  get k() {
    return Math.min(this.step ?? this.training.length, this.training.length);
  }

  choose(k) {
    this.step = k;
    this.asker.ask("train.step", { view: this.data.view, step: k }).catch(() => {});
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
      this.typed();
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
          <p class="trouble quiet small" role="status">${this.trouble}</p>${this.connection}
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

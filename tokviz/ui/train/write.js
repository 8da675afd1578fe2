// Training as you type: a text that is written here is trained on anew with each key. All parts change in one frame.
//
// data = {text, settings, step, view, stamp, server, limit, live, rest}. step: the merge chosen, from 1; 0 is before the
// first, null the last. view names this text area, and stamp counts the texts that Python gave it: the browser takes the
// text if the stamp is new, and keeps its own if not, or if another server has forgotten it. limit: UTF-16 units that a
// text can have. A text of more than `live` bytes is trained on when no key was pressed for `rest` ms.
//
// The text area never waits: while a training is on its way, only the latest text waits for the next (kit/ask.js).

import { Asker } from "../kit/ask.js";
import { addressOf, copyText } from "../kit/copy_and_save.js";
import { asStatus, make, mount } from "../kit/elements.js";
import { keepsText, keptText } from "../kit/field.js";
import { html, render } from "../kit/html.js";
import { menu } from "../kit/menu.js";
import { figure, quantity } from "../kit/words.js";
import { openPage } from "../tokenview/page_link.js";
import { Strip } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { Ladder } from "./ladder.js";
import { changesBetween, trainingOf, UNTRAINED } from "./training.js";

const MARKED = 1000; // ms after the last key in which marks are shown
const HINT = "Choose a row, or use ↑ ↓, to see the text after that merge.";

class LiveTraining {
  constructor(parent) {
    Object.assign(this, { training: UNTRAINED, step: null, fault: "", outcome: "", changes: null, by: "" });
    this.connection = asStatus(make("p", "trouble quiet small"));
    this.asker = new Asker(this.connection, "What you write is kept.", () => this.tell("asked", { what: "renew" }));
    this.root = parent.appendChild(make("section", "tokviz live-training"));
    this.root.setAttribute("aria-label", "Training as you type");
    this.ladder = new Ladder({ chosen: (k) => this.choose(k), entered: () => this.enter() });
    this.strip = new Strip(make("div", "strip"), "Text in tokens");
    Object.assign(this.strip, { entered: true, steady: true }); // arrows go from token to token
    this.strip.box.tabIndex = -1;
    this.hideWhole = showWhole(this.root);
    const kept = () => ({ ...this.data, text: this.area.value, step: this.step });
    this.stopKeeping = keepsText("written", kept, () => !this.waiting && !this.asker.waits);
  }

  close() {
    this.coming = null;
    this.stopKeeping();
    for (const timer of [this.resting, this.waiting]) clearTimeout(timer);
    cancelAnimationFrame(this.frame);
    this.hideWhole();
    for (const part of [this.ladder, this.strip, this.asker]) part.close();
    this.root.remove();
  }

  get area() {
    return this.root.querySelector("#corpus");
  }

  // --- what Python says, and what it answers ---

  update(data, tell) {
    this.tell = tell;
    const before = this.data;
    this.data = data;
    if (before && before.view === data.view && before.stamp === data.stamp) {
      if (JSON.stringify(before.settings) !== JSON.stringify(data.settings)) this.train("setting");
      return;
    }
    const forgot = before && before.server !== data.server;
    this.redraw();
    if (!forgot) {
      const { text, step } = (before ? null : keptText("written", data)) ?? data;
      this.area.value = text;
      this.step = step;
    }
    this.opening = true;
    this.train("");
  }

  typed() {
    const isLong = new TextEncoder().encode(this.area.value).length > this.data.live;
    this.unmarkLater();
    clearTimeout(this.waiting);
    if (isLong) this.waiting = setTimeout(() => this.train("key"), this.data.rest);
    else this.train("key");
  }

  // Have the text trained on. by: what changed, "key" or "setting"; "" if there is nothing to compare with.
  train(by) {
    this.waiting = clearTimeout(this.waiting);
    const { step, asked } = this;
    this.asker
      .ask("train.written", { ...asked, step })
      .then(async (answer) => {
        const coming = trainingOf(answer, asked.text);
        this.coming = coming;
        const training = await coming;
        if (this.coming !== coming) return; // a later answer may be unpacked before this one
        const changes = changesBetween(by ? this.training : training, training);
        Object.assign(this, { training, changes, by, fault: "" });
        this.frame ||= requestAnimationFrame(() => this.draw());
        if (this.step !== step) this.tellStep(); // it was chosen while this was on its way, which told the one before
      })
      .catch(({ message }) => this.redraw({ fault: message }));
  }

  // What is asked about.
  get asked() {
    const { view, settings } = this.data;
    return { view, settings, text: this.area.value };
  }

  // Make the training a tokenizer of the visitor's. opens: the page that opens when it is one, "" for none.
  keep(opens) {
    this.asker.ask("train.keep", { ...this.asked, replay: opens === "replay" }).then(
      ({ name }) => {
        this.redraw({ outcome: html`Kept as <b>“${name}”</b>, on all pages.` });
        if (opens) openPage(opens);
      },
      ({ message }) => this.redraw({ outcome: message }),
    );
  }

  copyLink(status) {
    const copy = ({ query, said }) => copyText(addressOf(query), status, said);
    return this.asker.ask("train.link", { ...this.asked, step: this.step }).then(copy, this.asker.tell);
  }

  // --- the step ---

  // The step is a number that stays; a text with fewer merges shows its last.
  get k() {
    return Math.min(this.step ?? this.training.length, this.training.length);
  }

  tellStep() {
    this.asker.ask("train.step", { view: this.data.view, step: this.step }).catch(() => {});
  }

  choose(k) {
    this.step = k;
    this.tellStep();
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
    const { training, changes, by, ladder, strip, k } = this;
    ladder.show(changes.rows, training, k);
    if (this.opening && training.length && this.step !== null) ladder.point(k);
    this.opening &&= !training.length;
    strip.change(training.encoding, k);
    strip.step(k, k - 1, { pairs: false });
    this.redraw({ moved: by ? html`The last ${by}: <b>${changes.said}</b>` : HINT });
    if (by) this.unmarkLater();
  }

  // The marks go at once, some time after the last key, and what they said is spoken.
  unmarkLater() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.by) return;
      const { training } = this;
      this.by = "";
      this.ladder.show(changesBetween(training, training).rows, training, this.k);
      this.redraw({ spoken: this.root.querySelector(".said").textContent });
    }, MARKED);
  }

  redraw(fields) {
    const { data, training, k, fault } = Object.assign(this, fields);
    const { length, tokens, encoding, said } = training;
    const isUntrained = training === UNTRAINED;
    const fast = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.keep("replay");
    };
    const button = (words, opens, look = "") => html`<button type="button" class=${look} ?disabled=${!length}
      @click=${() => this.keep(opens)}>${words}</button>`;
    const items = () => [{ label: "Copy link", tell: (status) => this.copyLink(status) }];
    const none = isUntrained ? fault && "There is no merge with these settings." : said.none;
    const moment = k ? `After merge ${figure(k)}` : "Before the first merge";
    render(
      html`<div class="live">
        <div class="corpus">
          <label class="label" for="corpus">Your text</label><textarea class="text area" id="corpus" rows="5"
            maxlength=${data.limit} spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off"
            @input=${() => this.typed()} @keydown=${fast}></textarea>
          <p class="trouble quiet small" role="status">${said.trouble}</p>${this.connection}
          <div class="note bad fault" role="status" ?hidden=${!fault}><span>${fault}${
            !isUntrained && " The merges shown are from before the change."
          }</span></div>
          <div class="flow acts">${button("Replay the merges", "replay", "primary")}${button("Compare", "compare")}${button(
            `Keep as “${said.name}”`,
            "",
          )}${menu({ label: "More", items, dots: true })}</div>
          <p class="outcome quiet small" role="status">${this.outcome}</p>
        </div>
        <div class="made"><p class="headline"><b>${said.made}</b> ${said.ended}</p>
          <div class="merges">${this.ladder.root}<p class="ladder-none quiet">${none}</p></div>
          <p class="said quiet small">${this.moved ?? HINT}</p>
          <p class="unseen" aria-live="polite">${this.spoken}</p>
          <h2>${moment}: ${quantity(tokens[k], "token")} <span class="quiet small">of ${quantity(encoding.n, "byte")}</span></h2>
          ${this.strip.box}</div>
      </div>`,
      this.root,
    );
  }
}

export default function (page) {
  return mount(LiveTraining, page, (part) => part.update(page.data, page.setTriggerValue));
}

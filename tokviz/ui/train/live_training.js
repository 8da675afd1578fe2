// Training as you type: a corpus that is written here is trained anew with each key. All parts change in one frame.
//
// data = {text, settings, step, view, stamp, limit, live, rest, link, patterns, own, ties}. step: the merge chosen, from 1;
// 0 is before the first, null the last. view names this text area, and stamp counts the texts that Python gave it: the
// browser takes the text if the stamp is new, and keeps its own if not. limit: UTF-16 units that a text can have. A text of
// more than `live` bytes is trained when no key was pressed for `rest` ms. link: bytes of a text that goes into a link.
// patterns, ties: those to choose from, [value, words]; own: the value of a pattern of one's own.

import { addressOf, copyText } from "../kit/copy_and_save.js";
import { asStatus, make, mount, shape } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { findingOf, halvesOf, StepCurve } from "../kit/step_curve.js";
import { figure, quantity, rate } from "../kit/words.js";
import { changesInWords, Ladder, noRows, whyEnded } from "../tokenview/ladder.js";
import { packedText } from "../tokenview/link.js";
import { openPage } from "../tokenview/page_link.js";
import { Strip } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { CorpusLine } from "./corpus_line.js";
import { Settings } from "./settings.js";
import { rowsOf, UNTRAINED } from "./training.js";

const MARKED = 1000; // ms after the last key in which marks are shown
const CURVE = { width: 1100, height: 170, left: 52, right: 20, top: 16, bottom: 28 };
const HINT = "Choose a row, or use ↑ ↓, to see the corpus after that merge.";
const NONE = "–"; // in place of a figure
const HELD = new Map(); // by view: the state of a component that left the page, for when it comes back

class LiveTraining {
  constructor(parent, { patterns, ties, own, limit }) {
    Object.assign(this, { training: UNTRAINED, changes: null, step: null, trouble: "", limit });
    this.outcome = asStatus(make("p", "outcome quiet small"));
    this.root = parent.appendChild(make("section", "tokviz live-training"));
    this.root.setAttribute("aria-label", "Training as you type");
    this.settings = new Settings(patterns, ties, own, (settings) => this.line.set(settings));
    this.ladder = new Ladder({ chosen: (k) => this.choose(k), entered: () => this.enter() });
    this.strip = new Strip(make("div", "strip"), "Corpus in tokens");
    Object.assign(this.strip, { entered: true, steady: true }); // arrows go from token to token
    this.strip.box.tabIndex = -1;
    this.way();
    this.redraw();
    this.area = this.root.querySelector("#corpus");
    this.line = new CorpusLine(this.area, this);
    this.hideWhole = showWhole(this.root);
  }

  close() {
    const { view, stamp } = this.data;
    HELD.clear();
    HELD.set(view, { stamp, text: this.area.value, settings: this.settings.settings, step: this.step });
    clearTimeout(this.resting);
    cancelAnimationFrame(this.frame);
    this.sized.disconnect();
    this.hideWhole();
    for (const part of [this.ladder, this.strip, this.line]) part.close();
    this.root.remove();
  }

  way() {
    const svg = shape("svg", { class: "curve", role: "slider", tabindex: "0", "aria-valuemin": "0" });
    svg.setAttribute("aria-label", "Merges done, on the curve");
    this.drawing = { ...CURVE };
    this.curve = new StepCurve(svg, this.drawing, halvesOf, (k) => this.choose(k));
    svg.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };
      if (!steps[event.key]) return;
      event.preventDefault();
      this.choose(Math.max(0, Math.min(this.training.length, this.k + steps[event.key])));
    });
    this.sized = new ResizeObserver(([{ contentRect }]) => {
      const scale = parseFloat(getComputedStyle(this.root).fontSize) / 16;
      if (!contentRect.width || this.drawing.width === contentRect.width / scale) return;
      this.drawing.width = contentRect.width / scale;
      if (this.curve.values) this.curve.drawAll(this.k);
    });
    this.sized.observe(svg);
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    const before = this.data;
    this.data = data;
    if (before && before.view === data.view && before.stamp === data.stamp) return; // only the theme changed
    const held = before ? null : HELD.get(data.view);
    const { text, settings, step } = held?.stamp === data.stamp ? held : data;
    this.area.value = text;
    this.step = step;
    this.settings.show(settings);
    this.opening = true;
    this.line.begin(data.view, settings, data);
  }

  renew() {
    this.tell("asked", { what: "renew" });
  }

  // --- what the socket says ---

  trained(training, changes, by) {
    Object.assign(this, { training, changes, by });
    this.sayFault("");
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  refused(error) {
    const none = this.training === UNTRAINED;
    this.sayFault(none ? error : `${error} The merges are those of before.`);
    if (none) this.ladder.say("There is no merge with these settings.");
  }

  sayFault(fault) {
    if (fault !== this.settings.fault) this.settings.show(this.settings.settings, { fault });
  }

  kept({ error, name }, replay) {
    this.outcome.replaceChildren(...(error ? [error] : ["Kept as ", make("b", "", `“${name}”`), ", on all pages."]));
    if (!error && replay) openPage("replay");
  }

  // Copy a link to this corpus, its settings and the step. A long corpus stays out of it.
  async copyLink() {
    const { pattern, custom, tie, min_count: least, special } = this.settings.settings;
    const said = new URLSearchParams({ v: 1, write: 1, merges: this.settings.asked, tie, least });
    said.set("pattern", pattern === this.data.own ? custom : pattern);
    if (special) said.set("special", special);
    if (this.step !== null) said.set("step", this.step);
    const bytes = new TextEncoder().encode(this.area.value);
    const short = bytes.length <= this.data.link;
    const query = short ? `${said}&${await packedText(bytes)}` : String(said);
    const without = `Link copied, without the corpus: it has ${figure(bytes.length)} bytes, and a link carries `;
    const done = short ? "Link copied." : `${without}${figure(this.data.link)}.`;
    await copyText(addressOf(query), this.outcome, done);
  }

  // Say what hinders: trouble with the connection, or else that the corpus is long.
  say(trouble = this.connectionTrouble) {
    this.connectionTrouble = trouble;
    const { live, limit } = this.data;
    const { length } = this.area.value;
    const long = this.line.long ? `Above ${figure(live)} bytes the merges follow when you stop typing.` : "";
    const full =
      length >= limit
        ? `The corpus is full: ${figure(limit)} characters fit here. To train on more, upload a file.`
        : "";
    const words = [trouble, full || long].filter(Boolean).join(" ");
    if (this.trouble !== words) this.redraw({ trouble: words });
  }

  // --- the step ---

  // The step is a number that stays; a corpus with fewer merges shows its last.
  get k() {
    return Math.min(this.step ?? this.training.length, this.training.length);
  }

  choose(k) {
    this.step = k;
    this.line.step(k);
    this.strip.step(k, k - 1, { pairs: false });
    this.strip.reveal();
    this.curve.draw(k);
    this.ladder.point(k);
    this.redraw();
  }

  // From the ladder to the tokens.
  enter() {
    const [made] = this.strip.born;
    const start = made?.start ?? 0;
    if (this.training.encoding.n) this.strip.go(start);
  }

  // --- drawing ---

  draw() {
    this.frame = 0;
    const { training, changes, ladder, curve } = this;
    const { length, tokens, encoding } = training;
    const { asked, settings } = this.settings;
    const least = settings.min_count;
    ladder.say(length ? whyEnded(training.stopped, length, asked, least) : noRows(asked, least), length > 0);
    this.drawLadder();
    if (this.opening && length && this.step !== null) ladder.open();
    this.opening &&= !length;
    this.strip.change(encoding, this.k);
    this.strip.step(this.k, this.k - 1, { pairs: false });
    const moment = (k) => (k ? `after merge ${figure(k)}` : "before the first merge");
    curve.load(tokens, (k) => `${figure(tokens[k])} ${moment(k)}`);
    curve.drawAll(this.k);
    curve.svg.style.visibility = length ? "" : "hidden";
    const said = changes ? html`The last ${this.by}: <b>${changesInWords(changes)}</b>` : HINT;
    this.redraw({ said, caption: `Tokens left, by merges done${curve.log ? ", log scale" : ""}` });
    if (changes) this.unmarkLater();
    this.say();
  }

  redraw(fields) {
    const { limit, training, drawnOf, k } = Object.assign(this, fields);
    const { length, tokens, encoding } = training;
    const keep = (replay) => () => this.line.keep(replay);
    const typed = () => {
      this.unmarkLater();
      this.line.typed();
      this.say();
    };
    const fast = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.line.keep(true);
    };
    const stat = (value, unit) =>
      html`<span><b>${drawnOf ? value : NONE}</b> <span class="quiet">${unit}</span></span>`;
    const [before, now, n] = [tokens[0], tokens[length], encoding.n];
    const moment = k ? `After merge ${figure(k)}` : "Before the first merge";
    render(
      html`<div class="live">
        <div class="corpus"><label class="label" for="corpus">Corpus</label><textarea class="text area" id="corpus" rows="7"
          maxlength=${limit} spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" @input=${typed}
          @keydown=${fast}></textarea><p class="trouble quiet small" role="status">${this.trouble}</p></div>
        ${this.settings.root}
        <div class="flow figures">
          <div class="stats">${stat(figure(length), drawnOf && length === 1 ? "merge" : "merges")}${stat(
            `${figure(before)} → ${figure(now)}`,
            "tokens",
          )}${stat(n ? rate(n / now) : NONE, "bytes per token")}</div>
          <button type="button" class="act primary" ?disabled=${!length} @click=${keep(true)}>Replay these merges</button>
        </div>
        <div class="at-ladder">${this.ladder.root}
          <div class="flow ends under"><p class="said quiet small">${this.said ?? HINT}</p>
            <button type="button" class="act" @click=${() => this.copyLink()}>Copy link</button>
            <button type="button" class="act" title="As a tokenizer of your own, on all pages" ?disabled=${!length}
              @click=${keep(false)}>Keep</button>
            ${this.outcome}</div>
          <p class="unseen" aria-live="polite">${this.spoken}</p></div>
        <div class="in-tokens">
          <div class="flow ends over"><h2>${drawnOf ? `${moment}: ${quantity(tokens[k], "token")}` : "Corpus in tokens"}</h2>
            <span class="quiet small">${drawnOf && quantity(n, "byte")}</span></div>
          ${this.strip.box}</div>
        <div class="way-down"><h2>${drawnOf && (length ? findingOf(tokens) : "Nothing to merge")}</h2>
          <p class="caption quiet small">${this.caption}</p>${this.curve.svg}</div>
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

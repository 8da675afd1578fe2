// Training as you type: a corpus that is written here is trained anew with each key. All parts change in one frame.

import { addressOf, copyText } from "../kit/copy_and_save.js";
import { asStatus, asTyped, make, makeButton, mount } from "../kit/elements.js";
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
const HELD = new Map(); // by view: the state of a component that left the page, for when it comes back

const figureOf = (words) => {
  const element = make("span");
  const value = element.appendChild(make("b", "", "–"));
  element.append(" ", make("span", "quiet", words));
  return { element, value, unit: element.lastChild };
};

class LiveTraining {
  constructor(parent, data) {
    Object.assign(this, { training: UNTRAINED, changes: null, step: null, connectionTrouble: "" });
    this.root = parent.appendChild(make("section", "tokviz live-training"));
    this.root.setAttribute("aria-label", "Training as you type");
    this.writing(data);
    this.figuring();
    const parts = this.root.appendChild(make("div", "live"));
    parts.append(this.corpus, this.settings.root, this.figures, this.merges(), this.tokens(), this.way());
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

  // --- the parts ---

  writing({ patterns, ties, own, limit }) {
    this.corpus = make("div", "corpus");
    const label = this.corpus.appendChild(make("label", "label", "Corpus"));
    this.area = this.corpus.appendChild(asTyped(make("textarea", "text code")));
    this.area.id = label.htmlFor = "corpus";
    this.area.rows = 7;
    this.area.maxLength = limit;
    this.trouble = this.corpus.appendChild(asStatus(make("p", "trouble quiet")));
    this.area.addEventListener("input", () => {
      this.unmarkLater();
      this.line.typed();
      this.say();
    });
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.line.keep(true);
    });
    this.settings = new Settings(patterns, ties, own, (settings) => this.line.set(settings));
    this.fault = this.settings.root.appendChild(make("div", "note fault"));
    this.fault.append(make("span"));
    this.fault.setAttribute("role", "status");
    this.fault.hidden = true;
  }

  figuring() {
    this.figures = make("div", "figures");
    const stats = this.figures.appendChild(make("div", "stats"));
    this.made = figureOf("merges");
    this.fewer = figureOf("tokens");
    this.rate = figureOf("bytes per token");
    stats.append(...[this.made, this.fewer, this.rate].map(({ element }) => element));
    this.replayButton = makeButton("act main", "Replay these merges", () => this.line.keep(true));
    this.replayButton.disabled = true; // until there are merges
    this.figures.append(this.replayButton);
  }

  merges() {
    const part = make("div", "at-ladder");
    this.ladder = new Ladder({ chosen: (k) => this.choose(k), entered: () => this.enter() });
    const under = make("div", "under");
    this.said = make("p", "said quiet", HINT);
    this.spoken = make("p", "unseen");
    this.spoken.setAttribute("aria-live", "polite");
    this.keepButton = makeButton("act", "Keep", () => this.line.keep(false));
    this.keepButton.disabled = true;
    this.keepButton.title = "As a tokenizer of your own, on all pages";
    this.linkButton = makeButton("act", "Copy link", () => this.copyLink());
    this.outcome = asStatus(make("p", "outcome quiet"));
    under.append(this.said, this.linkButton, this.keepButton, this.outcome);
    part.append(this.ladder.root, under, this.spoken);
    return part;
  }

  tokens() {
    const part = make("div", "in-tokens");
    const head = part.appendChild(make("div", "over"));
    this.moment = head.appendChild(make("h2", "", "Corpus in tokens"));
    this.size = head.appendChild(make("span", "quiet"));
    const box = part.appendChild(make("div", "strip"));
    this.strip = new Strip(box, "Corpus in tokens");
    Object.assign(this.strip, { entered: true, steady: true }); // arrows go from token to token
    box.tabIndex = -1;
    return part;
  }

  way() {
    const part = make("div", "way-down");
    this.finding = part.appendChild(make("h2"));
    this.caption = part.appendChild(make("p", "caption quiet"));
    const svg = part.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    svg.setAttribute("class", "curve");
    svg.setAttribute("role", "slider");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("aria-label", "Merges done, on the curve");
    svg.setAttribute("aria-valuemin", "0");
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
    return part;
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
    this.fault.hidden = true;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  refused(error) {
    const none = this.training === UNTRAINED;
    this.fault.firstChild.replaceChildren(error, none ? "" : " The merges are those of before.");
    this.fault.hidden = false;
    if (none) this.ladder.say("There is no merge with these settings.");
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
    if (this.trouble.textContent !== words) this.trouble.textContent = words;
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
    this.tellStep();
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
    const { n } = encoding;
    const last = tokens[length];
    this.made.value.textContent = figure(length);
    this.made.unit.textContent = length === 1 ? "merge" : "merges";
    this.fewer.value.textContent = `${figure(tokens[0])} → ${figure(last)}`;
    this.rate.value.textContent = n ? rate(n / last) : "–";
    this.size.textContent = quantity(n, "byte");
    this.keepButton.disabled = this.replayButton.disabled = !length;
    const { asked, settings } = this.settings;
    const least = settings.min_count;
    ladder.say(length ? whyEnded(training.stopped, length, asked, least) : noRows(asked, least), length > 0);
    this.drawLadder();
    if (this.opening && length && this.step !== null) ladder.open();
    this.opening &&= !length;
    if (changes) this.said.replaceChildren(`The last ${this.by}: `, make("b", "", changesInWords(changes)));
    else this.said.textContent = HINT;
    this.strip.change(encoding, this.k);
    this.strip.step(this.k, this.k - 1, { pairs: false });
    this.tellStep();
    this.finding.textContent = length ? findingOf(tokens) : "Nothing to merge";
    const moment = (k) => (k ? `after merge ${figure(k)}` : "before the first merge");
    curve.load(tokens, (k) => `${figure(tokens[k])} ${moment(k)}`);
    curve.drawAll(this.k);
    curve.svg.style.visibility = length ? "" : "hidden";
    this.caption.textContent = `Tokens left, by merges done${curve.log ? ", log scale" : ""}`;
    if (changes) this.unmarkLater();
    this.say();
  }

  drawLadder() {
    this.rows = this.drawnOf === this.training ? this.rows : rowsOf(this.training);
    this.drawnOf = this.training;
    this.ladder.show(this.rows, this.changes, this.k);
  }

  tellStep() {
    const { k } = this;
    const tokens = quantity(this.training.tokens[k], "token");
    this.moment.textContent = k ? `After merge ${figure(k)}: ${tokens}` : `Before the first merge: ${tokens}`;
  }

  // The marks go at once, some time after the last key, and what they said is spoken.
  unmarkLater() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.changes) return;
      this.spoken.textContent = this.said.textContent;
      this.changes = null;
      this.drawLadder();
    }, MARKED);
  }
}

export default function (page) {
  return mount(LiveTraining, page, (part) => part.update(page.data, page.setTriggerValue), page.data);
}

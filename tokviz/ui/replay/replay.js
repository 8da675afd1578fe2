// Replay: the stage. It has the step in view, and moves all parts to it together, in one frame.
//
// All data is here from the start, so a step costs only what it changes. Python hears of the place when the reader has
// come to rest.

import { Asker } from "../kit/ask.js";
import { select } from "../kit/choices.js";
import { asStatus, isPageFocused, make, mount } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { int32, placeIn, read } from "../tokenview/encoding.js";
import { Merges, Vocabulary } from "../tokenview/merges.js";
import { Strip, stopsOf } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { Curve } from "./curve.js";
import { Guess } from "./guess.js";
import { heads, pointedAt, spoken } from "./heads.js";
import { Ledger } from "./ledger.js";
import { menuOf } from "./more.js";
import { OwnText } from "./own_text.js";
import { Player, TWO_BEATS } from "./player.js";
import { Reasons } from "./reasons.js";
import { caption, tools } from "./window.js";

const GATHER = 220; // ms in which a pair draws together
const ASKED = 40; // ms without a move, after which the server is asked about the step; a held key repeats more slowly
const REST = 250; // ms without a move, after which Python is told
const EVERY_UP_TO = 500; // merges; with more, only those that fire in sight are steps, unless the reader asks for all

class Replay {
  constructor(parent) {
    this.root = parent.appendChild(make("dialog", "tokviz projected replay")); // modal while it is presented
    this.root.role = "none";
    this.strip = make("div", "strip");
    this.line = make("p", "pointed quiet");
    this.trouble = asStatus(make("p", "trouble quiet small"));
    this.connection = asStatus(make("p", "trouble quiet small connection"));
    this.folds = { merges: false, own: false, curve: false }; // which are open
    this.view = new Strip(this.strip, "Tokens at this step", (token) => this.point(token));
    this.view.chosen = (start, entering) => this.hold(start, entering);
    this.asker = new Asker(this.connection, "You can still go from step to step.", () => this.tellPlace());
    this.player = new Player(this);
    this.ledger = new Ledger(this);
    this.curve = new Curve(this);
    this.reasons = new Reasons(this);
    this.guess = new Guess(this);
    this.own = new OwnText(this);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.narrow = matchMedia("(max-width: 999px)");
    this.lastMove = -Infinity;
    this.spoken = "";
    this.ears = new AbortController();
    this.listen(this.ears);
    this.hideWhole = showWhole(this.root);
  }

  listen({ signal }) {
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("close", () => this.presented());
    // The player's keys work without a click on it, while nothing but the page or a link has the focus. Keys that
    // scroll the page are left to it.
    const unheard = (event) => {
      if (isPageFocused() && /^(ArrowLeft|ArrowRight| |p)$/i.test(event.key)) this.key(event);
    };
    document.addEventListener("keydown", unheard, { signal });
    this.narrow.addEventListener("change", () => this.draw(), { signal });
  }

  close() {
    this.closed = true;
    this.player.pause();
    this.ears.abort();
    for (const timer of [this.telling, this.asking, this.gathering]) clearTimeout(timer);
    this.hideWhole();
    for (const part of [this.view, this.ledger, this.own, this.asker]) part.close();
    this.root.remove();
  }

  // --- what Python says ---

  update(data, page) {
    this.page = page;
    const before = this.data;
    this.data = data;
    if (before?.id === data.id && before.place.stamp === data.place.stamp) return; // the theme changed, or a choice
    this.player.pause();
    this.settle();
    if (before?.of !== data.of) this.asker.forget();
    this.at = { ...data.place };
    if (before?.id !== data.id) this.loadMerges(data);
    this.k = Math.max(0, Math.min(this.last, this.at.step));
    const past = this.at.step > this.last;
    this.say(past ? `There is no step ${figure(this.at.step)} here. This is the last one.` : "");
    this.folds.own ||= Boolean(data.text) || (data.live && this.at.own);
    this.showWindow(data.window, this.at.length, false);
    this.own.load(data);
    this.present(this.at.presenting && this.last > 0);
    if (past) this.rest();
    if (this.predicting) this.guess.ask(); // before the first key
  }

  loadMerges(data) {
    this.merges = new Merges(data.columns, data.tokens_before);
    this.last = this.merges.length;
    this.vocabulary = new Vocabulary(int32(data.window.alphabet), this.merges);
    this.k = 0;
    this.player.load(data);
    this.guess.load();
    this.reasons.load();
    this.ledger.load();
    this.curve.load();
  }

  // Show another window, at the same step.
  showWindow(window, length, moved = true) {
    this.settle();
    const { start, cut, drawn_to } = window;
    this.encoding = { ...read(window), start, cut, drawnTo: drawn_to ?? this.last };
    this.view.load(this.encoding, this.k);
    Object.assign(this.at, { start, length });
    this.hold(null);
    this.textChanged();
    this.view.reveal();
    if (moved) this.rest();
  }

  // The texts in sight changed, and with them the merges that fire there, which are the steps.
  textChanged() {
    this.stops = stopsOf(this.views);
    this.draw();
  }

  say(words) {
    if (this.trouble.textContent !== words) this.trouble.textContent = words;
  }

  // The window, and the reader's own text if there is one.
  get views() {
    return [this.view, ...(this.own.encoding ? [this.own.view] : [])];
  }

  // Does the reader predict each merge before it is shown?
  get predicting() {
    return Boolean(this.at.predicting && this.data.can_predict);
  }

  // Is the next merge still to be predicted?
  get veiled() {
    return this.predicting && this.k < this.last && !this.guess.told;
  }

  // Keep what the reader chose of the place: predicting, every.
  choose(fields) {
    Object.assign(this.at, fields);
    this.draw();
    this.rest();
    if (this.predicting) this.guess.ask();
  }

  // --- steps ---

  // Is each merge a step, or only those that fire in sight? In an empty text, none fires.
  get every() {
    return !this.stops?.length || (this.at.every ?? this.last <= EVERY_UP_TO);
  }

  // The step after k. If only merges in sight are steps, each step stops just before its merge.
  next(k) {
    return this.every ? Math.min(this.last, k + 1) : (this.stops[placeIn(this.stops, k + 1)] ?? this.last);
  }

  // The last merge done, of those that are steps; -1: none yet.
  made(k) {
    return this.every ? k - 1 : (this.stops[placeIn(this.stops, k) - 1] ?? -1);
  }

  go(k) {
    this.player.pause();
    this.settle();
    this.commit(k);
    this.view.reveal();
  }

  // One step forward: in two beats if the reader steps slowly, else at once. Until the second beat all parts show the
  // step before.
  forward(slow = performance.now() - this.lastMove >= 1000 / TWO_BEATS) {
    this.settle();
    if (this.k >= this.last) return;
    this.lastMove = performance.now();
    if (slow) this.view.reveal();
    if (!slow || this.still.matches || !this.views.some((view) => view.pairs.length)) {
      this.commit(this.next(this.k));
      return;
    }
    this.root.classList.add("gather");
    this.gathering = setTimeout(() => this.settle(), GATHER);
  }

  // End the drawing together of a pair, if one is under way.
  settle() {
    if (!this.gathering) return;
    clearTimeout(this.gathering);
    this.gathering = null;
    this.root.classList.remove("gather");
    this.commit(this.next(this.k));
  }

  commit(k) {
    this.say("");
    this.k = Math.max(0, Math.min(this.last, k));
    this.draw();
    this.rest();
  }

  // Some time after the last move, tell screen readers the step and Python the place.
  rest() {
    this.at.step = this.k;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (this.player.playing || this.closed) return;
      this.spoken = spoken(this);
      this.draw();
      this.tellPlace();
    }, REST);
  }

  tellPlace() {
    const place = { ...this.at, presenting: this.root.open };
    this.page.setStateValue("place", { id: this.data.id, stamp: this.at.stamp, place });
  }

  // A question about what plays. After something else is shown, it has no answer.
  ask(name, fields, heard, kind = name, fail = ({ message }) => this.say(message)) {
    this.asker.ask(`replay.${name}`, { of: this.data.of, ...fields }, kind).then(heard, fail);
  }

  // --- presenter mode: the page, in the shape that it has on a phone, fills the screen of a projector ---

  present(on = !this.root.open) {
    if (on === this.root.open) return;
    if (!on) return this.root.close();
    this.root.showModal();
    this.presented();
  }

  presented() {
    if (this.closed) return;
    const { open } = this.root;
    this.root.role = open ? null : "none";
    this.root.ariaLabel = open ? "Presenter mode" : null;
    this.draw();
    this.root.querySelector(".player")?.focus({ preventScroll: true }); // there is none where no merge is
    this.view.reveal();
    this.rest();
  }

  // --- keys ---

  key(event) {
    const { target } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || this.last === 0) return;
    if (target.matches("textarea, select, input:not([type=range], [type=radio])")) return;
    const action = this.actionOf(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // What a key does; undefined if nothing.
  actionOf(event) {
    const { target, key } = event;
    const { guess, own, view } = this;
    const on = target.closest("button, summary");
    if (/^p$/i.test(key)) return () => this.present();
    if (/^[1-9]$/.test(key) && guess.press(Number(key))) return () => {};
    if (target.matches("[type=radio]")) return undefined; // its own keys choose among the pairs
    if (key === "Enter" && !on) {
      if (guess.here && !guess.told && guess.chosen !== null) return () => guess.reveal();
      if (target === own.view.box) return () => own.view.go(own.view.at);
      if (target === this.strip || target.matches(".player")) return () => this.encoding.n && view.go(view.at);
    }
    return this.player.action(event, on);
  }

  // --- the token that is pointed at, or kept by a press: the line below the text has it ---

  // entering: go to the link in the line.
  hold(start, entering = false) {
    this.view.pin(start);
    this.line.classList.toggle("held", start !== null);
    this.point(null);
    if (entering) this.line.querySelector("a")?.focus();
  }

  point(token) {
    render(pointedAt(this, token), this.line);
  }

  // --- drawing ---

  // On a phone and on a projector, the player is at the foot.
  get low() {
    return this.narrow.matches || this.root.open;
  }

  draw() {
    const { k, last, veiled, root } = this;
    if (k !== this.view.k) this.hold(null);
    for (const view of this.views) view.step(k, this.made(k), { pairs: !veiled });
    root.dataset.step = k;
    root.dataset.tokens = this.view.count();
    for (const look of ["veiled", "predicting"]) root.classList.toggle(look, this[look]);
    render(last ? this.whole() : this.empty(), root);
    this.ledger.show(this.made(k), k);
    clearTimeout(this.asking);
    const { predicting, guess, reasons } = this;
    if (last && !this.player.fast) this.asking = setTimeout(() => (predicting ? guess : reasons).ask(), ASKED);
  }

  title() {
    const { data, last, low, page } = this;
    const choose = (to) => page.setTriggerValue("plays", to);
    const plays = { label: "Merges of", options: data.choices, value: data.plays, choose };
    return html`<header class="title-row">${
      data.live && html`<h1>Replay</h1><span class="plays"><span>Merges of</span> ${select(plays)}</span>`
    }${
      !low &&
      last > 0 &&
      html`${menuOf(this)}<button type="button" @click=${() => this.present()}>Present <kbd>P</kbd></button>`
    }</header>`;
  }

  // The question is below the heads of a phone, and beside the text else. On a projector nothing follows the reasons.
  whole() {
    const { root, low, player, guess, ledger, curve, own, narrow, data } = this;
    const asks = this.predicting && guess.template();
    const isPhone = narrow.matches && !root.open;
    const list = () => ledger.template();
    return html`${this.title()}${!low && player.template()}${this.said()}${heads(this)}${isPhone && asks}
      <div class="halves"><div class="left">${this.text()}</div><div class="side">${!isPhone && asks}${!low && list()}</div></div>
      ${data.can_predict && !this.predicting && this.reasons.template()}
      ${
        !root.open &&
        html`${tools(this)}${isPhone && this.fold("merges", "All merges", list)}
          ${own.isHere && this.fold("own", "Your own text", () => own.template())}
          ${this.fold("curve", "Curves", () => curve.template())}`
      }${low && player.template()}`;
  }

  // Where there is no merge.
  empty() {
    const { data, own } = this;
    const made = data.others ? "No merge of the list fires" : "This training made no merge";
    return html`${this.title()}${this.said()}<div class="empty none"><h2>No merge to replay</h2>
      <p>${made}: “${data.corpus_name}” stays at ${quantity(data.tokens_before, "token")}.</p></div>
      ${this.text()}${tools(this)}${own.isHere && this.fold("own", "Your own text", () => own.template())}`;
  }

  said() {
    return html`${this.trouble}${this.connection}<p class="unseen spoken" aria-live="polite">${this.spoken}</p>`;
  }

  text() {
    const nowhere = html`<div class="empty nowhere"><h2>No text to watch</h2>
      <p>The corpus is not here, and the text on Tokens is empty. The list has the merges.</p></div>`;
    const { n } = this.encoding;
    return html`${n ? [this.strip, this.line] : this.last > 0 && nowhere}<p class="caption quiet">${caption(this)}</p>`;
  }

  // What is in a fold is made when it is opened.
  fold(name, title, inside) {
    const isOpen = this.folds[name];
    const toggled = ({ target: { open } }) => {
      if (open === this.folds[name]) return;
      this.folds[name] = open;
      this.draw();
      if (name === "own") this.own.load(this.data);
    };
    return html`<details class="fold" ?open=${isOpen} @toggle=${toggled}><summary>${title}</summary>${isOpen && html`<div>${inside()}</div>`}</details>`;
  }
}

export default function (page) {
  return mount(Replay, page, (replay) => replay.update(page.data, page));
}

// Replay: the stage. It has the step in view, and moves all parts to it together.
//
// All data is here from the start, so a step costs only what it changes. Python hears of the place when the reader has
// come to rest.

import { Asker } from "../kit/ask.js";
import { addressOf, copyText } from "../kit/copy_and_save.js";
import { isPageFocused, mount } from "../kit/elements.js";
import { figure, quantity } from "../kit/words.js";
import { int32, placeIn, read } from "../tokenview/encoding.js";
import { Merges, Vocabulary } from "../tokenview/merges.js";
import { Strip, stopsOf } from "../tokenview/strip.js";
import { showWhole } from "../tokenview/whole.js";
import { Curve } from "./curve.js";
import { Guess } from "./guess.js";
import { Ledger } from "./ledger.js";
import { PairReasons } from "./pair_reasons.js";
import { OwnText, Place } from "./place.js";
import { Player, TWO_BEATS } from "./player.js";
import { ReplayPresenter } from "./present.js";
import { Take } from "./take.js";
import { Told } from "./told.js";

const LEDGER_EVERY = 80; // ms between two updates of ledger and curve while playing fast
const GATHER = 220; // ms in which a pair draws together
const SETTLE = 400; // ms after a merge until the next pair is boxed
const REST = 250; // ms without a move, after which Python is told
const EVERY_UP_TO = 500; // merges; with more, only those that fire in sight are steps, unless the reader asks for all

const places = new Map(); // id of the data shown last -> the reader's place, which outlives a remount

class Replay {
  constructor(parent) {
    this.root = parent.querySelector(".replay"); // replay.html
    const find = (selector) => this.root.querySelector(selector);
    this.strip = find(".strip");
    this.view = new Strip(this.strip, "Tokens at this step", (token) => this.told.point(token));
    this.parts = {
      pointed: find(".pointed"),
      spoken: find(".spoken"),
      none: find(".none"),
      under: find(".under"),
      nowhere: find(".nowhere"),
      right: find(".right"),
      trouble: find(".trouble"),
    };
    this.asker = new Asker(find(".connection"), "The steps go on without it.", () => this.tellPlace());
    this.player = new Player(this.root, this);
    this.ledger = new Ledger(this.root, this);
    this.curve = new Curve(this.root, this);
    this.reasons = new PairReasons(this.root, this);
    this.guess = new Guess(this.root, this);
    this.place = new Place(this.root, this);
    this.own = new OwnText(this.root, this);
    this.present = new ReplayPresenter(this.root, this);
    this.take = new Take(this.root, this);
    this.told = new Told(this.root, this);
    this.view.chosen = (start, entering) => this.told.hold(start, entering);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.lastMove = this.slowDrawn = -Infinity;
    this.root.addEventListener("keydown", (event) => this.key(event));
    // The player's keys work without a click on it, while nothing but the page or a link has the focus. Keys that
    // scroll the page are left to it. A switch of the page has the focus after its press, and needs only Space.
    this.unheard = (event) => {
      const ofSwitch = document.activeElement?.matches("input[type=checkbox]") && event.key !== " ";
      if ((isPageFocused() || ofSwitch) && /^(ArrowLeft|ArrowRight| |p)$/i.test(event.key)) this.key(event);
    };
    document.addEventListener("keydown", this.unheard);
    this.linkButton = find("[data-do=link]");
    this.linkButton.addEventListener("click", () => this.copyLink());
    this.hideWhole = showWhole(this.root);
  }

  close() {
    this.closed = true;
    this.player.pause();
    document.removeEventListener("keydown", this.unheard);
    clearTimeout(this.telling);
    clearTimeout(this.gathering?.timer);
    clearTimeout(this.settling);
    this.hideWhole();
    for (const part of [this.view, this.ledger, this.reasons, this.guess, this.own, this.asker]) part.close();
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    const before = this.data;
    if (before && before.id === data.id && before.place.stamp === data.place.stamp) return; // only the theme changed
    this.player.pause();
    this.settle();
    if (before?.of !== data.of) this.asker.forget();
    this.data = data;
    // the reader's place, if the component was removed from the page and comes back
    const held = places.get(data.id);
    const back = held && held.stamp === data.place.stamp;
    const place = back ? held : { ...data.place, window: data.window };
    // what Python did not mean to change is as the reader has it, who may have moved since it heard of them
    for (const [name, was] of back || before?.id !== data.id ? [] : Object.entries(place.was ?? {})) {
      if (place[name] === was) place[name] = this.at[name];
    }
    this.at = place;
    places.clear();
    places.set(data.id, place);
    if (before?.id !== data.id) this.loadMerges(data);
    this.k = Math.max(0, Math.min(this.last, place.step));
    this.say(
      place.step > this.last && !back ? `There is no step ${figure(place.step)} here. This is the last one.` : "",
    );
    this.root.setAttribute("aria-label", data.title);
    this.linkButton.hidden = !data.live;
    this.present.load(data);
    this.showWindow(place.window, place.length, false);
    this.own.load(data);
    this.present.toggle(place.presenting && this.last > 0);
    if (this.k !== data.place.step) this.rest();
  }

  loadMerges(data) {
    this.merges = new Merges(data.columns, data.tokens_before);
    this.last = this.merges.length;
    this.vocabulary = new Vocabulary(int32(data.window.alphabet), this.merges);
    const none = this.last === 0;
    this.parts.none.hidden = !none;
    const made = data.others ? "No merge of the list fires" : "This training made no merge";
    this.parts.none.querySelector("p").textContent =
      `${made}: “${data.corpus_name}” stays at ` + `${quantity(data.tokens_before, "token")}.`;
    for (const part of [this.player.bar, this.parts.under, this.parts.right, this.told.box]) part.hidden = none;
    this.root.classList.toggle("bare-strip", none);
    this.player.load(this.last, data);
    this.guess.load();
    this.reasons.load(none ? { ...data, live: false } : data, this.vocabulary);
    this.k = 0;
    if (none) return;
    this.ledger.load(this.merges, this.vocabulary, data.n_bytes, data.title);
    this.curve.load(this.merges, data.n_bytes);
  }

  // Show another window, at the same step.
  showWindow(window, length, moved = true) {
    this.settle();
    const { start, cut, drawn_to } = window;
    this.encoding = { ...read(window), start, cut, drawnTo: drawn_to ?? this.last };
    const nowhere = this.encoding.n === 0;
    this.strip.hidden = this.take.box.hidden = nowhere;
    this.parts.nowhere.hidden = !nowhere || this.last === 0;
    this.parts.pointed.hidden = nowhere;
    this.view.load(this.encoding, this.k);
    this.place.load(this.data, this.encoding, length);
    Object.assign(this.at, { start, length, window });
    this.told.point(null);
    this.textChanged();
    this.view.reveal();
    if (moved) this.rest();
  }

  // The texts in sight changed, and with them the merges that fire there, which are the steps.
  textChanged() {
    this.stops = stopsOf(this.views);
    this.player.drawModes(this.every, this.stops.length, (every) => {
      this.at.every = every;
      this.draw(false);
      this.rest();
    });
    this.draw(false);
  }

  // The reader typed another text of their own: the page below follows it.
  texted() {
    this.at.texts = (this.at.texts ?? 0) + 1;
    this.rest();
  }

  say(words) {
    if (this.parts.trouble.textContent !== words) this.parts.trouble.textContent = words;
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

  predict(on) {
    this.at.predicting = on;
    this.draw(false);
    this.rest();
  }

  // --- steps ---

  // Is each merge a step, or only those that fire in sight? In an empty text, none fires.
  get every() {
    return !this.stops?.length || (this.at.every ?? this.last <= EVERY_UP_TO);
  }

  // The step after k. If only merges in sight are steps, each step stops just before its merge.
  next(k) {
    if (this.every) return Math.min(this.last, k + 1);
    return this.stops[placeIn(this.stops, this.stops[placeIn(this.stops, k)] === k ? k + 1 : k)] ?? this.last;
  }

  before(k) {
    return this.every ? Math.max(0, k - 1) : (this.stops[placeIn(this.stops, k) - 1] ?? 0);
  }

  // The last merge done, of those that are steps; -1: none yet.
  made(k) {
    return this.every ? k - 1 : (this.stops[placeIn(this.stops, k) - 1] ?? -1);
  }

  go(k) {
    this.player.pause();
    this.settle();
    this.commit(k, false);
    this.view.reveal();
  }

  // One step forward: in two beats if the reader steps slowly, else at once.
  forward(slow = performance.now() - this.lastMove >= 1000 / TWO_BEATS) {
    this.settle();
    if (this.k >= this.last) return;
    this.lastMove = performance.now();
    if (this.settling) this.rested(); // the pair is boxed first
    if (slow) this.view.reveal();
    if (!slow || this.still.matches || !this.views.some((view) => view.pairs.length)) {
      this.commit(this.next(this.k), true);
      return;
    }
    for (const view of this.views) view.box.classList.add("gather");
    this.gathering = { timer: setTimeout(() => this.settle(true), GATHER) };
  }

  // End the drawing together of a pair, if one is under way.
  settle(animate = false) {
    if (!this.gathering) return;
    clearTimeout(this.gathering.timer);
    this.gathering = null;
    this.commit(this.next(this.k), animate);
    for (const view of [this.view, this.own.view]) view.box.classList.remove("gather");
  }

  commit(k, animate) {
    this.say("");
    this.k = Math.max(0, Math.min(this.last, k));
    clearTimeout(this.settling);
    const settles = animate && !this.still.matches;
    this.settling = settles && !this.player.fast ? setTimeout(() => this.rested(), SETTLE) : 0;
    this.draw(settles);
    this.rest();
  }

  // The new tokens have settled: show which pair is next.
  rested() {
    clearTimeout(this.settling);
    this.settling = 0;
    this.draw(false);
  }

  // Some time after the last move, tell screen readers the step and Python the place.
  rest() {
    this.at.step = this.k;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (this.player.playing || this.closed) return;
      this.parts.spoken.textContent = this.told.sentence();
      this.tellPlace();
    }, REST);
  }

  tellPlace() {
    const { stamp, step, start, length, every, presenting, predicting, texts } = this.at;
    this.tell?.("place", { id: this.data.id, stamp, step, start, length, every, presenting, predicting, texts });
  }

  // A question about what plays. After something else is shown, it has no answer.
  ask(name, fields, kind) {
    return this.asker.ask(`replay.${name}`, { of: this.data.of, ...fields }, kind);
  }

  // A link to this step, window and text: Python makes it, the browser copies it.
  copyLink() {
    const { step, start, length, presenting } = this.at;
    this.ask("link", { step, start, length, presenting }).then(
      ({ query, left_out }) => copyText(addressOf(query), this.parts.trouble, `Link copied. ${left_out}`),
      ({ message }) => this.say(message),
    );
  }

  // The presenter's mode was entered or left.
  presented() {
    if (this.closed) return;
    this.at.presenting = this.present.on;
    this.draw(false);
    this.view.reveal();
    this.rest();
  }

  // --- keys ---

  key(event) {
    const { target } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || this.last === 0) return;
    if (target.matches("textarea, select, input:not([type=range], [type=radio], [type=checkbox])")) return;
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
    const on = target.closest("button");
    if (/^p$/i.test(key)) return () => this.present.toggle();
    if (/^[1-9]$/.test(key) && guess.press(Number(key))) return () => {};
    if (target.matches("[type=radio]")) return undefined; // its own keys choose among the pairs
    if (key === "Enter" && !on) {
      if (guess.here && !guess.told && guess.chosen !== null) return () => guess.reveal();
      if (target === own.view.box) return () => own.view.go(own.view.at);
      if ([this.player.bar, this.strip, this.present.dialog].includes(target))
        return () => this.encoding.n && view.go(view.at);
    }
    return this.player.action(event, on);
  }

  // --- drawing ---

  draw(animate) {
    const { k, last, veiled, settling } = this;
    const fast = this.player.fast;
    const made = this.made(k);
    const marks = { pairs: !fast && !veiled && !settling, settle: animate };
    if (k !== this.view.k) this.told.hold(null);
    for (const view of this.views) view.step(k, made, marks);
    this.root.dataset.step = k;
    this.root.dataset.tokens = this.view.count();
    this.root.classList.toggle("veiled", veiled);
    this.root.classList.toggle("predicting", this.predicting);
    this.place.draw(k);
    this.own.draw();
    if (!last) return;
    this.player.draw(k, last);
    this.present.draw(k, last);
    if (!settling) this.told.next(); // until then the heading names the merge that is settling
    this.reasons.step(k, fast || this.predicting);
    this.guess.step();
    const now = performance.now();
    if (fast && now - this.slowDrawn < LEDGER_EVERY) return;
    this.slowDrawn = now;
    this.told.happened(made);
    this.ledger.show(k);
    this.curve.draw(k);
  }
}

export default function (page) {
  return mount(Replay, page, (replay) => replay.update(page.data, page.setStateValue));
}

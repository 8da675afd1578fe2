// Replay: the stage. It has the step in view, and moves all parts to it together.
//
// All data is here from the start, so a step costs only what it changes. Python hears of the place when the reader has
// come to rest.

import { copyText } from "../copy_and_save.js";
import { keepFromPage, make, sign, themeOf } from "../elements.js";
import { int32, placeIn, read } from "../encoding.js";
import { chip } from "../token_view/marks.js";
import { figure, quantity, times } from "../words.js";
import { Curve } from "./curve.js";
import { Ledger } from "./ledger.js";
import { Line } from "./line.js";
import { Merges, Vocabulary } from "./merges.js";
import { PairReasons } from "./pair_reasons.js";
import { OwnText, Place } from "./place.js";
import { Player, TWO_BEATS } from "./player.js";
import { Present } from "./present.js";
import { Strip, stopsOf } from "./strip.js";
import { Take } from "./take.js";

const LEDGER_EVERY = 80; // ms between two updates of ledger and curve while playing fast
const GATHER = 220; // ms in which a pair draws together
const REST = 250; // ms without a move, after which Python is told
const EVERY_UP_TO = 500; // merges; with more, only those that fire in sight are steps, unless the reader asks for all

const places = new Map(); // id of the data -> the reader's place, which outlives a remount

class Replay {
  constructor(parent) {
    this.root = parent.querySelector(".replay"); // replay.html
    const find = (selector) => this.root.querySelector(selector);
    this.strip = find(".strip");
    this.view = new Strip(this.strip, "Tokens at this step", (token) => this.drawPointed(token));
    this.parts = {
      next: find(".next h2"),
      nextNote: find(".next p"),
      pointed: find(".pointed"),
      spoken: find(".spoken"),
      none: find(".none"),
      under: find(".under"),
      nowhere: find(".nowhere"),
      right: find(".right"),
      nextBox: find(".next"),
      trouble: find(".trouble"),
    };
    this.line = new Line(find(".connection"), () => this.tellPlace());
    this.player = new Player(this.root, this);
    this.ledger = new Ledger(this.root, this);
    this.curve = new Curve(this.root, this);
    this.reasons = new PairReasons(this.root, this.line);
    this.place = new Place(this.root, this);
    this.own = new OwnText(this.root, this);
    this.present = new Present(this.root, this);
    this.take = new Take(this.root, this);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.lastMove = this.slowDrawn = -Infinity;
    this.root.addEventListener("keydown", (event) => this.key(event));
    // The player's keys work without a click on it, while nothing but the page or a link has the focus. Keys that
    // scroll the page are left to it.
    this.unheard = (event) => {
      if (document.activeElement?.matches("body, a") && /^(ArrowLeft|ArrowRight| |p)$/i.test(event.key))
        this.key(event);
    };
    document.addEventListener("keydown", this.unheard);
    // While the reader predicts the next merge, it must not be shown here. predict.js says at which step it may be, and
    // when to move on.
    this.told = null;
    this.predicted = ({ detail: { of, told } }) => {
      this.told = told;
      if (this.data?.of === of) this.draw(false);
    };
    this.sent = ({ detail: { of, step } }) => {
      if (this.data?.of !== of) return;
      if (step === this.k + 1 && this.every) this.forward(true);
      else this.go(step);
    };
    window.addEventListener("tokviz:predict", this.predicted);
    window.addEventListener("tokviz:go", this.sent);
    this.linkButton = find("[data-do=link]");
    this.linkButton.addEventListener("click", () => this.copyLink());
  }

  close() {
    this.closed = true;
    this.player.pause();
    document.removeEventListener("keydown", this.unheard);
    clearTimeout(this.telling);
    clearTimeout(this.gathering?.timer);
    window.removeEventListener("tokviz:predict", this.predicted);
    window.removeEventListener("tokviz:go", this.sent);
    for (const part of [this.view, this.ledger, this.reasons, this.own, this.line]) part.close();
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    this.root.dataset.theme = themeOf(this.root);
    const before = this.data;
    if (before && before.id === data.id && before.place.stamp === data.place.stamp) return; // only the theme changed
    this.player.pause();
    this.settle();
    this.data = data;
    // the reader's place, if the component was removed from the page and comes back
    const held = places.get(data.id);
    const back = held && held.stamp === data.place.stamp;
    const place = back ? held : { ...data.place, window: data.window };
    this.at = place;
    places.set(data.id, place);
    if (before?.id !== data.id) this.loadMerges(data);
    this.k = Math.max(0, Math.min(this.last, place.step));
    this.say(
      place.step > this.last && !back ? `There is no step ${figure(place.step)} here. This is the last one.` : "",
    );
    this.root.setAttribute("aria-label", data.title);
    this.linkButton.hidden = !data.live;
    this.showWindow(place.window, place.length, false);
    this.own.load(data);
    this.present.toggle(place.presenting && this.last > 0);
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
    for (const part of [this.player.bar, this.parts.under, this.parts.right, this.parts.nextBox]) part.hidden = none;
    this.root.classList.toggle("bare-strip", none);
    this.player.load(this.last, data.title, data.others);
    this.reasons.load(none ? { ...data, live: false } : data, this.vocabulary);
    this.k = 0;
    if (none) return;
    this.ledger.load(this.merges, this.vocabulary, data.n_bytes, data.title);
    this.curve.load(this.merges, data.n_bytes);
  }

  // Show another window, at the same step.
  showWindow(window, length, moved = true) {
    this.settle();
    this.encoding = { ...read(window), start: window.start, cut: window.cut };
    const nowhere = this.encoding.n === 0;
    this.strip.hidden = this.take.box.hidden = nowhere;
    this.parts.nowhere.hidden = !nowhere || this.last === 0;
    this.parts.pointed.hidden = nowhere;
    this.view.load(this.encoding, this.k);
    this.place.load(this.data, this.encoding, length);
    Object.assign(this.at, { start: window.start, length, window });
    this.drawPointed(null);
    this.textChanged();
    this.view.reveal();
    if (moved) this.rest();
  }

  // The texts in sight changed, and with them the merges that fire there, which are the steps.
  textChanged() {
    this.stops = stopsOf([this.view, ...(this.own.encoding ? [this.own.view] : [])]);
    this.player.drawModes(this.every, this.stops.length, (every) => {
      this.at.every = every;
      this.draw(false);
      this.rest();
    });
    this.draw(false);
  }

  say(words) {
    if (this.parts.trouble.textContent !== words) this.parts.trouble.textContent = words;
  }

  // --- steps ---

  // Is each merge a step, or only those that fire in sight?
  get every() {
    return this.at.every ?? this.last <= EVERY_UP_TO;
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
    const views = [this.view, this.own.view];
    if (slow) this.view.reveal();
    if (!slow || this.still.matches || !views.some((view) => view.pairs.length)) {
      this.commit(this.next(this.k), true);
      return;
    }
    for (const view of views) view.box.classList.add("gather");
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
    this.draw(animate && !this.still.matches);
    this.rest();
  }

  // Some time after the last move, tell screen readers the step and Python the place.
  rest() {
    this.at.step = this.k;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (this.player.playing || this.closed) return;
      this.parts.spoken.textContent = this.sentence();
      this.tellPlace();
      window.dispatchEvent(new CustomEvent("tokviz:step", { detail: { of: this.data.of, step: this.k } }));
    }, REST);
  }

  tellPlace() {
    const { stamp, step, start, length, every, presenting } = this.at;
    this.tell?.("place", { id: this.data.id, stamp, step, start, length, every, presenting });
  }

  // A link to this step, window and text: Python makes it, the browser copies it.
  copyLink() {
    const { step, start, length, presenting } = this.at;
    this.line.ask("link", { of: this.data.of, link: { step, start, length, presenting } }, (answer, error) => {
      if (!answer) {
        this.say(error);
        return;
      }
      const address = `${location.origin}${location.pathname}?${answer.query}`;
      copyText(address, this.parts.trouble, `Link copied. ${answer.left_out}`);
    });
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
    keepFromPage(event);
    const { target } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || this.last === 0) return;
    if (target.matches("textarea, select, input:not([type=range])")) return;
    const on = target.closest("button");
    const action =
      this.ledger.box.contains(target) && !on && this.ledger.key(event)
        ? () => {}
        : /^p$/i.test(event.key)
          ? () => this.present.toggle()
          : event.key === "Enter" &&
              (target === this.player.bar || target === this.strip || target === this.present.dialog)
            ? () => this.encoding.n && this.view.go(this.view.at)
            : event.key === "Enter" && target === this.own.view.box
              ? () => this.own.view.go(this.own.view.at)
              : this.player.action(event, on);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // --- drawing ---

  draw(animate) {
    const { k, last, view } = this;
    const fast = this.player.fast;
    const made = this.made(k);
    const veiled = this.told !== null && this.told !== k && k < last;
    const marks = { pairs: !fast && !veiled, settle: animate };
    view.step(k, made, marks);
    if (this.own.encoding) this.own.view.step(k, made, marks);
    this.root.dataset.step = k;
    this.root.dataset.tokens = view.count();
    this.root.classList.toggle("veiled", veiled);
    this.place.draw(k);
    this.own.draw();
    if (!last) return;
    this.player.draw(k, last);
    this.present.draw(k, last);
    this.drawNext();
    this.reasons.step(k, fast);
    const now = performance.now();
    if (fast && now - this.slowDrawn < LEDGER_EVERY) return;
    this.slowDrawn = now;
    this.ledger.show(k);
    this.curve.draw(k);
  }

  drawNext() {
    const { k, last, merges, parts } = this;
    if (k === last) {
      parts.next.textContent = last === 1 ? "The merge is done" : `All ${figure(last)} merges are done`;
      parts.nextNote.textContent = "";
      return;
    }
    if (this.root.classList.contains("veiled")) {
      parts.next.textContent = `Next, merge ${figure(merges.number(k))}: which pair?`;
      parts.nextNote.textContent = "";
      return;
    }
    const which = `${this.present.on ? "Merge" : "Next, merge"} ${figure(merges.number(k))}${this.present.on ? "" : ": "}`;
    const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => this.vocabulary.chip(ids[k]));
    parts.next.replaceChildren(which, left, sign("+", "and"), right, sign("→", "make"), id);
    parts.nextNote.textContent = `id ${figure(merges.id[k])}, ${this.firing(k)}${this.skipped(k)}`;
  }

  // "in 9 places": in the corpus, and how many of them are in the window.
  firing(k) {
    const { count, replaced } = this.merges;
    const places = (number) => quantity(number, "place");
    const here = this.view.places(k).length;
    const corpus =
      count[k] === replaced[k]
        ? `in ${places(count[k])}`
        : `pair count ${figure(count[k])}, replaced in ${places(replaced[k])}`;
    if (!this.encoding.n || (here === replaced[k] && this.data.corpus_here)) return corpus;
    return `${corpus}, ${here ? figure(here) : "none"} of them here`;
  }

  // How many merges were passed over on the way to this step.
  skipped(k) {
    const between = k - 1 - this.made(k);
    if (this.every || !between) return "";
    return `; ${quantity(between, "merge")} before it ${between === 1 ? "fires" : "fire"} elsewhere`;
  }

  drawPointed(token) {
    if (!token) {
      this.parts.pointed.textContent = "Point at a token, or press Enter and use the arrows";
      return;
    }
    const { start, end, id } = token;
    const label = make("b", "", id === null ? "no id" : `id ${figure(id)}`);
    const often = times(this.view.counted().often.get(id));
    this.parts.pointed.replaceChildren(
      chip(this.encoding.bytes.subarray(start, end), this.view.hueOf(start, end)),
      label,
      `${often} in this window`,
    );
  }

  sentence() {
    const { k, merges, vocabulary } = this;
    const left = `${figure(merges.tokens[k])} tokens`;
    if (!k) return `No merge done, ${left}`;
    return (
      `Merge ${figure(merges.number(k - 1))} done: ${vocabulary.spoken(merges.left[k - 1])} and ` +
      `${vocabulary.spoken(merges.right[k - 1])} make ${vocabulary.spoken(merges.id[k - 1])}, ${left}`
    );
  }
}

const replays = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!replays.has(parentElement)) replays.set(parentElement, new Replay(parentElement));
  const replay = replays.get(parentElement);
  replay.update(data, setStateValue);
  return () => {
    replay.close();
    replays.delete(parentElement);
  };
}

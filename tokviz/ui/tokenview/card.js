// The card of a token: short at first, and *All its merges* unfolds the rest. What it says is Python's record of the token
// (tokviz/vocabulary/card.py), or as much of it as is known at once. A page has a child of this class.

import { copyText } from "../kit/copy_and_save.js";
import { make } from "../kit/elements.js";
import { html, keyed, render } from "../kit/html.js";
import { an, figure, mergeNumber, quantity, times, UNCOVERED, UNMADE } from "../kit/words.js";
import { tokenButton } from "./card_parts.js";
import { CUT_FIRST, fromHex, textOfToken, topSeam } from "./encoding.js";
import { home, pairHues } from "./hues.js";
import { chip, hexOf, INVISIBLE, onCircle, spoken, UNSEEN } from "./marks.js";
import { stepperOf } from "./stepper.js";
import { drawTree, TREE_BYTES } from "./tree.js";

const BIG_LETTERS = 24; // of the token in the head
const LARGE_BYTES = 10; // a longer token is written smaller there
const HEX = 16; // bytes of it that are spelled

export class TokenCard {
  // label: what screen readers call the card. look: what a press on another token in it does.
  //
  // isBrief: it is of a token that is only pointed at, and has no buttons.
  //
  // A child has close(), press(id, bytes) and place(), and may have acts(), all() and rest(): its buttons, what it adds to
  // what unfolds, and what it shows below.
  constructor(label, look) {
    Object.assign(this, { label, look, record: null, key: null, at: null, unfolded: false, isBrief: false });
    this.root = make("section", "card token-card");
    this.root.tabIndex = -1;
    this.root.setAttribute("aria-label", label);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.record) return;
      event.preventDefault();
      this.close();
    });
  }

  // Draw a record. key: the same for the same token, whose card keeps its step and its focus. drawable: the bytes of the
  // chunk or token as an encoding of their own, with the hue of every token in it: { stretch, start, end, hues }, where start
  // and end are those of the token; null if they are not here.
  take(record, key, drawable) {
    const another = key !== this.key;
    const held = another && this.root.contains(this.root.getRootNode().activeElement);
    if (another) this.at = null;
    Object.assign(this, { record, key, drawable });
    this.bytes = fromHex(record.bytes);
    this.root.setAttribute("aria-label", `${this.label}: ${spoken(this.bytes, 0, this.bytes.length)}`);
    this.draw();
    if (held) this.root.focus({ preventScroll: true });
  }

  // Nothing is shown.
  clear() {
    Object.assign(this, { record: null, key: null });
    this.root.setAttribute("aria-label", this.label);
    render(null, this.root);
  }

  draw() {
    const before = this.root.querySelector(".roots");
    render(keyed(this.key, this.body), this.root);
    const [steps, roots] = [".steps", ".roots"].map((part) => this.root.querySelector(part));
    if (steps && this.at === null) steps.scrollTop = steps.scrollHeight;
    if (roots && roots !== before) roots.scrollLeft = (roots.scrollWidth - roots.clientWidth) / 2;
  }

  get hasTree() {
    const { start, end } = this.drawable ?? {};
    return Boolean(this.record.birth) && end - start <= TREE_BYTES;
  }

  get hue() {
    const { start, end, hues } = this.drawable ?? {};
    return hues ? hues(start, end) : home(this.bytes);
  }

  get body() {
    const { id, birth, kind } = this.record;
    const unfolds = !this.isBrief && kind !== "none" && (birth || this.all);
    const unfold = () => {
      this.unfolded = !this.unfolded;
      this.draw();
    };
    return html`${this.headOf()}
      <p class="made">${this.sentence}</p>
      <p class="quiet hex-line">Bytes ${this.hex}</p>
      ${
        !this.isBrief &&
        html`<div class="flow acts">${id !== null && this.copying("Copy id", String(id), `Id ${id} copied.`)}${this.copyText()}${
          unfolds &&
          html`<button type="button" aria-expanded=${this.unfolded} @click=${unfold}>${birth ? "All its merges" : "More"}</button>`
        }${this.acts?.()}</div><p class="copied small quiet" role="status"></p>`
      }
      ${this.unfolded && unfolds && html`<div class="all">${this.told}${this.grown}${this.all?.()}</div>`}${this.rest?.()}`;
  }

  headOf() {
    const { id, kind, size } = this.record;
    const big = chip(this.bytes, this.hue, BIG_LETTERS);
    big.className += ` big ${size > LARGE_BYTES ? "lengthy" : ""} ${kind in CUT_FIRST ? "inverse" : ""}`;
    return html`<div class="card-head">${big}<div class="words"><h2>${id === null ? "No id" : `id ${figure(id)}`}</h2>
      <p class="small quiet">${this.place()}</p></div>
      ${!this.isBrief && html`<button type="button" class="away" aria-label="Close" title="Close" @click=${() => this.close()}>×</button>`}</div>`;
  }

  get hex() {
    return hexOf(this.bytes.subarray(0, HEX)).replaceAll("\u00a0", " ") + (this.record.size > HEX ? " …" : "");
  }

  copying(words, text, done) {
    const copy = () => copyText(text, this.status, done);
    return html`<button type="button" @click=${copy}>${words}</button>`;
  }

  get status() {
    return this.root.querySelector(".copied");
  }

  // The bytes of a part of a character are no text.
  copyText() {
    if (this.record.size > this.bytes.length) return false;
    const text = textOfToken(this.bytes);
    return text === null
      ? this.copying("Copy bytes", hexOf(this.bytes).replaceAll("\u00a0", " "), "Bytes copied.")
      : this.copying("Copy text", text, "Text copied.");
  }

  // What the token is made of, and by which merge.
  get sentence() {
    const { birth, kind, merges, peer, written } = this.record;
    const [left, right] = birth ? this.parents() : [];
    if (birth) return html`Made of ${left} + ${right} by ${mergeNumber(birth.rank, merges)}.`;
    const told = {
      byte: "A byte: every vocabulary begins with the 256 bytes.",
      character: "A character: this vocabulary has its characters before any merge.",
      "look-up": `One token, but ${UNMADE}. It occurs only where a chunk is exactly these bytes.`,
      none: `No token: ${UNCOVERED}.`,
      peer: `One token. No merges of a tokenizer like this (${peer}) are known.`,
    };
    const cut = () => `This is ${an(CUT_FIRST[kind])}: it is cut out of a text before any merge.`;
    const bytes = written && fromHex(written);
    return html`${told[kind] ?? cut()}${bytes && html` Its vocabulary has ${chip(bytes, home(bytes), BIG_LETTERS)} for it.`}`;
  }

  parents() {
    const { parents } = this.record.birth;
    const { stretch, start, end, hues } = this.drawable ?? {};
    const middle = stretch ? topSeam(stretch, start, end) : -1;
    const [left, right] =
      middle < 0 ? pairHues(...parents.map(({ bytes }) => fromHex(bytes))) : [hues(start, middle), hues(middle, end)];
    return parents.map((parent, i) => this.button(parent, i ? right : left));
  }

  // Another token, which a press looks at.
  button(token, hue) {
    return tokenButton(token, this.look, (id, bytes) => this.press(id, bytes), hue);
  }

  // The rest in words. What Python says is missing until it is there.
  get told() {
    const { birth, chunk, size, times: often } = this.record;
    const whole = chunk && chunk[1] - chunk[0] === size;
    const covers = whole
      ? "is its whole chunk"
      : chunk && `covers ${figure(size)} of the ${figure(chunk[1] - chunk[0])} bytes of its chunk`;
    const words = [birth?.merges && bornOf(birth), chunk && `It is in this text ${times(often)}. Here it ${covers}.`];
    return html`<p class="told quiet">${words.filter(Boolean).join(" ")}</p>${chunk && signsOf(this.record)}`;
  }

  // The tree, in which what does not exist yet at the step shown is dimmed, and the steps.
  get grown() {
    const { record, drawable, at } = this;
    const { stretch, start, hues } = drawable ?? {};
    const from = record.steps ? record.steps.start - (record.start ?? 0) + start : 0; // in the stretch
    const madeBy = new Map(record.steps?.rows.map(({ ends, next }, i) => [ends[next] + from, i]));
    const tree = () =>
      drawTree(drawable, {
        isMade: (seam) => at === null || !madeBy.has(seam) || madeBy.get(seam) < at,
        press: (id, bytes) => this.press(id, bytes),
      });
    const steps = {
      bytes: stretch?.bytes.subarray(from),
      hues: (first, stop) => hues(from + first, from + stop),
      at,
      go: (to) => {
        this.at = to;
        this.draw();
      },
    };
    return html`${this.hasTree && tree()}${stepperOf(record, steps)}`;
  }
}

function bornOf({ parents, merges, different, ...record }) {
  const [first, second] = parents.map(({ rank }) => (rank === null ? "a byte" : mergeNumber(rank)));
  const made =
    first !== second
      ? `Parents: ${first} and ${second}.`
      : `Both parents are ${first === "a byte" ? "bytes" : `the token of ${first}`}.`;
  const of = different < merges ? `, ${figure(different)} of them different` : "";
  const all = merges > 1 ? ` ${quantity(merges, "merge")} in all make it${of}.` : "";
  return `${made}${all}${record.count === null ? "" : countOf(record)}`;
}

function countOf({ count, replaced, tied }) {
  const joined = replaced < count ? `${figure(replaced)} of them` : count === 1 ? "it" : "all of them";
  const others = tied > 1 ? ` ${figure(tied - 1)} other ${tied > 2 ? "pairs" : "pair"} occurred as often.` : "";
  return ` The pair then occurred in the corpus ${times(count)}, and the merge joined ${joined}.${others}`;
}

// The names of the characters that a look at the token does not show: all but ASCII letters, digits and signs. Each once.
function signsOf({ characters, start, end }) {
  const met = new Set();
  const told = characters.filter(({ text, start: from, end: to }) => {
    if (from < start || to > end) return true;
    if (met.has(text) || !/[^!-~]/.test(text)) return false;
    met.add(text);
    return text !== " " || end - start === 1;
  });
  const part = (from, to) => {
    const [first, last] = [Math.max(from, start) - from + 1, Math.min(to, end) - from];
    return html`<b>, ${first === last ? `byte ${first}` : `bytes ${first} to ${last}`} of ${to - from}</b>`;
  };
  const sign = ({ text, code, name, start: from, end: to }) => {
    const called = (name || INVISIBLE.get(text.codePointAt(0))?.[1] || "").toLowerCase();
    return html`<li>${!UNSEEN.test(text) && html`<span class="sign">${onCircle(text)}</span> `}<span
      class="code">${code}</span> ${called}${(from < start || to > end) && part(from, to)}</li>`;
  };
  return told.length > 0 && html`<ul class="signs" aria-label="Its characters">${told.map(sign)}</ul>`;
}

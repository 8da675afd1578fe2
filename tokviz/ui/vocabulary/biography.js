// The biography of the token that is pinned in the list: how it was born, what became of it, who absorbed it, where it
// stands. Python's answer (tokviz/ui/vocabulary/biography.py) has all of it, but for a family that takes long to find.

import { addressOf, copyText } from "../kit/copy_and_save.js";
import { byTouch, isPageFocused } from "../kit/elements.js";
import { html, keyed, render } from "../kit/html.js";
import { figure, percent, quantity, times, UNMADE } from "../kit/words.js";
import { CUT_FIRST, fromHex } from "../tokenview/encoding.js";
import { pairHues } from "../tokenview/hues.js";
import { chip, hexOf, spoken } from "../tokenview/marks.js";
import { familyOf, firstOf } from "./family.js";
import { MergeTree } from "./merge_tree.js";
import { remains, tokenButton } from "./parts.js";
import { placesOf } from "./places.js";

const BIO_HEX_BYTES = 16; // bytes of a token that its head spells
const BIG_LETTERS = 24; // of a token in its head
const LARGE_BYTES = 10; // a longer token is written smaller there
const UNDER_HEADER = 60; // px at the top of the window that Streamlit's header covers
const IN_SIGHT_PX = 200; // px of the card that are enough to see that it is there
const LABELLED = 0.16; // the least share of the bar that has room for words

const bioCards = new WeakMap(); // host -> the card in it

// Draw the biography into `host`. data: what Python answered. actions: pin(id) shows another token, ask(name, fields) is a
// Promise of the answer, `up` is the words and the press of the button that leads up from a card below the
// list. bring: bring the card into sight, if it stands below the list.
export function drawBiography(host, data, actions, bring = false) {
  if (!bioCards.has(host)) bioCards.set(host, new BiographyCard());
  const card = bioCards.get(host);
  if (!host.contains(card.root)) host.replaceChildren(card.root); // at first, and after an error was shown
  card.show(data, actions, bring);
}

// Close the biography in `host`, which leaves the page.
export function closeBiography(host) {
  bioCards.get(host)?.close();
}

function headOf({ id, kind, size, link }, bytes, [words, up]) {
  const big = chip(bytes, undefined, BIG_LETTERS);
  big.classList.add("big");
  big.classList.toggle("lengthy", size > LARGE_BYTES);
  big.classList.toggle("inverse", kind in CUT_FIRST);
  const named = hexOf(bytes.subarray(0, BIO_HEX_BYTES)).replaceAll("\u00a0", " ");
  const hex = named + (size > BIO_HEX_BYTES ? " …" : "");
  const copy = ({ currentTarget }) => copyText(addressOf(link), currentTarget.nextElementSibling, "Link copied.");
  return html`<div class="bio-head">
    <button type="button" class="bio-button bio-up" @click=${up}>${words}</button>${big}
    <div class="bio-words"><h2>id ${figure(id)}</h2><p class="quiet bio-hex" aria-label="Bytes ${hex}">${hex}</p></div>
    <button type="button" class="bio-button" @click=${copy}>Copy link</button><p class="quiet bio-copied" role="status"></p>
  </div>`;
}

function factsOf({ birth, size, family, peer, kind }) {
  const absorbed = !family ? "…" : family.n ? quantity(family.n, "merge") : "none";
  const facts = [
    ["Merge", birth && figure(birth.rank + 1)],
    ["Bytes", figure(size)],
    ["Absorbed by", !peer && !(kind in CUT_FIRST) && absorbed],
  ];
  const fact = ([term, value]) => value && html`<div><dt class="quiet">${term}</dt><dd>${value}</dd></div>`;
  return html`<dl class="bio-facts">${facts.map(fact)}</dl>`;
}

// Why a token has no birth, in a sentence.
function unbornOf({ kind, peer }) {
  if (kind === "byte") return "A byte has no birth: every vocabulary begins with the 256 bytes.";
  if (kind in CUT_FIRST) return `This ${CUT_FIRST[kind]} is cut out of a text before any merge, so it has no parents.`;
  if (kind === "peer")
    return `tokviz knows no merges of this tokenizer (${peer}), so it cannot say how the token was made.`;
  return `A look-up: ${UNMADE}. It stands only where a chunk is exactly these bytes.`;
}

function bornOf(data, pin) {
  const { birth } = data;
  if (!birth) return html`<p class="bio-born quiet">${unbornOf(data)}</p>`;
  const hues = pairHues(...birth.parents.map((parent) => fromHex(parent.bytes)));
  const [left, right] = birth.parents.map((parent, i) => tokenButton(parent, pin, hues[i]));
  const [first, second] = birth.parents.map(({ rank }) => (rank === null ? "a byte" : `merge ${figure(rank + 1)}`));
  const parents =
    first !== second
      ? `Parents: ${first} and ${second}.`
      : `Both parents are ${first === "a byte" ? "bytes" : `the token of ${first}`}.`;
  const { merges, different } = birth;
  const of = different < merges ? `, ${figure(different)} of them different` : "";
  const made = merges > 1 ? ` ${quantity(merges, "merge")} in all make it${of}.` : "";
  return html`<div class="bio-born"><p><b>Born of </b>${left} + ${right}</p><p
    class="quiet">${parents}${made}${birth.count === null ? "" : countOf(birth)}</p></div>`;
}

function countOf({ count, replaced, tied }) {
  const joined = replaced < count ? `${figure(replaced)} of them` : count === 1 ? "it" : "all of them";
  const others = tied > 1 ? ` ${figure(tied - 1)} other ${tied > 2 ? "pairs" : "pair"} stood as often.` : "";
  return ` The pair then stood in the corpus ${times(count)}, and the merge joined ${joined}.${others}`;
}

// The figures of a token in a text, as the heading of its bar. kind: what it is; not all tokens are made by merges.
function fateInWords({ made, remain }, kind) {
  if (!["merge", "byte"].includes(kind)) return made ? `Found ${times(made)}` : "Not found";
  if (!made) return "Never made";
  if (remain === made) return `Made ${times(made)}, and ${made === 1 ? "it remains" : "all remain"}`;
  return `Made ${times(made)}, ${remain ? remains(remain) : "always absorbed"}`;
}

// Screen readers skip the bar, because the heading has the same figures.
const fateBar = ({ made, remain }) =>
  html`<div class="bio-bar" aria-hidden="true">${[
    ["remains", remain, remains(remain)],
    ["absorbed", made - remain, `${figure(made - remain)} absorbed`],
  ].map(([name, count, words]) => {
    const share = count / made;
    const label = share >= 2 * LABELLED ? html`<span>${words}</span>` : share >= LABELLED / 2 && figure(count);
    return count > 0 && html`<span class=${name} style="flex-grow:${share}">${label}</span>`;
  })}</div>`;

function fateOf(data, pin) {
  const { fate, kind, own, fault, where, n_bytes: size, unpublished } = data;
  if (!fate) return html`<section class="bio-group"><h3>Not counted</h3><p class="quiet">${fault}</p></section>`;
  const { made, remain, absorbers, n_absorbers: all } = fate;
  const absorbed = made - remain;
  const unnamed = absorbers.reduce((rest, { took }) => rest - took, absorbed);
  const others = all - absorbers.length;
  const counted = own && `${fateInWords(own, kind)} in your text of ${quantity(own.n_bytes, "byte")}.`;
  return html`<section class="bio-group"><h3>${fateInWords(fate, kind)}</h3>
    ${made > 0 && ["merge", "byte"].includes(kind) && fateBar(fate)}
    <p class="bio-told">${absorbers.map((one, i) => [i > 0 && ", ", tokenButton(one, pin), ` took ${figure(one.took)}`])}${
      others > 0 && ` and ${quantity(others, "other token")} took ${figure(unnamed)}`
    }${absorbed > 0 && ". "}${absorbed > 0 && remain > 0 && `${percent(remain / made)} survive. `}${
      made > 0 && !remain && "It remains nowhere: here it is only a step to longer tokens. "
    }<span class="quiet">In ${where}, ${quantity(size, "byte")}. ${unpublished}</span></p>
    ${counted && html`<p class="quiet bio-told">${counted}</p>`}
  </section>`;
}

const keysOf = ({ birth, family }) =>
  html`<p class="keys quiet">${
    !byTouch() && [
      birth && html`<span><kbd>B</kbd> left parent</span><span><kbd>Shift B</kbd> right parent</span>`,
      family?.n > 0 && html`<span><kbd>F</kbd> first token that absorbed it</span>`,
    ]
  }</p>`;

// The card: it asks for what Python did not know at once, and hears the keys.
class BiographyCard {
  constructor() {
    this.root = document.createElement("section");
    this.root.className = "bio";
    this.root.tabIndex = -1;
    this.within = false; // was a token in this card pinned, so that its biography is asked for?
    this.hear = (event) => this.key(event);
  }

  show(data, actions, bring) {
    const held = this.root.contains(this.root.getRootNode().activeElement) && this.data.id !== data.id;
    this.tree?.close();
    Object.assign(this, { data, actions, fault: null, tree: null });
    this.family = data.family && firstOf(data.family);
    this.places = data.places;
    document.addEventListener("keydown", this.hear);
    this.bytes = fromHex(data.bytes);
    if (data.tree && data.birth) this.tree = new MergeTree(data, (id) => this.pin(id));
    this.root.ariaLabel = `Biography of ${spoken(this.bytes, 0, this.bytes.length)}`;
    this.draw();
    if (held) this.root.focus({ preventScroll: true });
    const below = this.root.parentElement.previousElementSibling?.getBoundingClientRect().bottom;
    const { top } = this.root.getBoundingClientRect();
    if ((this.within || (bring && top >= below)) && (top < UNDER_HEADER || top > innerHeight - IN_SIGHT_PX))
      this.root.scrollIntoView({ block: "start" });
    this.within = false;
    if (!data.family) this.relate(data);
  }

  // Another token is drawn from the start: what was said of the one before goes.
  draw() {
    const { data, bytes, tree, places, family: shown, fault, actions } = this;
    const pin = (id) => this.pin(id);
    const more = () => this.more("family", shown, {});
    const turns = {
      turn: (remaining) => this.turn(remaining),
      more: () => this.more("places", places.rows, { remaining: places.remaining }),
    };
    const card = html`${headOf(data, bytes, actions.up)}${factsOf(data)}${bornOf(data, pin)}${fateOf(data, pin)}
      ${tree && html`<section class="bio-group"><h3>Its merge tree</h3>${tree.body}</section>`}
      ${!data.peer && !(data.kind in CUT_FIRST) && familyOf(data, { shown, fault, pin, more })}
      ${data.fate?.made > 0 && placesOf(data, places, turns)}${keysOf(data)}`;
    render(keyed(data.id, card), this.root);
  }

  close() {
    this.tree?.close();
    document.removeEventListener("keydown", this.hear);
  }

  // The family of a reference tokenizer is found out once, which takes a second or two.
  async relate(data) {
    const asked = this.actions.ask("family", { id: data.id, first: 0 });
    const found = await asked.catch(({ message: fault }) => ({ fault }));
    if (!found.fault) data.family = found;
    if (this.data !== data) return; // another token was pinned meanwhile
    this.fault = found.fault;
    this.family = data.family && firstOf(data.family);
    this.draw();
  }

  async turn(remaining) {
    const { data, places } = this;
    const asked = this.actions.ask("places", { id: data.id, remaining, first: 0 });
    const found = await asked.catch(({ message: fault }) => ({ ...places, fault }));
    if (this.data !== data) return;
    this.places = found;
    this.draw();
  }

  // More rows of the family or of the places, which come after those shown. The first of them gets the focus.
  async more(name, shown, fields) {
    const { data } = this;
    const first = shown.length;
    const { children, rows } = await this.actions.ask(name, { id: data.id, ...fields, first });
    if (this.data !== data) return;
    shown.push(...(children ?? rows));
    this.draw();
    this.root.querySelector(`.bio-${name}`).children[first]?.querySelector("a, button")?.focus({ preventScroll: true });
  }

  key(event) {
    if (!this.root.isConnected) return; // an error is shown in its place
    const path = event.composedPath();
    const from = path[0];
    const inside = path.includes(this.root.closest(".tokviz"));
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !(inside || isPageFocused()))
      return;
    if (from.matches?.("input, textarea, select, [contenteditable]")) return;
    const letter = event.key.toLowerCase();
    const to =
      letter === "b"
        ? this.data.birth?.parents[event.shiftKey ? 1 : 0]
        : letter === "f"
          ? this.data.family?.children[0]
          : null;
    if (!to) return;
    event.preventDefault();
    this.pin(to.id);
  }

  pin(id) {
    this.within = true;
    this.actions.pin(id);
  }
}

// The biography of the token that is pinned in the list: how it was born, what became of it, who absorbed it, where it
// stands. Python's answer (tokviz/ui/vocabulary/biography.py) has all of it, but for a family that takes long to find.

import { addressOf, copyText } from "../../kit/copy_and_save.js";
import { asStatus, byTouch, isPageFocused, make, makeButton } from "../../kit/elements.js";
import { figure, percent, quantity, times, UNMADE } from "../../kit/words.js";
import { CUT_FIRST, fromHex } from "../encoding.js";
import { pairHues } from "../hues.js";
import { chip, hexOf, spoken } from "../token_view/marks.js";
import { Family } from "./family.js";
import { MergeTree } from "./merge_tree.js";
import { bioGroup, tokenButton } from "./parts.js";
import { Places } from "./places.js";

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

// The parts of the card that depend on nothing but the data.

function bioHead(data, bytes, up) {
  const head = make("div", "bio-head");
  head.append(makeButton("bio-button bio-up", ...up));
  const big = chip(bytes, undefined, BIG_LETTERS);
  big.classList.add("big");
  if (data.size > LARGE_BYTES) big.classList.add("lengthy");
  if (data.kind in CUT_FIRST) big.classList.add("inverse");
  const words = make("div", "bio-words");
  const hex = make("p", "quiet bio-hex");
  hex.textContent =
    hexOf(bytes.subarray(0, BIO_HEX_BYTES)).replaceAll("\u00a0", " ") + (data.size > BIO_HEX_BYTES ? " …" : "");
  hex.setAttribute("aria-label", `Bytes ${hex.textContent}`);
  words.append(make("h2", "", `id ${figure(data.id)}`), hex);
  const copied = asStatus(make("p", "quiet bio-copied"));
  const copy = makeButton("bio-button", "Copy link", () => copyText(addressOf(data.link), copied, "Link copied."));
  head.append(big, words, copy, copied);
  return head;
}

function bioFacts({ birth, size, family, peer, kind }) {
  const list = make("dl", "bio-facts");
  const add = (term, value) => {
    const pair = list.appendChild(make("div"));
    pair.append(make("dt", "quiet", term), make("dd", "", value));
  };
  if (birth) add("Merge", figure(birth.rank + 1));
  add("Bytes", figure(size));
  if (!peer && !(kind in CUT_FIRST))
    add("Absorbed by", !family ? "…" : family.n ? quantity(family.n, "merge") : "none");
  return list;
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
  if (!birth) return make("p", "bio-born quiet", unbornOf(data));
  const part = make("div", "bio-born");
  const line = part.appendChild(make("p"));
  const tokens = birth.parents.map((parent) => fromHex(parent.bytes));
  const hues = pairHues(...tokens);
  line.append(make("b", "", "Born of "), tokenButton(birth.parents[0], pin, hues[0]), " + ");
  line.append(tokenButton(birth.parents[1], pin, hues[1]));
  const [first, second] = birth.parents.map(({ rank }) => (rank === null ? "a byte" : `merge ${figure(rank + 1)}`));
  const parents =
    first !== second
      ? `Parents: ${first} and ${second}.`
      : `Both parents are ${first === "a byte" ? "bytes" : `the token of ${first}`}.`;
  const { merges, different } = birth;
  const of = different < merges ? `, ${figure(different)} of them different` : "";
  const made = merges > 1 ? ` ${quantity(merges, "merge")} in all make it${of}.` : "";
  const told = part.appendChild(make("p", "quiet", `${parents}${made}`));
  if (birth.count !== null) {
    const joined =
      birth.replaced < birth.count ? `${figure(birth.replaced)} of them` : birth.count === 1 ? "it" : "all of them";
    const tied =
      birth.tied > 1 ? ` ${figure(birth.tied - 1)} other ${birth.tied > 2 ? "pairs" : "pair"} stood as often.` : "";
    told.append(` The pair then stood in the corpus ${times(birth.count)}, and the merge joined ${joined}.${tied}`);
  }
  return part;
}

// The figures of a token in a text, as the heading of its bar. kind: what it is; not all tokens are made by merges.
function fateInWords({ made, remain }, kind) {
  if (!["merge", "byte"].includes(kind)) return made ? `Found ${times(made)}` : "Not found";
  if (!made) return "Never made";
  if (remain === made) return `Made ${times(made)}, and ${made === 1 ? "it remains" : "all remain"}`;
  return `Made ${times(made)}, ${remain ? `${figure(remain)} ${remain === 1 ? "remains" : "remain"}` : "always absorbed"}`;
}

function fateBar({ made, remain }) {
  const bar = make("div", "bio-bar");
  bar.setAttribute("aria-hidden", "true"); // the heading has the same figures
  for (const [name, count, words] of [
    ["remains", remain, `${figure(remain)} ${remain === 1 ? "remains" : "remain"}`],
    ["absorbed", made - remain, `${figure(made - remain)} absorbed`],
  ]) {
    if (!count) continue;
    const part = bar.appendChild(make("span", name));
    part.style.flexGrow = count / made;
    const room = count / made;
    if (room >= 2 * LABELLED) part.append(make("span", "", words));
    else if (room >= LABELLED / 2) part.append(make("span", "", figure(count)));
  }
  return bar;
}

function fateOf(data, pin) {
  const { fate, where, n_bytes: size } = data;
  const part = bioGroup(fate ? fateInWords(fate, data.kind) : "Not counted");
  if (!fate) {
    part.append(make("p", "quiet", data.fault));
    return part;
  }
  if (fate.made && ["merge", "byte"].includes(data.kind)) part.append(fateBar(fate));
  const told = part.appendChild(make("p", "bio-told"));
  const absorbed = fate.made - fate.remain;
  let named = 0;
  for (const [i, one] of fate.absorbers.entries()) {
    told.append(i ? ", " : "", tokenButton(one, pin), ` took ${figure(one.took)}`);
    named += one.took;
  }
  const others = fate.n_absorbers - fate.absorbers.length;
  if (others) told.append(` and ${quantity(others, "other token")} took ${figure(absorbed - named)}`);
  if (absorbed) told.append(". ");
  if (absorbed && fate.remain) told.append(`${percent(fate.remain / fate.made)} survive. `);
  if (fate.made && !fate.remain) told.append("It remains nowhere: here it is only a step to longer tokens. ");
  told.append(make("span", "quiet", `In ${where}, ${quantity(size, "byte")}. ${data.unpublished}`));
  if (data.own) {
    const own = fateInWords(data.own, data.kind);
    const line = `${own} in your text of ${quantity(data.own.n_bytes, "byte")}.`;
    part.append(make("p", "quiet bio-told", line));
  }
  return part;
}

// The card: it asks for what Python did not know at once, and hears the keys.
class BiographyCard {
  constructor() {
    this.root = make("section", "bio");
    this.root.tabIndex = -1;
    this.within = false; // was a token in this card pinned, so that its biography is asked for?
    this.hear = (event) => this.key(event);
  }

  show(data, actions, bring) {
    Object.assign(this, { data, actions });
    document.addEventListener("keydown", this.hear);
    const pin = (id) => this.pin(id);
    const bytes = fromHex(data.bytes);
    const held = this.root.contains(this.root.getRootNode().activeElement) && this.id !== data.id;
    this.id = data.id;
    this.tree?.close();
    this.tree = data.tree && data.birth ? new MergeTree(data, pin) : null;
    this.family = new Family(data, { pin, ask: actions.ask });
    this.facts = bioFacts(data);
    this.root.setAttribute("aria-label", `Biography of ${spoken(bytes, 0, bytes.length)}`);
    this.root.replaceChildren(bioHead(data, bytes, actions.up), this.facts, bornOf(data, pin), fateOf(data, pin));
    if (this.tree) this.root.append(this.tree.root);
    if (!data.peer && !(data.kind in CUT_FIRST)) this.root.append(this.family.root);
    if (data.fate?.made) this.root.append(new Places(data, actions).root);
    this.keys = this.root.appendChild(make("p", "keys quiet"));
    this.sayKeys();
    if (held) this.root.focus({ preventScroll: true });
    const below = this.root.parentElement.previousElementSibling?.getBoundingClientRect().bottom;
    const { top } = this.root.getBoundingClientRect();
    if ((this.within || (bring && top >= below)) && (top < UNDER_HEADER || top > innerHeight - IN_SIGHT_PX))
      this.root.scrollIntoView({ block: "start" });
    this.within = false;
    if (!data.family) this.relate(data);
  }

  close() {
    this.tree?.close();
    document.removeEventListener("keydown", this.hear);
  }

  sayKeys() {
    const say = (key, words) => {
      const part = this.keys.appendChild(make("span"));
      part.append(make("kbd", "", key), ` ${words}`);
    };
    this.keys.replaceChildren();
    if (byTouch()) return;
    if (this.data.birth) {
      say("B", "left parent");
      say("Shift B", "right parent");
    }
    if (this.data.family?.n) say("F", "first token that absorbed it");
  }

  // The family of a reference tokenizer is found out once, which takes a second or two.
  async relate(data) {
    try {
      data.family = await this.actions.ask("family", { id: data.id, first: 0 });
    } catch (error) {
      if (this.data === data) this.family.say(error.message);
      return;
    }
    if (this.data !== data) return; // another token was pinned meanwhile
    const facts = bioFacts(data);
    this.facts.replaceWith(facts);
    this.facts = facts;
    this.family.draw();
    this.sayKeys();
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

// The card of a token on the Vocabulary page. Below what every card says are what became of the token, the tokens that
// absorbed it, and its places. Python's answer (token_card.py) has all of it, but for a family that takes long to find.

import { addressOf } from "../kit/copy_and_save.js";
import { html } from "../kit/html.js";
import { figure, percent, quantity, times } from "../kit/words.js";
import { TokenCard } from "../tokenview/card.js";
import { familyOf, remains } from "../tokenview/card_parts.js";
import { CUT_FIRST, read } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip } from "../tokenview/marks.js";
import { huesOf } from "../tokenview/tree.js";
import { placesOf } from "./places.js";

const MADE = ["merge", "byte", "character"]; // by merges, or there before them
const LABELLED = 0.32; // the least share of the bar that has room for words

export class VocabularyCard extends TokenCard {
  // list: the TokenList beside it, which asks, pins another token, and closes the card.
  constructor(list) {
    super("Card of", "show its card");
    this.list = list;
  }

  // Show Python's answer.
  show(record) {
    const encoding = record.tree && read(record.tree);
    const hues = encoding && huesOf(encoding, (start, end) => home(encoding.bytes, start, end));
    this.take(record, record.id, encoding && { stretch: encoding, start: 0, end: encoding.n, hues });
    this.root.parentElement.scrollTop = 0;
    if (!record.family) this.renew("family", {}); // of a reference tokenizer it is found out once, in a second or two
  }

  close() {
    this.list.leave();
  }

  press(id) {
    this.list.pin(id);
  }

  place() {
    return quantity(this.record.size, "byte");
  }

  acts() {
    return this.copying("Copy link", addressOf(this.record.link), "Link copied.");
  }

  rest() {
    const { fate, kind, peer, family } = this.record;
    const known = {
      shown: family?.children,
      fault: family?.fault,
      button: (token) => this.button(token),
      above: html`<div class="kin">${chip(this.bytes)}${fate && html`<span class="fact quiet">${remains(fate.remain)}</span>`}</div>`,
      more: () => this.more("family", "children", {}),
    };
    const acts = {
      turn: (remaining) => this.renew("places", { remaining }),
      more: () => this.more("places", "rows", { remaining: this.record.places.remaining }),
    };
    return html`${this.counted}${
      !peer && !(kind in CUT_FIRST) && familyOf(family?.children && family, known)
    }${fate?.made > 0 && placesOf(this.record, acts)}`;
  }

  get counted() {
    const { fate, kind, fault, where, n_bytes: size, unpublished } = this.record;
    if (!fate) return html`<section class="group"><h3>Not counted</h3><p class="quiet">${fault}</p></section>`;
    const { made, remain, absorbers, n_absorbers: all } = fate;
    const absorbed = made - remain;
    const unnamed = absorbers.reduce((rest, { took }) => rest - took, absorbed);
    const others = all - absorbers.length;
    return html`<section class="group"><h3>${fateInWords(fate, kind)}</h3>
      ${made > 0 && MADE.includes(kind) && fateBar(fate)}
      <p class="told">${absorbers.map((one, i) => [i > 0 && ", ", this.button(one), ` took ${figure(one.took)}`])}${
        others > 0 && ` and ${quantity(others, "other token")} took ${figure(unnamed)}`
      }${absorbed > 0 && ". "}${absorbed > 0 && remain > 0 && `${percent(remain / made)} survive. `}${
        made > 0 && !remain && "It remains nowhere: here it is only a step to longer tokens. "
      }<span class="quiet">In ${where}, ${quantity(size, "byte")}. ${unpublished}</span></p>
    </section>`;
  }

  // Ask for the family or the places anew. What is shown stays if that fails, with the reason.
  async renew(name, fields) {
    const { record } = this;
    const asked = this.list.ask(name, { id: record.id, ...fields, first: 0 });
    record[name] = await asked.catch(({ message: fault }) => ({ ...record[name], fault }));
    if (this.record === record) this.draw(); // no other token was pinned meanwhile
  }

  // More rows of the family or of the places, which come after those shown. The first of them gets the focus.
  async more(name, rows, fields) {
    const shown = this.record[name];
    const first = shown[rows].length;
    const found = await this.list.ask(name, { id: this.record.id, ...fields, first });
    if (this.record[name] !== shown) return; // others are shown now
    shown[rows].push(...found[rows]);
    this.draw();
    this.root.querySelector(`.${name}`).children[first]?.querySelector("a, button")?.focus({ preventScroll: true });
  }
}

// The figures of a token in a text, as the heading of its bar. kind: what it is; not all tokens are made by merges.
function fateInWords({ made, remain }, kind) {
  if (!MADE.includes(kind)) return made ? `Found ${times(made)}` : "Not found";
  if (!made) return kind === "merge" ? "Never made" : "Not found";
  if (remain === made) return `Made ${times(made)}, and ${made === 1 ? "still there at the end" : "all remain"}`;
  return `Made ${times(made)}, ${remain ? remains(remain) : "always absorbed"}`;
}

// Screen readers skip the bar, because the heading has the same figures.
const fateBar = ({ made, remain }) => {
  const part = (name, count, words) =>
    count > 0 &&
    html`<span class=${name} style="flex-grow:${count / made}">${count / made >= LABELLED && html`<span>${words}</span>`}</span>`;
  const absorbed = made - remain;
  return html`<div class="fate" aria-hidden="true">${part("remains", remain, remains(remain))}${part(
    "absorbed",
    absorbed,
    `${figure(absorbed)} absorbed`,
  )}</div>`;
};

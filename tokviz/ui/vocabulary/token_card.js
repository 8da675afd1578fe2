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

const LABELLED = 0.16; // the least share of the bar that has room for words

export class VocabularyCard extends TokenCard {
  // close() is called by × and Esc, pin(id) shows another token, ask(name, fields) is a Promise of the answer.
  constructor({ close, pin, ask }) {
    super("Card of", "show its card");
    Object.assign(this, { close, pin, ask });
  }

  // Show Python's answer.
  show(record) {
    this.fault = null;
    this.family = record.family?.children;
    this.places = record.places;
    const encoding = record.tree && read(record.tree);
    const hues = encoding && huesOf(encoding, (start, end) => home(encoding.bytes, start, end));
    this.take(record, record.id, encoding && { stretch: encoding, start: 0, end: encoding.n, hues });
    this.root.parentElement.scrollTop = 0;
    if (!record.family) this.relate(record);
  }

  press(id) {
    this.pin(id);
  }

  place() {
    return quantity(this.record.size, "byte");
  }

  acts() {
    return this.copying("Copy link", addressOf(this.record.link), "Link copied.");
  }

  rest() {
    const { record, places, fault, family: shown } = this;
    const { fate, kind, peer, family } = record;
    const more = () => this.more("family", shown, {});
    const turns = {
      turn: (remaining) => this.turn(remaining),
      more: () => this.more("places", places.rows, { remaining: places.remaining }),
    };
    const above = html`<div class="kin">${chip(this.bytes)}${fate && html`<span class="fact quiet">${remains(fate.remain)}</span>`}</div>`;
    const button = (token) => this.button(token);
    return html`${this.fate}${
      !peer && !(kind in CUT_FIRST) && familyOf(family, { shown, fault, button, above, more })
    }${fate?.made > 0 && placesOf(record, places, turns)}`;
  }

  get fate() {
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

  // The family of a reference tokenizer is found out once, which takes a second or two.
  async relate(record) {
    const found = await this.ask("family", { id: record.id, first: 0 }).catch(({ message: fault }) => ({ fault }));
    if (!found.fault) record.family = found;
    if (this.record !== record) return; // another token was pinned meanwhile
    this.fault = found.fault;
    this.family = record.family?.children;
    this.draw();
  }

  async turn(remaining) {
    const { record, places } = this;
    const asked = this.ask("places", { id: record.id, remaining, first: 0 });
    const found = await asked.catch(({ message: fault }) => ({ ...places, fault }));
    if (this.record !== record) return;
    this.places = found;
    this.draw();
  }

  // More rows of the family or of the places, which come after those shown. The first of them gets the focus.
  async more(name, shown, fields) {
    const { record } = this;
    const first = shown.length;
    const { children, rows } = await this.ask(name, { id: record.id, ...fields, first });
    if (this.record !== record || ![this.family, this.places?.rows].includes(shown)) return; // others are shown now
    shown.push(...(children ?? rows));
    this.draw();
    this.root.querySelector(`.${name}`).children[first]?.querySelector("a, button")?.focus({ preventScroll: true });
  }
}

const MADE = ["merge", "byte", "character"]; // by merges, or there before them

// The figures of a token in a text, as the heading of its bar. kind: what it is; not all tokens are made by merges.
function fateInWords({ made, remain }, kind) {
  if (!MADE.includes(kind)) return made ? `Found ${times(made)}` : "Not found";
  if (!made) return "Never made";
  if (remain === made) return `Made ${times(made)}, and ${made === 1 ? "still there at the end" : "all remain"}`;
  return `Made ${times(made)}, ${remain ? remains(remain) : "always absorbed"}`;
}

// Screen readers skip the bar, because the heading has the same figures.
const fateBar = ({ made, remain }) =>
  html`<div class="fate" aria-hidden="true">${[
    ["remains", remain, remains(remain)],
    ["absorbed", made - remain, `${figure(made - remain)} absorbed`],
  ].map(([name, count, words]) => {
    const share = count / made;
    const label = share >= 2 * LABELLED ? html`<span>${words}</span>` : share >= LABELLED / 2 && figure(count);
    return count > 0 && html`<span class=${name} style="flex-grow:${share}">${label}</span>`;
  })}</div>`;

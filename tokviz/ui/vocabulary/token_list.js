// The list of the tokens of a tokenizer, and the card of one of them beside it.
//
// data = {of, name, choice, token, counted, uses, use}: the key and the name of the tokenizer, which of its tokens are
// listed, the id of the pinned token (null: none), what changes when use is counted anew, and what it can be counted in,
// [[value, words]], with the value of that. The browser has the choice from then on, and the server hears of it by the
// questions that it answers (tokviz/ui/vocabulary/questions.py).

import { Asker } from "../kit/ask.js";
import { select } from "../kit/choices.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, byTouch, make, mount } from "../kit/elements.js";
import { keepsText, keptText } from "../kit/field.js";
import { html, render } from "../kit/html.js";
import { keysOfPage } from "../kit/keys.js";
import { showWhole } from "../tokenview/whole.js";
import { TokenRows } from "./rows.js";
import { tools } from "./search.js";
import { VocabularyCard } from "./token_card.js";

const PATIENCE = 500; // ms without an answer, after which the page says what takes so long
const REST = 300; // ms without another search, after which the card of its first token is shown
const CLOSED = { token: null, shown: undefined, asks: false, beside: null }; // until another token is chosen, or searched for
const COLUMNS = [
  ["token", "Token"],
  ["id", "Id"],
  ["bytes", "Bytes"],
];

// Its state is the choice, the pinned `token`, the one that is `shown` (null: not chosen yet, undefined: none), what the
// server `told` of the list and the `fault` of the search, what is unfolded (`filtering`, `charting`), and what is
// `beside` the list.
class TokenList {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz vocabulary"));
    this.status = asStatus(make("p", "status quiet"));
    this.asker = new Asker(this.status, "The list stays as it is.", () => this.tell?.("renew", Date.now()));
    this.rows = new TokenRows({
      fetch: (start, count) => this.ask("rows", { start, count, choice: this.drawn }),
      pin: (id) => this.pin(id),
      leave: () => this.clear(),
    });
    this.card = new VocabularyCard(this);
    this.narrow = matchMedia("(max-width: 999px)");
    this.narrow.onchange = () => this.draw();
    this.stopShowing = showWhole(this.root);
    this.stopKeeping = keepsText("search", () => ({ search: this.choice.search }));
    this.slash = keysOfPage(this.root, { "/": () => this.field.focus() });
    document.addEventListener("keydown", this.slash);
  }

  close() {
    clearTimeout(this.timer);
    this.narrow.onchange = null;
    this.asker.close();
    this.rows.close();
    this.stopShowing();
    this.stopKeeping();
    document.removeEventListener("keydown", this.slash);
    this.root.remove();
  }

  update(data, tell) {
    const before = this.data;
    const another = before?.of !== data.of;
    Object.assign(this, { data, tell });
    if (another) {
      this.asker.forget();
      const search = (before ? null : keptText("search"))?.search ?? data.choice.search;
      Object.assign(this, { choice: { ...data.choice, search }, token: data.token, fresh: true, asks: false });
      if (this.narrow.matches) this.beside = null; // nobody has chosen a token of this one yet
    }
    this.rows.title([...COLUMNS, ["use", this.uses()]]);
    this.draw();
    if (!before && !byTouch()) this.field.focus({ preventScroll: true });
    if (!another && before.counted === data.counted) return;
    this.shown = null; // a card tells of the text
    this.list();
  }

  set(fields) {
    Object.assign(this, fields);
    this.draw();
  }

  draw() {
    render(
      html`<div class="halves"><div class="left"><div class="tools">${tools(this)}</div>${this.status}${this.rows.root}</div>
        <aside class="life sheet" aria-label="The token" aria-busy=${this.asks}>${this.beside}</aside></div>`,
      this.root,
    );
  }

  // The choice of what use is counted in.
  uses() {
    const { uses: options, use: value } = this.data;
    const choose = (place) => this.tell("use", place);
    return select({ label: "Use is counted in", options, value, choose, prefix: "In " });
  }

  get field() {
    return this.root.querySelector("input");
  }

  // A question about this tokenizer. After another one is shown, it has no answer.
  ask(name, fields) {
    return this.asker.ask(`vocabulary.${name}`, { of: this.data.of, ...fields });
  }

  after(ms, act) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, ms);
  }

  change(fields) {
    this.pins = false;
    this.set({ choice: { ...this.choice, ...fields }, ...(this.narrow.matches && CLOSED) }); // the sheet would hide the list
    this.list();
  }

  clear() {
    this.change({ search: "" });
    this.field.focus();
  }

  // From the search to the rows. pins: the first of them is pinned, once the answer is there.
  down(pins) {
    this.rows.box.focus();
    this.pins = pins && this.drawn !== this.choice;
    if (pins && !this.pins) this.rows.choose();
  }

  list() {
    const { choice, token } = this;
    this.after(PATIENCE, () => {
      this.status.textContent = "The tokens are being searched, and counted in the text.";
    });
    this.ask("list", { choice, token }).then(
      (told) => this.listed(choice, told),
      ({ message: fault }) => {
        clearTimeout(this.timer);
        this.status.textContent = "";
        this.set({ fault });
      },
    );
  }

  listed(choice, told) {
    clearTimeout(this.timer);
    this.status.textContent = told.fault;
    this.drawn = told.wrong ? { ...choice, search: "" } : choice;
    this.set({ told, fault: told.wrong });
    this.rows.list(told, this.fresh ? told.at : null);
    this.rows.show(this.token ?? this.shown);
    this.fresh = false;
    if (this.pins && !told.wrong) this.rows.choose();
    this.pins = false;
    // On a narrow window the card is a sheet over the list: only for a token that somebody chose.
    const first = this.narrow.matches ? undefined : told.rows.ids[0];
    if (this.shown === null) this.look(this.token ?? first);
    else this.after(REST, () => this.token === null && !this.narrow.matches && this.look(first));
  }

  // Pin a token, and show its card.
  pin(id) {
    this.token = id;
    this.open(id, true);
  }

  // Show the card of a token that nobody has pinned: the first of the list.
  look(id) {
    if (id !== undefined && id !== this.shown) this.open(id, false);
  }

  async open(id, pinned) {
    this.set({ shown: id, asks: true });
    this.rows.show(id);
    const said = await this.ask("card", { id, pinned }).catch((error) => error);
    if (id !== this.shown) return; // another token is asked for by now
    const failed = said instanceof Error;
    this.set({ asks: false, beside: failed ? html`<p class="quiet">${said.message}</p>` : this.card.root });
    if (!failed) this.card.show(said);
  }

  // Close the card, and go back to the list, where it was left.
  leave() {
    clearTimeout(this.timer); // the card of the first row is not shown any more
    this.set(CLOSED);
    this.rows.show(null);
    this.rows.root.scrollIntoView({ block: "nearest" });
    this.rows.box.focus({ preventScroll: true });
  }

  csv() {
    this.ask("csv", { choice: this.choice }).then(
      ({ csv }) => saveFile(`tokviz-tokens-${this.data.name}.csv`, "text/csv", csv),
      this.asker.tell,
    );
  }

  copyLink(status) {
    return this.ask("link", { choice: this.choice, token: this.token }).then(
      ({ query }) => copyText(addressOf(query), status, "The link is copied."),
      this.asker.tell,
    );
  }
}

export default function (page) {
  return mount(TokenList, page, (list) => list.update(page.data, page.setTriggerValue));
}

// The list of the tokens of a tokenizer, and the card of one of them beside it.
//
// data = {of, name, choice, token, counted, uses, use}: the key and the name of the tokenizer, which of its tokens are
// listed, the id of the pinned token (null: none), what changes when use is counted anew, and what it can be counted in,
// [[value, words]], with the value of that. The browser has the choice from then on, and the server hears of it by the
// questions that it answers (tokviz/ui/vocabulary/questions.py).

import { Asker } from "../kit/ask.js";
import { select } from "../kit/choices.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, byTouch, isPageFocused, make, mount } from "../kit/elements.js";
import { showWhole } from "../tokenview/whole.js";
import { TokenRows } from "./rows.js";
import { Tools } from "./search.js";
import { VocabularyCard } from "./token_card.js";

const PATIENCE = 500; // ms without an answer, after which the page says what takes so long
const REST = 300; // ms without another search, after which the card of its first token is shown

class TokenList {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz vocabulary"));
    this.status = asStatus(make("p", "status quiet"));
    this.tools = new Tools({
      change: (fields) => this.change(fields),
      down: (pin) => {
        this.rows.rows.box.focus();
        this.pins = pin && this.drawn !== this.choice; // once the answer is there
        if (pin && !this.pins) this.rows.choose();
      },
      csv: () => this.csv(),
      copyLink: (status) => this.copyLink(status),
      use: () => this.uses(),
      status: this.status,
    });
    this.rows = new TokenRows({
      fetch: (block, start, count) => this.fetch(block, start, count),
      pin: (id) => this.pin(id),
      leave: () => this.tools.clear(),
    });
    this.aside = make("aside", "life sheet");
    this.aside.setAttribute("aria-label", "The token");
    this.card = new VocabularyCard({
      close: () => this.leave(),
      pin: (id) => this.pin(id),
      ask: (name, fields) => this.ask(name, fields),
    });
    const left = make("div", "left");
    left.append(this.tools.root, this.status, this.rows.root);
    const halves = make("div", "halves");
    halves.append(left, this.aside);
    this.root.append(halves);
    this.stopShowing = showWhole(this.root);
    this.slash = (event) => {
      const typing = this.root.getRootNode().activeElement?.matches?.("input, select");
      if (event.key !== "/" || typing || !(isPageFocused() || this.root.getRootNode().activeElement)) return;
      event.preventDefault();
      this.tools.field.focus();
    };
    document.addEventListener("keydown", this.slash);
    this.asker = new Asker(this.status, "The list stays as it is.", () => this.tell?.("renew", Date.now()));
  }

  close() {
    clearTimeout(this.waiting);
    clearTimeout(this.looking);
    this.asker.close();
    this.tools.close();
    this.rows.close();
    this.stopShowing();
    document.removeEventListener("keydown", this.slash);
    this.root.remove();
  }

  update(data, tell) {
    const before = this.data;
    this.data = data;
    this.tell = tell;
    const another = before?.of !== data.of;
    if (another) {
      this.asker.forget();
      Object.assign(this, { choice: data.choice, token: data.token, shown: null, fresh: true });
      this.tools.show({ choice: this.choice });
    }
    this.rows.title(this.uses());
    if (!before && !byTouch()) this.tools.field.focus({ preventScroll: true });
    if (!another && before.counted === data.counted) return;
    this.shown = null; // a card tells of the text
    this.list();
  }

  // The choice of what use is counted in.
  uses() {
    const { uses: options, use: value } = this.data;
    const choose = (place) => this.tell("use", place);
    return select({ label: "Use is counted in", options, value, choose, prefix: "In " });
  }

  // A question about this tokenizer. After another one is shown, it has no answer.
  ask(name, fields, kind) {
    return this.asker.ask(`vocabulary.${name}`, { of: this.data.of, ...fields }, kind);
  }

  change(fields) {
    this.choice = { ...this.choice, ...fields };
    this.pins = false;
    this.tools.show({ choice: this.choice });
    this.list();
  }

  list() {
    const { choice, token } = this;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.status.textContent = "The tokens are being searched, and counted in the text.";
    }, PATIENCE);
    this.ask("list", { choice, token }).then(
      (said) => this.listed(choice, said),
      (error) => {
        clearTimeout(this.waiting);
        this.status.textContent = "";
        this.tools.show({ fault: error.message });
      },
    );
  }

  listed(choice, said) {
    const { frame, rows } = said;
    this.rows.root.hidden = !said.listed;
    this.drawn = said.wrong ? { ...choice, search: "" } : choice;
    this.tools.show({ all: frame, told: said, fault: said.wrong });
    this.rows.load(said.listed, said.most, rows, this.fresh ? said.at : null);
    this.rows.show(this.token ?? this.shown);
    clearTimeout(this.waiting);
    this.status.textContent = said.fault;
    this.fresh = false;
    clearTimeout(this.looking);
    if (this.pins && !said.wrong) this.rows.choose();
    this.pins = false;
    // On a narrow window the card is a sheet over the list: only for a token that somebody chose.
    const shown = this.token ?? (this.tools.narrow.matches ? undefined : rows.ids[0]);
    if (this.shown === null) this.look(shown);
    else if (this.token === null) this.looking = setTimeout(() => this.look(shown), REST);
  }

  fetch(block, start, count) {
    const choice = this.drawn;
    this.ask("rows", { start, count, choice }, `rows ${block % 2}`).then(
      (rows) => choice === this.drawn && this.rows.take(block, rows),
      () => this.rows.failed(block),
    );
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

  open(id, pinned) {
    this.shown = id;
    this.rows.show(id);
    this.aside.setAttribute("aria-busy", "true");
    const show = (card) => {
      if (id !== this.shown) return; // another token is asked for by now
      this.aside.removeAttribute("aria-busy");
      if (!this.aside.contains(card)) this.aside.replaceChildren(card); // at first, and after an error
    };
    this.ask("card", { id, pinned }).then(
      (said) => {
        show(this.card.root);
        if (id === this.shown) this.card.show(said);
      },
      (error) => show(make("p", "quiet", error.message)),
    );
  }

  // Close the card, and go back to the list.
  leave() {
    this.token = null;
    this.shown = undefined; // until another token is chosen, or searched for
    this.aside.replaceChildren();
    this.rows.show(null);
    this.rows.come();
  }

  csv() {
    this.ask("csv", { choice: this.choice }).then(
      ({ csv }) => saveFile(`tokviz-tokens-${this.data.name}.csv`, "text/csv", csv),
      (error) => this.tools.show({ fault: error.message }),
    );
  }

  copyLink(status) {
    return this.ask("link", { choice: this.choice, token: this.token }).then(
      ({ query }) => copyText(addressOf(query), status, "The link is copied."),
      (error) => this.tools.show({ fault: error.message }),
    );
  }
}

export default function (page) {
  return mount(TokenList, page, (list) => list.update(page.data, page.setTriggerValue));
}

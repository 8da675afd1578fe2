// The list of the tokens of a tokenizer, and the card of one of them beside it.
//
// data = {of, name, choice, token, counted, bring}: the key and the name of the tokenizer, which of its tokens are listed,
// the id of the pinned token (null: none), what use is counted in, and "token" or "list" if a click led to it, so that it
// comes into view. The browser has the choice from then on, and the server hears of it by the questions that it answers
// (tokviz/ui/vocabulary/questions.py).

import { Asker } from "../kit/ask.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, isPageFocused, make, mount } from "../kit/elements.js";
import { showWhole } from "../tokenview/whole.js";
import { Bars } from "./bars.js";
import { TokenRows } from "./rows.js";
import { VocabularyCard } from "./token_card.js";
import { Tools } from "./tools.js";

const PATIENCE = 500; // ms without an answer, after which the page says what takes so long
const REST = 300; // ms without another search, after which the card of its first token is shown

// To where the page offers the way back to what led to the token.
const toTop = () => document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);

class TokenList {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz vocabulary"));
    this.status = asStatus(make("p", "status quiet"));
    this.bars = new Bars((name, value) => this.change({ [name]: value }));
    this.tools = new Tools({
      change: (fields) => this.change(fields),
      down: (pin) => {
        this.rows.rows.box.focus();
        if (pin) this.rows.choose();
      },
      csv: () => this.csv(),
      copyLink: () => this.copyLink(this.status),
    });
    this.rows = new TokenRows({
      fetch: (block, start, count) => this.fetch(block, start, count),
      pin: (id) => {
        this.led = false;
        this.pin(id);
      },
      leave: () => this.tools.clear(),
    });
    this.aside = make("aside", "life");
    this.aside.setAttribute("aria-label", "The token");
    this.card = new VocabularyCard({
      close: () => this.leave(),
      pin: (id) => this.pin(id),
      ask: (name, fields) => this.ask(name, fields),
      up: () => (this.led ? ["↑ Back to the top", toTop] : ["↑ Back to the list", () => this.goBack()]),
    });
    const left = make("div", "left");
    left.append(this.tools.root, this.status, this.rows.root);
    const columns = make("div", "columns");
    columns.append(left, this.aside);
    this.root.append(this.bars.root, columns);
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
    this.card.end();
    this.bars.close();
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
    if (!another && before.counted === data.counted) return;
    this.shown = null; // a card tells of the text
    this.led = another && data.bring === "token";
    this.bringing = another && data.bring === "list";
    this.list();
  }

  // A question about this tokenizer. After another one is shown, it has no answer.
  ask(name, fields, kind) {
    return this.asker.ask(`vocabulary.${name}`, { of: this.data.of, ...fields }, kind);
  }

  change(fields) {
    this.choice = { ...this.choice, ...fields };
    this.tools.show({ choice: this.choice });
    this.list();
  }

  list() {
    const { choice, token } = this;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.status.textContent = "The tokens are being counted in the text.";
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

  listed(choice, said, goesOn = false) {
    const { frame, rows } = said;
    frame.key = this.data.of;
    this.bars.draw(frame, said, choice);
    this.rows.root.hidden = !said.listed && said.over;
    this.drawn = said.wrong ? { ...choice, search: "" } : choice;
    this.tools.show({ all: frame, told: said, fault: said.wrong });
    this.rows.load(said.listed, said.most, rows, this.fresh ? said.at : null, goesOn);
    this.rows.show(this.token ?? this.shown);
    clearTimeout(this.waiting);
    this.status.textContent = said.fault;
    const opens = this.fresh ? said.opens : null;
    if (this.bringing) this.rows.root.scrollIntoView({ block: "nearest" });
    this.bringing = false;
    this.fresh = false;
    const shown = this.token ?? opens ?? rows.ids[0];
    clearTimeout(this.looking);
    if (this.shown === null) this.look(shown, this.led);
    else if (this.token === null) this.looking = setTimeout(() => this.look(shown), REST);
    if (said.over || choice !== this.choice) return;
    this.ask("list", { choice, token: this.token, more: true }, "more").then(
      (more) => choice === this.choice && this.listed(choice, more, true),
      (error) => {
        if (choice !== this.choice) return;
        this.tools.show({ told: { ...said, over: true }, fault: error.message }); // the search does not go on
      },
    );
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
    this.open(id, true, true);
  }

  // Show the card of a token that nobody has pinned: the first of the list.
  look(id, bring = false) {
    if (id !== undefined && id !== this.shown) this.open(id, false, bring);
  }

  // bring: bring it into sight, if it stands below the list.
  open(id, pinned, bring) {
    this.shown = id;
    this.brings = bring;
    this.rows.show(id);
    this.aside.setAttribute("aria-busy", "true");
    const done = () => this.aside.removeAttribute("aria-busy");
    this.ask("card", { id, pinned }).then(
      (said) => {
        if (id !== this.shown) return; // another token is asked for by now
        done();
        if (!this.aside.contains(this.card.root)) this.aside.replaceChildren(this.card.root); // at first, after an error
        this.card.show(said, this.brings);
      },
      (error) => {
        done();
        this.aside.replaceChildren(make("p", "quiet", error.message));
      },
    );
  }

  // To the list, where a card that is still on its way leaves the person.
  goBack() {
    this.brings = false;
    this.rows.come();
  }

  // Close the card.
  leave() {
    this.token = null;
    this.shown = undefined; // until another token is chosen, or searched for
    this.aside.replaceChildren();
    this.rows.show(null);
    this.goBack();
  }

  csv() {
    this.ask("csv", { choice: this.choice }).then(
      ({ csv }) => saveFile(`tokviz-tokens-${this.data.name}.csv`, "text/csv", csv),
      (error) => this.tools.show({ fault: error.message }),
    );
  }

  copyLink(status) {
    this.ask("link", { choice: this.choice, token: this.token }).then(
      ({ query }) => copyText(addressOf(query), status, "The link is copied."),
      (error) => this.tools.show({ fault: error.message }),
    );
  }
}

export default function (page) {
  return mount(TokenList, page, (list) => list.update(page.data, page.setTriggerValue));
}

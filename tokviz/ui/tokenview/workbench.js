// The workbench: a text area, and the text as tokens under each chosen tokenizer. Each page that has one draws it in its
// own way, in a class of its own (Tokens in tokens/tokens.js, Compare in compare/compare.js).
//
// Python decides on the tokenizers and sends the first text; live_text.js keeps text and tokens in step. The text area
// is written only when Python sends another text, never because of an answer of the socket.

import { Asker } from "../kit/ask.js";
import { addressOf } from "../kit/copy_and_save.js";
import { asStatus, byTouch, make, themeOf } from "../kit/elements.js";
import { keepsText, keptText, tried } from "../kit/field.js";
import { html, keyed, render } from "../kit/html.js";
import { keysOfPage } from "../kit/keys.js";
import { figure } from "../kit/words.js";
import { onFocus } from "./blocks.js";
import { choice, enter } from "./choice.js";
import { Column } from "./column.js";
import { placeIn, read, textOf, typedIn } from "./encoding.js";
import { Find } from "./find.js";
import { Inside } from "./inside.js";
import { goesAlong, queryOf } from "./link.js";
import { LiveText } from "./live_text.js";
import { menus } from "./menus.js";
import { byteAt, placeWithEnds, plain } from "./patches.js";
import { FACES } from "./token_box.js";

const HELD = new Map(); // by view: the state of a workbench that left the page, for when it comes back
const SHOWS = { face: "Text", whitespace: true, chunks: true, find: false, size: false, figures: true };
const KEPT = "tokviz.shows"; // where the browser keeps what the visitor chose of these
const HINT = html`<p class="hint quiet"><b>${byTouch() ? "Tap" : "Point at"} a token</b> to see its id, its bytes and how it
  was made.${!byTouch() && " Click it, and it stays here."}</p>`;
const FIRST_EXAMPLES = ["Mixed", "Emoji", "Code", "Numbers", "Languages", "unforgettable", "Story"];
const LONG = 2_000; // UTF-16 units of a text that fills the field, however wide it is
const MOST = 8; // heads
export const ALL = "*"; // in the place of a head's name: what is chosen there is added, or left out
const PLUS = html`<span aria-hidden="true">+</span> <span>Add a tokenizer</span>`;
const LEAST_HIGH = 160; // px of a box while its text is typed
const CLICK = 300; // ms in which the click is over that takes the focus
const ANSWERED = 2000; // ms after which a request is taken for answered, whatever Python does
const SPOKEN = 1000; // ms without a key before the counts are said

export class Workbench extends LiveText {
  constructor(parent) {
    super();
    this.root = parent.appendChild(make("section", "tokviz workbench"));
    this.root.setAttribute("aria-label", "Text and its tokens");
    this.panels = new Map(); // by the tokenizer's key, in the order shown
    this.heads = [];
    this.parts = []; // that the page can open below: [name, label]
    this.waiting = []; // requests to Python, in the order in which they were made
    this.askedAt = -Infinity; // when one was made that is not answered
    this.shows = { ...SHOWS, ...remembered() }; // as a link asks for it, or else as the visitor chose
    this.narrow = matchMedia("(max-width: 999px)");
    this.finder = new Find(
      () => [...this.panels.values()],
      () => this.drawn(),
      () => this.show({ find: false }),
    );
    this.inside = new Inside(this.root, {
      ask: (key, start, size) => this.look(key, start, size),
      sized: () => {
        for (const panel of this.panels.values()) panel.drawHead();
        this.finder.again();
        this.resized();
      },
      closeSize: () => this.show({ size: false }),
      narrow: () => this.narrow.matches,
    });
    this.asked = asStatus(make("p", "quiet"));
    this.asker = new Asker(this.asked, "What is chosen stays.", () => this.tell("asked", { what: "renew" }));
    const text = () => ({ text: this.value });
    this.stopKeeping = keepsText("text", text, () => this.rested);
    this.ears = new AbortController();
    this.listen(this.ears);
  }

  listen({ signal }) {
    for (const type of ["focus", "blur"]) {
      this.area.addEventListener(type, onFocus);
      this.area.addEventListener(type, () => {
        clearTimeout(this.fitting);
        this.fitting = setTimeout(() => this.fit(), type === "blur" ? CLICK : 0); // a click lands before anything moves
        this.follow();
      });
    }
    const moved = () => {
      if (!this.busy) this.draw(); // else the answer's frame does; one before it could delay it
    };
    this.area.addEventListener("focus", () => this.inside.lower());
    for (const place of [document, this.area]) place.addEventListener("selectionchange", moved, { signal });
    this.narrow.addEventListener("change", () => this.drawPage(), { signal });
    for (const place of [window, visualViewport]) place.addEventListener("resize", () => this.fit(), { signal });
    const hear = keysOfPage(this.root, {
      "/": () => this.show({ find: true }),
      Escape: () => this.inside.side() !== null && this.inside.leave(),
    });
    document.addEventListener("keydown", hear, { signal });
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.area);
  }

  close() {
    this.drawn();
    this.stopKeeping();
    HELD.clear();
    if (this.data) {
      HELD.set(this.data.view, {
        stamp: this.data.stamp,
        text: this.value,
        live: this.live,
        encodings: this.encodings,
        reading: this.liveReading,
        inside: this.inside.state(),
      });
    }
    for (const timer of [this.saying, this.fitting]) clearTimeout(timer);
    this.sized.disconnect();
    this.ears.abort();
    for (const panel of this.panels.values()) panel.close();
    this.inside.close();
    this.asker.close();
    this.root.remove();
    super.close();
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    this.drawn();
    this.askedAt = -Infinity;
    if (!this.waiting.length) this.wanted = null;
    this.request();
    this.root.dataset.theme = themeOf(this.root);
    const before = this.data;
    if (before && JSON.stringify(before) === JSON.stringify(data)) return;
    this.data = data;
    // Whose text the field has now: the first of these that holds.
    //   held     this browser's: it was here when the page was left, and Python gave no other since
    //   own      the field's: Python gave no other, or it is a server that was restarted and does not know this one
    //   python   Python's: of a link, an example, another page or an earlier visit
    const held = before ? null : HELD.get(data.view);
    const isForgotten = Boolean(before) && data.server !== before.server;
    const isOwn = isForgotten || (data.stamp === before?.stamp && data.view === before.view);
    const whose = held?.stamp === data.stamp ? "held" : isOwn ? "own" : "python";
    // A run that began before the visitor chose a reading here says the old one.
    if (!isForgotten && data.specials !== before?.specials) this.reading = data.specials;
    const encodings = this.takeText(whose, held);
    this.example = data.text === this.value ? data.example : null;
    this.takeHeads();
    this.takeBlocks(encodings);
    if (!before) this.begin(held);
    else if (whose === "python") this.inside.pin(null);
    this.drawPage();
    this.drawRefusal();
    this.proof = null;
    this.finder.again();
    const keys = [this.reading, ...this.panels.keys()].join();
    const isSame = keys === this.keys && whose !== "python" && !isForgotten;
    this.keys = keys;
    if (isSame) {
      this.pump();
      this.settle();
    } else this.socket.connect();
    this.follow();
    this.saySoon();
    const kept = before || held ? null : keptText("text");
    if (!kept || kept.text === this.value) return;
    this.fill(kept.text);
    this.typed();
  }

  // Returns the encodings that are known of the text, by the tokenizers' keys.
  takeText(whose, held) {
    const { text } = this.data;
    if (whose === "held") {
      Object.assign(this, { live: held.live, liveReading: held.reading });
      this.write(held.text);
    } else if (whose === "python") {
      this.live = textOf(text);
      this.write(text);
    }
    if (!this.part) this.shown = this.live;
    return { held: held?.encodings, own: this.encodings }[whose] ?? new Map();
  }

  get encodings() {
    return new Map([...this.panels].map(([key, panel]) => [key, panel.live]));
  }

  // A head that takes the place of another has its element, so that the focus stays.
  takeHeads() {
    const { heads } = this.data;
    const before = new Map(this.heads.map(({ name, root }) => [name, root]));
    const free = this.heads.filter((gone) => heads.every(({ name }) => name !== gone.name)).map(({ root }) => root);
    this.heads = heads.map((head) =>
      this.headOf({ ...head, root: before.get(head.name) ?? free.shift() ?? make("div", "model-head") }),
    );
  }

  // How a model or tokenizer is drawn above its box (column.js).
  headOf(head) {
    return {
      ...head,
      isSole: this.data.heads.length === 1,
      opener: (inside) => this.opener(head.name, `Tokenizer: ${head.title}`, inside),
      remove: () => this.leaveOut(head.name),
    };
  }

  takeBlocks(encodings) {
    const { data } = this;
    const isPythons = this.live.text === data.text && this.reading === data.specials;
    if (isPythons) this.liveReading = data.specials;
    const before = this.panels;
    this.panels = new Map();
    for (const block of data.blocks) {
      const there = before.get(block.key);
      const panel = there ?? this.column();
      const known = encodings.get(block.key);
      const encoding =
        !isPythons && known && typedIn(known) === this.live.text ? known : this.readBlock(block, isPythons);
      const settings = { ...block, totals: null, start: 0 };
      const isSame = there && ["name", "alphabet"].every((one) => `${there.data[one]}` === `${block[one]}`);
      panel.error = block.error;
      panel.heads = this.heads.filter(({ key }) => key === block.key);
      if (isPythons) panel.remarks = block.remarks;
      if (isSame) {
        panel.data = settings;
        panel.live = encoding;
        if (!this.part) panel.adopt(encoding);
      } else panel.show(settings, encoding, data.view);
      if (!there) panel.look(this.shows);
      panel.drawHead();
      this.panels.set(block.key, panel);
      before.delete(block.key);
    }
    for (const panel of before.values()) panel.close();
    this.inside.views([...this.panels].map(([key, panel]) => ({ ...panel.data, key, view: panel.view })));
  }

  column() {
    return new Column({ emptied: () => this.drawPage(), pointed: (token) => this.inside.peek(token) });
  }

  readBlock(block, isPythons) {
    const { text } = this.data;
    const encoding = block.typed ? read(block) : read(block, isPythons ? this.live : textOf(text));
    return { ...encoding, source: text, refused: block.refused };
  }

  // What is open at first: the token that a link pins, or what was open when the page was left, or else what Python says.
  begin(held) {
    const { opened, blocks } = this.data;
    const [side, start] = opened.pinned ?? [];
    const left = opened.linked ? null : held?.inside;
    this.inside.restore(left ?? { key: blocks[side]?.key, start, size: opened.size });
    if (this.inside.slider.size !== null) this.shows.size = true;
    const face = FACES.find((one) => opened.view.split(",").includes(one.toLowerCase()));
    if (face && !held) this.show({ face }, false);
  }

  // The text or its tokens changed.
  changed() {
    this.inside.changed();
    this.drawRefusal();
  }

  // Put a text into the area that the server has.
  write(text) {
    this.sent = text;
    this.part = false;
    this.fill(text);
  }

  fill(text) {
    const whole = this.kept === null; // was all of the text before in the area?
    this.fits = text;
    this.keep(text);
    this.put(plain(text), whole && this.kept === null);
    this.size();
  }

  size() {
    this.area.classList.toggle("long", this.area.value.length > LONG);
  }

  // --- what is drawn; the text as tokens draws itself (column.js) ---

  // Subclasses have their title, what a link says of it (linked), what is beside it, and what is before and after the
  // field and below all boxes.
  beside() {}
  before() {}
  between() {}
  below() {}

  drawPage() {
    if (!this.data) return;
    const { find, size, figures } = this.shows;
    const columns = [...this.panels.values()];
    const isPhone = this.narrow.matches;
    const isEmpty = !this.value && columns.every(({ none }) => none);
    const count = Math.min(3, columns.length);
    const shown = this.data.examples.find(({ name }) => name === this.example);
    this.root.classList.toggle("no-figures", !figures);
    for (const column of columns) column.drawHeads();
    render(
      html`<header class="title-row"><h1>${this.title}</h1>${!isPhone && html`${this.beside()}${menus(this)}`}</header>
        ${this.before()}
        ${this.notes()}
        <label class="unseen" for="text">Text</label>
        ${this.area}
        ${shown && html`<p class="look small quiet"><b>${shown.name}:</b> ${shown.look}</p>`}
        ${this.between(columns)}
        ${find && this.finder.root}
        ${isEmpty && this.examples()}
        <div class=${`boxes n${count}${this.heads.length > columns.length ? " shared" : ""}`}>${columns.map((panel) =>
          keyed(panel.data.key, panel.root),
        )}<aside class="aside">${HINT}${this.inside.root}</aside></div>
        ${size && this.inside.slider.root}
        ${isPhone && this.below()}
        <p class="unseen" role="status">${this.spoken}</p>${this.asked}
        ${isPhone && html`<div class="bar" role="toolbar" aria-label="Text, view and share">${menus(this)}</div>`}`,
      this.root,
    );
    this.inside.position();
    this.fit();
  }

  examples() {
    const names = this.data.examples.map(({ name }) => name).filter((name) => FIRST_EXAMPLES.includes(name));
    return html`<div class="nothing"><p class="quiet">No text yet. Begin with an example:</p>
      <div class="pills">${names.map(
        (name) => html`<button type="button" @click=${() => this.act("example", name)}>${name}</button>`,
      )}</div></div>`;
  }

  // Show tokens in another way, and remember it.
  show(changes, keeps = true) {
    this.drawn();
    const { find, size } = this.shows;
    Object.assign(this.shows, changes);
    if (keeps) remember(changes);
    for (const panel of this.panels.values()) {
      panel.look(this.shows);
      panel.drawHead();
    }
    this.drawPage();
    if (changes.size) queueMicrotask(() => this.inside.slider.root.scrollIntoView({ block: "nearest" }));
    if (changes.find) queueMicrotask(() => this.finder.focus());
    else if (find && changes.find === false) this.finder.clear();
    if (size && changes.size === false) this.inside.slider.set(null);
  }

  // --- what is chosen ---

  // A button that opens the choice of what is in the place of the head of this name, of one more (""), or of ALL, and the
  // choice while it is open.
  opener(name, label, inside) {
    const isOpen = this.choosing?.name === name;
    return html`<span class="menu sheets"><button type="button" class="choose" aria-haspopup="dialog"
      aria-expanded=${isOpen} aria-label=${label} @click=${() => this.openChoice(isOpen ? null : name)}>${inside}</button>${
        isOpen &&
        choice(this.choices, {
          state: this.choosing.state,
          redraw: () => this.drawPage(),
          close: (event) => this.openChoice(null, event?.type !== "focusout"),
          chosen: this.names,
          many: name === ALL,
          own: name,
          pick: (other) => {
            if (name === ALL) return this.toggle(other);
            this.openChoice(null);
            if (name !== other) this.change(name, other);
          },
        })
      }</span>`;
  }

  // A button that adds a tokenizer; nothing if there are as many as can be.
  adder() {
    return this.heads.length < MOST && html`<div class="adds">${this.opener("", "Add a tokenizer", PLUS)}</div>`;
  }

  // name: null closes it. returns: does the focus go back to the button?
  openChoice(name, returns = true) {
    if (name === null && !this.choosing) return;
    const opener = this.root.querySelector(".choose[aria-expanded=true]");
    this.choosing = name === null ? null : { name, state: {} };
    this.drawPage();
    if (name === null) return returns && opener?.focus();
    this.asker
      .ask("tokens.choices")
      .then((choices) => {
        this.choices = choices;
        this.drawPage();
      })
      .catch(this.asker.tell);
    enter(this.root.querySelector(".chooser"));
  }

  // Choose another in the place of one that is chosen, or one more ("", name), or leave one out (name).
  change(gone, ...others) {
    const { names } = this;
    this.wanted = [
      ...new Set(gone ? names.flatMap((name) => (name === gone ? others : [name])) : [...names, ...others]),
    ];
    this.act("chosen", this.wanted.join(","));
  }

  // Add what has this name, or leave it out if it is there and not alone.
  toggle(name) {
    const { names } = this;
    if (!names.includes(name) && names.length < MOST) this.change("", name);
    else if (names.includes(name) && names.length > 1) this.change(name);
  }

  // What is chosen, also if Python has not answered yet.
  get names() {
    return this.wanted ?? this.heads.map(({ name }) => name);
  }

  // The focus goes to what is beside it. A second click, before Python has answered, does nothing.
  leaveOut(name) {
    const { names } = this;
    if (!names.includes(name) || names.length < 2) return;
    this.focusBeside(this.heads.findIndex((head) => head.name === name));
    this.change(name);
  }

  // The head beside one that goes.
  focusBeside(at) {
    (this.heads[at + 1] ?? this.heads[at - 1]).root.querySelector(".choose").focus();
  }

  // While the text is typed, the boxes end at the foot of what is seen of the window, and follow the caret.
  fit() {
    const types = this.area.getRootNode().activeElement === this.area;
    this.root.classList.toggle("types", types);
    this.root.classList.toggle("keyboard", types && byTouch());
    const box = this.root.querySelector(".view");
    if (!types || !box) return;
    const { height } = visualViewport;
    const room = Math.max(LEAST_HIGH, height - box.getBoundingClientRect().top - 10);
    this.root.style.setProperty("--room", `${room}px`);
  }

  // A key changed the text.
  wasTyped() {
    const shown = this.example;
    this.example = null;
    this.size();
    if (shown || !this.area.value) this.drawPage();
    this.saySoon();
  }

  // Screen readers are told the counts when typing rests.
  saySoon() {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      const said = this.heads.map(({ root }) => root.querySelector("h2")?.textContent).join(". ");
      if (said === this.spoken) return;
      this.spoken = said;
      this.drawPage();
    }, SPOKEN);
  }

  // --- the caret ---

  // The byte at the caret. null: there is no caret; undefined: an answer is on its way.
  get caret() {
    const { selectionStart, selectionEnd } = this.area;
    if (this.area.getRootNode().activeElement !== this.area || selectionStart !== selectionEnd) return null;
    if (this.busy || this.sent !== this.value) return undefined;
    return byteAt(this.shown, placeWithEnds(this.value, selectionEnd));
  }

  follow() {
    if (this.frame) return; // which calls this
    const byte = this.caret;
    if (byte === undefined) return;
    const views = [...this.panels.values()].map(({ view }) => view);
    for (const view of views) {
      const { typed } = view.encoding; // where a view has a byte of the typed text
      view.follow(byte && typed ? placeIn(typed, byte) : byte);
    }
    for (const view of views) view.bringCaret();
  }

  // --- what is asked for ---

  // Change how special tokens are read: a new connection gets the whole text again.
  readAs(reading) {
    if (reading === this.reading) return;
    this.reading = reading;
    this.socket.connect();
  }

  // The address of a link to the page as it is, and what to say when it is copied.
  async link() {
    const { bytes, text } = this.shown;
    const { data } = this;
    const link = { ...data.link, sample: text === data.text ? data.link.sample : null };
    const isWhole = goesAlong(link, bytes);
    const said = isWhole
      ? "Link copied."
      : `Link copied without the text: it has ${figure(bytes.length)} bytes, and a link carries ${figure(link.limit)}.`;
    const query = await queryOf(link, bytes, { specials: this.reading, ...this.linked(isWhole) });
    return { address: addressOf(query), said, isWhole };
  }

  // Ask Python for something else to show.
  act(what, name = "") {
    this.waiting.push({ what, name });
    this.request();
  }

  // A request waits until the one before is answered and Python has all that was typed, or carries the text itself.
  request() {
    clearTimeout(this.acting);
    if (!this.waiting.length) return;
    const isUnheard = this.sent !== this.value;
    if (performance.now() - this.askedAt < ANSWERED || (this.open && (this.busy || isUnheard))) {
      this.acting = setTimeout(() => this.request(), 20);
      return;
    }
    const { what, name } = this.waiting.shift();
    if (what !== "renew") this.askedAt = performance.now(); // a run that brings nothing new is not heard of here
    this.tell("asked", { what, name, text: isUnheard ? this.value : "" });
  }
}

// What the visitor chose last time, here and on the other pages with a workbench. A browser may keep nothing.
function remembered() {
  const shows = tried(() => JSON.parse(localStorage.getItem(KEPT)));
  return FACES.includes(shows?.face) ? shows : { ...shows, face: FACES[0] };
}

export const remember = (changes) =>
  tried(() => localStorage.setItem(KEPT, JSON.stringify({ ...remembered(), ...changes })));

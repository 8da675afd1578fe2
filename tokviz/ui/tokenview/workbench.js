// The workbench: a text area, and the text as tokens under each chosen tokenizer. Each page that has one draws it in its
// own way, in a class of its own (Tokens in tokens/tokens.js, Compare in compare/compare.js).
//
// Python decides on the tokenizers and sends the first text; live_text.js keeps text and tokens in step. The text area
// is written only when Python sends another text, never because of an answer of the socket.

import { Asker } from "../kit/ask.js";
import { addressOf } from "../kit/copy_and_save.js";
import { asStatus, byTouch, isPageFocused, make, themeOf } from "../kit/elements.js";
import { html, keyed, render } from "../kit/html.js";
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
import { byteAt, placeWithEnds, plain, sharedEnds } from "./patches.js";
import { FACES } from "./token_box.js";

const HELD = new Map(); // by view: the state of a workbench that left the page, for when it comes back
const SHOWS = { face: "Text", whitespace: true, chunks: true, find: false, size: false, figures: true };
const KEPT = "tokviz.shows"; // where the browser keeps what the visitor chose of these
const FIRST_EXAMPLES = ["Mixed", "Emoji", "Code", "Numbers", "Languages", "unforgettable", "Story"];
const LONG = 2_000; // UTF-16 units of a text that fills the field, however wide it is
const MOST = 8; // heads
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
    this.shows = { ...SHOWS, ...kept() }; // as a link asks for it, or else as the visitor chose
    this.boxes = make("div", "boxes");
    this.aside = make("aside", "aside");
    this.hint = make("div", "hint");
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
      // while busy the answer's frame does; one before it could delay it
      if (!this.busy && this.showsOther(this.caret)) this.draw(() => this.follow());
    };
    // The frame of a key itself draws where it takes the caret: while a long text is selected, each frame takes long.
    this.area.addEventListener("keydown", () => {
      if (this.showsOther(null)) requestAnimationFrame(() => this.follow());
    });
    this.area.addEventListener("focus", () => this.inside.lower());
    for (const place of [document, this.area]) place.addEventListener("selectionchange", moved, { signal });
    this.narrow.addEventListener("change", () => this.drawPage(), { signal });
    for (const place of [window, visualViewport]) place.addEventListener("resize", () => this.fit(), { signal });
    const find = (event) => {
      const typing = event.composedPath()[0].matches?.("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || typing || !(isPageFocused() || this.root.getRootNode().activeElement)) return;
      event.preventDefault();
      this.show({ find: true });
    };
    document.addEventListener("keydown", find, { signal });
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.area);
  }

  close() {
    this.drawn();
    HELD.clear();
    if (this.data) {
      HELD.set(this.data.view, {
        stamp: this.data.stamp,
        text: this.value,
        shown: this.shown,
        encodings: new Map([...this.panels].map(([key, panel]) => [key, panel.encoding])),
        reading: this.shownReading,
        inside: this.inside.state(),
      });
    }
    clearTimeout(this.saying);
    clearTimeout(this.fitting);
    clearTimeout(this.acting);
    clearTimeout(this.answering);
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
    this.isAsking = false;
    if (!this.waiting.length) this.wanted = null;
    this.request();
    const theme = themeOf(this.root);
    this.root.dataset.theme = theme;
    const before = this.data;
    this.data = data;
    if (before && JSON.stringify(before) === JSON.stringify(data)) {
      for (const panel of this.panels.values()) panel.root.dataset.theme = theme;
      return;
    }
    // A server that was restarted does not know this text yet, and must not replace it.
    const forgot = before && data.server !== before.server;
    const held = before ? null : HELD.get(data.view);
    if (!forgot) this.reading = data.specials;
    let encodings = new Map([...this.panels].map(([key, panel]) => [key, panel.encoding]));
    let sameText = Boolean(before) && ((data.stamp === before.stamp && data.view === before.view) || forgot);
    if (held && held.stamp === data.stamp) {
      encodings = held.encodings;
      this.shown = held.shown;
      this.shownReading = held.reading;
      this.write(held.text);
      sameText = true;
    } else if (!sameText) {
      encodings = new Map();
      this.shown = textOf(data.text);
      this.write(data.text);
    }
    if (sameText && !this.open && data.text === this.value && data.text !== this.shown.text) {
      // the answer to ask(): Python has this text now
      this.shown = textOf(data.text);
      this.sent = data.text;
    }
    this.example = data.text === this.value ? data.example : null;
    const fromPython = this.shown.text === data.text && this.reading === data.specials;
    if (fromPython) this.shownReading = data.specials;
    for (const [key, panel] of this.panels) {
      if (data.blocks.some((block) => block.key === key)) continue;
      panel.close();
      this.panels.delete(key);
    }
    this.heads = data.heads.map((head, i) => ({
      ...head,
      root: this.heads[i]?.root ?? make("div", "model-head"),
      isSole: data.heads.length === 1,
      opener: (inside) => this.opener(i, `Tokenizer: ${head.title}`, inside),
      remove: () => this.change((this.wanted ?? data.heads.map(({ name }) => name)).indexOf(head.name), 1),
    }));
    const panels = new Map();
    for (const block of data.blocks) {
      const there = this.panels.get(block.key);
      const panel = there || new Column(() => this.drawPage());
      panel.root.dataset.theme = theme;
      panel.error = block.error;
      panel.heads = this.heads.filter(({ key }) => key === block.key);
      const known = encodings.get(block.key);
      const encoding =
        fromPython || !known || typedIn(known) !== this.shown.text
          ? {
              ...(block.typed ? read(block) : read(block, fromPython ? this.shown : textOf(data.text))),
              source: data.text,
              refused: block.refused,
            }
          : known;
      if (fromPython) panel.remarks = block.remarks;
      const settings = { ...block, totals: null, start: 0 };
      if (
        !there ||
        JSON.stringify(there.alphabet) !== JSON.stringify(block.alphabet) ||
        there.data.name !== block.name
      ) {
        panel.alphabet = block.alphabet;
        panel.show(settings, encoding, data.view);
        if (!there) {
          panel.mark(this.shows);
          panel.turn(this.shows.face);
        }
      } else {
        panel.data = settings;
        this.adopt(panel, encoding);
      }
      panel.drawHead();
      panels.set(block.key, panel);
    }
    this.panels = panels;
    this.inside.views([...panels].map(([key, panel]) => ({ ...panel.data, key, view: panel.view })));
    if (!before) {
      const { view, size, pinned } = data.opened; // what the link asks for
      const [side, start] = pinned || [];
      this.inside.restore(held?.inside || { key: data.blocks[side]?.key, start, size });
      if (this.inside.slider.size !== null) this.shows.size = true;
      const face = FACES.find((one) => view.split(",").includes(one.toLowerCase()));
      if (face && !held) this.show({ face }, false);
    } else if (!sameText) this.inside.pin(null);
    this.drawPage();
    this.drawRefusal();
    this.proof = null;
    this.finder.again();
    const keys = [this.reading, ...data.blocks.map((block) => block.key)].join();
    if (keys !== this.keys || !sameText || forgot) {
      this.keys = keys;
      this.connect();
    } else {
      this.pump();
      this.settle();
    }
    this.follow();
    this.saySoon();
  }

  // Put a text into the area.
  write(text) {
    const whole = this.kept === null; // was all of the text before in the area?
    this.sent = text;
    this.keep(text);
    this.area.readOnly = Boolean(this.data.length);
    this.put(plain(text), whole && this.kept === null);
    this.size();
  }

  size() {
    this.area.classList.toggle("long", this.area.value.length > LONG);
  }

  // Show another encoding in a panel, drawing only what differs.
  adopt(panel, encoding) {
    const [head, tail] = sharedEnds(panel.encoding, encoding);
    panel.patch(encoding, head, panel.encoding.n - tail, encoding.n - tail - head);
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
        ${shown && html`<p class="look quiet"><b>${shown.name}:</b> ${shown.look}</p>`}
        ${this.between(columns)}
        ${find && this.finder.root}
        ${isEmpty && this.examples()}
        <div class=${`boxes n${count}${this.heads.length > columns.length ? " shared" : ""}`}>${columns.map((panel) =>
          keyed(panel.data.key, panel.root),
        )}${this.aside}</div>
        ${size && this.inside.slider.root}
        ${isPhone && this.below()}
        <p class="unseen" role="status">${this.spoken}</p>${this.asked}
        ${isPhone && html`<div class="bar" role="toolbar" aria-label="Text, view and share">${menus(this)}</div>`}`,
      this.root,
    );
    this.place(columns);
  }

  // Under a box that is alone, the token pointed at is named beside it; under one of several, in the place of its figures.
  place(columns) {
    const isAlone = columns.length === 1 && !this.narrow.matches;
    for (const { status, foot } of columns) {
      const where = isAlone ? this.hint : foot;
      if (status.parentElement !== where) where.append(status);
    }
    if (!this.hint.parentElement) {
      render(
        html`<p class="how quiet"><b>Point at a token</b> to see its id, its bytes and how it was made. Click it, and it
          stays here.</p>`,
        this.hint,
      );
      this.aside.append(this.hint, this.inside.root);
    }
    this.inside.place();
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
    if (keeps) keep(changes);
    for (const panel of this.panels.values()) {
      if (panel.face !== this.shows.face) panel.turn(this.shows.face);
      panel.mark(this.shows);
      panel.drawHead();
    }
    this.drawPage();
    if (changes.size) queueMicrotask(() => this.inside.slider.root.scrollIntoView({ block: "nearest" }));
    if (changes.find) queueMicrotask(() => this.finder.focus());
    else if (find && changes.find === false) this.finder.clear();
    if (size && changes.size === false) this.inside.slider.set(null);
  }

  // --- what is chosen ---

  // A button that opens the choice of what is at this place among the heads, and the choice while it is open.
  opener(at, label, inside) {
    const isOpen = this.choosing?.at === at;
    return html`<span class="menu sheets"><button type="button" class="choose" aria-haspopup="dialog"
      aria-expanded=${isOpen} aria-label=${label} @click=${() => this.openChoice(isOpen ? null : at)}>${inside}</button>${
        isOpen &&
        choice(this.choices, {
          state: this.choosing.state,
          redraw: () => this.drawPage(),
          close: (event) => this.openChoice(null, event?.type !== "focusout"),
          chosen: this.heads.map(({ name }) => name),
          own: this.heads[at]?.name,
          pick: (name) => {
            this.openChoice(null);
            if (this.heads[at]?.name !== name) this.change(at, 1, name);
          },
        })
      }</span>`;
  }

  // A button that adds a tokenizer; nothing if there are as many as can be.
  adder() {
    const { length } = this.heads;
    return length < MOST && html`<div class="adds">${this.opener(length, "Add a tokenizer", PLUS)}</div>`;
  }

  // at: null closes it. returns: does the focus go back to the button?
  openChoice(at, returns = true) {
    if (at === null && !this.choosing) return;
    const opener = this.root.querySelector(".choose[aria-expanded=true]");
    this.choosing = at === null ? null : { at, state: {} };
    this.drawPage();
    if (at === null) return returns && opener?.focus();
    this.asker
      .ask("tokens.choices")
      .then((choices) => {
        this.choices = choices;
        this.drawPage();
      })
      .catch(this.asker.tell);
    enter(this.root.querySelector(".chooser"));
  }

  // Others in the place of some of what is chosen.
  change(at, gone, ...names) {
    this.wanted = [...new Set((this.wanted ?? this.heads.map(({ name }) => name)).toSpliced(at, gone, ...names))];
    this.act("chosen", this.wanted.join(","));
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

  // Where a view has a byte of the typed text.
  placeOf({ encoding: { typed } }, byte) {
    return byte && typed ? placeIn(typed, byte) : byte;
  }

  // Do the views show the caret elsewhere?
  showsOther(caret) {
    return [...this.panels.values()].some(({ view }) => view.caret !== this.placeOf(view, caret));
  }

  follow(edit = null, panels = [...this.panels.values()]) {
    if (this.changes.length) return; // the last of them calls this
    const byte = this.caret;
    if (byte === undefined) return;
    const views = panels
      .filter((panel) => !this.late.has(panel)) // once they are drawn, this is called again
      .map((panel) => panel.view)
      .filter((view) => edit || view.caret !== this.placeOf(view, byte));
    for (const view of views) view.follow(this.placeOf(view, byte));
    const ways = views.map((view) => view.toCaret());
    for (const [i, view] of views.entries()) view.followed(ways[i]);
  }

  // --- what is asked for ---

  // Change how special tokens are read: a new connection gets the whole text again.
  readAs(reading) {
    if (reading === this.reading) return;
    this.reading = reading;
    if (this.live) this.connect();
    else this.tell("asked", { what: "specials", name: reading });
  }

  // The address of a link to the page as it stands, and what to say when it is copied.
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
    const unheard = this.sent !== this.value;
    if (!this.waiting.length) return;
    if (this.isAsking || (this.open && (this.busy || unheard))) {
      this.acting = setTimeout(() => this.request(), 20);
      return;
    }
    clearTimeout(this.asking);
    this.isAsking = true;
    clearTimeout(this.answering);
    this.answering = setTimeout(() => {
      this.isAsking = false;
    }, ANSWERED);
    this.tell("asked", { ...this.waiting.shift(), text: unheard ? this.value : "" });
  }
}

// What the visitor chose last time, here and on the other pages with a workbench. A browser may keep nothing.
function kept() {
  try {
    const shows = JSON.parse(localStorage.getItem(KEPT)) ?? {};
    return FACES.includes(shows.face) ? shows : { ...shows, face: FACES[0] };
  } catch {
    return {};
  }
}

export function keep(changes) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...changes }));
  } catch {
    // then it is the page's alone
  }
}

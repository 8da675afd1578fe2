// The workbench: a text area, and beside it the text as tokens under each tokenizer that is chosen.
//
// What is typed goes up the live socket as a patch, and the seams that it changed come down (tokviz/ui/live.py). The
// text area never waits: at most one patch is on the way, and the next is the difference between what was sent last and
// what stands there then. So there is no queue, and nothing to lose when the connection breaks: the next connection
// starts with the whole text. Its value is written only where Python sends another text, never because of an answer.
//
//   area.value   what the person sees
//   sent         what the server has, when it has heard the patch that is on the way
//   draft        on a new connection, what of the whole text has come back so far; then it takes the place of
//   shown        what the token views show: the text with its bytes, and for each panel its own encoding of them

const FIRST = 16_384; // UTF-16 units of a long paste that go up first, so that its first tokens come soon
const THEN = 262_144; // and in each piece after that
const LIMIT = 1_000_000; // UTF-16 units of a text; live.py has the same
const REST = 400; // ms without a key after which the text is given to tiktoken to check
const PATIENCE = 3; // connections that fail before the page is asked instead
const RETRY = [100, 4000]; // ms: wait so long before the next connection, doubled each time up to the second

const HELD = new Map(); // by view: what a workbench held when it left the page, for when it is put up again

class Workbench extends TextTools {
  constructor(parent) {
    super();
    this.root = make("section", "tokviz workbench");
    this.root.setAttribute("aria-label", "Text and its tokens");
    this.bench = this.root.appendChild(make("div", "bench"));
    this.bench.append(this.side);
    this.numbers = new Numbers(this.extras, (model) => this.hold(model));
    this.read = this.bench.appendChild(make("div", "read"));
    this.none = this.read.appendChild(make("div", "empty"));
    this.none.append(
      make("h2", "", "No tokenizer chosen"),
      make("p", "", "Choose one above, and its tokens stand here."),
    );
    parent.append(this.root);
    this.sized = new ResizeObserver(() => this.arrange());
    this.sized.observe(this.root);
    this.sized.observe(this.side);
    this.inside = new Inside(this.root, {
      ask: (key, start, size) => this.look(key, start, size),
      sized: () => {
        for (const panel of this.panels.values()) panel.drawHead();
      },
    });

    this.panels = new Map(); // by the tokenizer's key, in the order shown
    this.changes = []; // what the next frame draws
    this.shown = NOTHING;
    this.sent = "";
    this.v = 0;
    this.failures = 0;
    this.wait = RETRY[0];
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("focus", () => this.follow());
    this.area.addEventListener("blur", () => this.follow());
    this.moved = () => this.follow();
    document.addEventListener("selectionchange", this.moved);
    this.area.addEventListener("selectionchange", this.moved);
    this.root.addEventListener("keydown", keepFromPage);
    this.woken = () => {
      if (!this.socket && !this.closed && this.data) this.connect();
    };
    window.addEventListener("online", this.woken);
  }

  close() {
    this.closed = true;
    this.drawn();
    HELD.clear();
    if (this.data) {
      const { text, shown, data } = { text: this.area.value, shown: this.shown, data: this.data };
      const encodings = new Map([...this.panels].map(([key, panel]) => [key, panel.encoding]));
      HELD.set(data.view, {
        stamp: data.stamp,
        text,
        shown,
        encodings,
        reading: this.shownReading,
        inside: this.inside.state(),
      });
    }
    clearTimeout(this.retry);
    clearTimeout(this.rest);
    this.sized.disconnect();
    this.hangUp();
    document.removeEventListener("selectionchange", this.moved);
    window.removeEventListener("online", this.woken);
    for (const panel of this.panels.values()) panel.close();
    this.inside.close();
    this.root.remove();
  }

  // What else there is to a text follows it where the tokens stand beside it, and else the tokens: who goes by Tab, or
  // listens, meets all in the order of the page. The text stays in sight while tokens scroll by, as far as it has room.
  arrange() {
    const beside = getComputedStyle(this.side).position === "sticky";
    const place = beside ? this.side : this.bench;
    if (this.extras.parentElement !== place) {
      const held = this.root.getRootNode().activeElement;
      place.append(this.extras);
      if (this.extras.contains(held)) held.focus({ preventScroll: true });
    }
    this.side.style.setProperty("--height", `${this.side.offsetHeight}px`);
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    this.drawn();
    const theme = (this.root.dataset.theme = themeOf(this.root));
    const before = this.data;
    this.data = data;
    if (before && JSON.stringify(before) === JSON.stringify(data)) {
      for (const panel of this.panels.values()) panel.root.dataset.theme = theme;
      return;
    }
    // A server that has started anew knows nothing of this text yet, and must not take it away.
    const forgot = before && data.server !== before.server;
    const held = before ? null : HELD.get(data.view);
    if (!forgot) [this.reading, this.model] = [data.specials, data.numbers.model];
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
      // Python was asked
      this.shown = textOf(data.text);
      this.sent = data.text;
    }
    const fromPython = this.shown.text === data.text && this.reading === data.specials;
    if (fromPython) this.shownReading = data.specials;
    for (const [key, panel] of this.panels) {
      if (data.blocks.some((block) => block.key === key)) continue;
      panel.close();
      this.panels.delete(key);
    }
    const panels = new Map();
    for (const block of data.blocks) {
      const there = this.panels.get(block.key);
      const panel = there || new TokenPanel(this.read);
      panel.root.dataset.theme = theme;
      panel.link = (state) => this.link(panel, state);
      panel.error = block.error;
      const known = encodings.get(block.key);
      const encoding =
        fromPython || !known || known.text !== this.shown.text
          ? {
              ...read({ ...block, text: data.text }, fromPython ? this.shown : textOf(data.text)),
              refused: block.refused,
            }
          : known;
      const settings = {
        ...block,
        line_numbers: true,
        compact: false,
        header: true,
        totals: null,
        start: 0,
        special_ids: null,
      };
      if (
        !there ||
        JSON.stringify(there.alphabet) !== JSON.stringify(block.alphabet) ||
        there.data.name !== block.name
      ) {
        panel.alphabet = block.alphabet;
        panel.show(settings, encoding, data.view);
      } else {
        panel.data = settings;
        this.adopt(panel, encoding);
        panel.drawHead();
      }
      panels.set(block.key, panel);
      this.read.append(panel.root);
    }
    this.panels = panels;
    this.none.hidden = panels.size > 0;
    this.root.classList.toggle("several", panels.size > 1);
    this.inside.views(
      [...panels].map(
        ([
          key,
          {
            view,
            data: { name, glyph, series, merges },
          },
        ]) => ({ key, view, name, glyph, series, merges }),
      ),
    );
    if (!before && panels.size) {
      const [key, { encoding }] = panels.entries().next().value;
      const { view, size, pinned } = data.opened; // as a link wants it
      const asked = pinned && data.blocks[pinned[0]] ? { key: data.blocks[pinned[0]].key, start: pinned[1] } : null;
      this.inside.restore(held?.inside || { key, start: notable(encoding), ...asked, size });
      if (view && !held) for (const panel of panels.values()) panel.turn?.(view[0].toUpperCase() + view.slice(1));
    } else if (!sameText && panels.size) {
      const key = panels.has(this.inside.key) ? this.inside.key : panels.keys().next().value;
      this.inside.pin(key, notable(panels.get(key).encoding));
    }
    this.drawTools();
    this.drawReading();
    this.drawRefusal();
    this.numbers.offer(data.models, this.model);
    if (fromPython) this.numbers.show(data.numbers, data.blocks);
    else this.numbers.wait();
    this.proof = null;
    this.find();
    const keys = [this.reading, ...data.blocks.map((block) => block.key)].join();
    if (keys !== this.keys || !sameText || forgot) {
      this.keys = keys;
      this.connect();
    } else {
      this.pump();
      this.settle();
    }
    this.follow();
  }

  // Put a text into the area. Line ends with a carriage return do not survive there: such a text is only shown.
  write(text) {
    this.sent = text;
    const foreign = text.includes("\r");
    this.foreignEnds.hidden = !foreign || Boolean(this.data.length);
    this.beyond.hidden = !this.data.length;
    if (this.data.length) {
      this.beyond.lastChild.replaceChildren(
        make("b", "", `This text has ${figure(this.data.length)} characters, and ${figure(LIMIT)} fit here. `),
        "Its beginning can be read, not changed. Compare counts all of it; Clear makes room for another text.",
      );
    }
    this.area.readOnly = foreign || Boolean(this.data.length);
    if (this.area.value !== text) this.area.value = text;
  }

  get value() {
    return this.area.readOnly ? this.sent : this.area.value;
  }

  // Show another encoding in a panel, drawing only what differs.
  adopt(panel, encoding) {
    const [head, tail] = sharedEnds(panel.encoding, encoding);
    panel.patch(encoding, head, panel.encoding.n - tail, encoding.n - tail - head);
  }

  // --- the socket ---

  connect() {
    this.hangUp();
    clearTimeout(this.retry);
    if (this.data.length) return; // the socket has no room for this text, and must not make it shorter
    const socket = (this.socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/tokviz/live`));
    socket.binaryType = "arraybuffer";
    this.busy = true;
    this.proving = false;
    this.draft = null;
    let opened = false;
    socket.addEventListener("open", () => {
      // The server may have the very text that is shown; then nothing needs to be sent again.
      const known =
        !this.lost &&
        this.shownReading === this.reading &&
        [...this.panels.values()].every(({ encoding }) => encoding.text === this.shown.text);
      this.lost = false;
      socket.send(
        JSON.stringify({
          view: this.data.view,
          keys: [...this.panels.keys()],
          specials: this.reading,
          length: known ? this.shown.text.length : null,
          sum: known ? sumOf(this.shown.text) : null,
        }),
      );
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data !== "string") return this.answered(answerIn(data));
      const said = JSON.parse(data);
      if (said.proof !== undefined) return this.proved(said);
      if (said.look !== undefined) {
        if (said.look === this.v && !this.busy) this.inside.answer([...this.panels.keys()][said.side], said.details);
        return;
      }
      opened = true;
      this.failures = 0;
      this.wait = RETRY[0];
      this.busy = false;
      this.say("");
      this.sent = said.same ? this.shown.text : "";
      const empty = { ...NOTHING, seams: new Int32Array(0), whole: new Map() };
      this.draft = said.same ? null : { text: NOTHING, encodings: [...this.panels.values()].map(() => empty) };
      if (this.draft && !this.value) this.finishDraft();
      this.pump();
      this.settle();
      this.inside.request();
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.busy = false;
      if (this.closed) return;
      if (!opened && ++this.failures >= PATIENCE && this.tell) this.ask();
      else if (code !== 1000) this.say("The connection is gone. Trying again; what you type is kept.");
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, RETRY[1]);
    });
  }

  hangUp() {
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }

  // Both sides no longer speak of the same text: begin again with the whole of it.
  restart() {
    this.lost = true;
    this.connect();
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  typed() {
    if (this.area.value.length > LIMIT && this.area.value.length > this.sent.length) {
      const caret = this.area.selectionEnd - (this.area.value.length - this.sent.length);
      this.area.value = this.sent;
      this.area.setSelectionRange(caret, caret);
      this.say(`A text can have ${figure(LIMIT)} characters here. What was there is kept.`);
      return;
    }
    if (this.shownExample) this.drawTools(null);
    this.clearButton.disabled = !this.area.value;
    if (this.failures >= PATIENCE) this.ask();
    this.pump();
  }

  pump() {
    const value = this.value;
    if (!this.open || this.busy || value === this.sent) return;
    const edit = difference(this.sent, value);
    const room = this.more ? THEN : FIRST;
    this.more = edit.insert.length > room;
    if (this.more) edit.insert = edit.insert.slice(0, isHigh(edit.insert.charCodeAt(room - 1)) ? room - 1 : room);
    this.sent = this.sent.slice(0, edit.from) + edit.insert + this.sent.slice(edit.to);
    this.busy = true;
    this.edit = edit;
    this.socket.send(JSON.stringify({ v: ++this.v, ...edit }));
    this.numbers.wait();
    clearTimeout(this.rest);
  }

  answered({ v, length, parts }) {
    if (v !== this.v || length !== this.sent.length) return this.restart();
    const panels = [...this.panels.values()];
    const { draft } = this;
    const from = draft ? draft.encodings : panels.map((panel) => panel.encoding);
    const text = edited(draft ? draft.text : this.shown, this.edit);
    const fits = ({ start, stop, count }, i) => from[i].n - (stop - start) + count === text.n;
    if (parts.length !== panels.length || !parts.every(fits)) return this.restart();
    if (draft) draft.text = text;
    else this.shown = text;
    panels.forEach((panel, i) => {
      const part = parts[i];
      const { mintedBy, alphabet } = panel.encoding;
      for (const [rank, id] of Object.entries(part.ids)) mintedBy.set(Number(rank), id);
      const encoding = {
        ...text,
        mintedBy,
        alphabet,
        refused: part.refused,
        whole: movedWhole(from[i].whole, part),
        seams: splice(from[i].seams, part.start, part.stop - part.start, part.seams),
      };
      panel.error = part.error;
      panel.data.badge &&= { good: null, text: "asking tiktoken" };
      if (draft) {
        draft.encodings[i] = encoding;
        return;
      }
      panel.encoding = encoding;
      this.draw(() => {
        panel.view.patch(encoding, part.start, part.stop, part.count);
        panel.drawHead();
      });
    });
    if (draft && this.sent === this.value) this.finishDraft();
    this.busy = false;
    const edit = !this.draft && this.edit;
    this.draw(() => {
      this.follow(edit);
      if (edit) {
        this.inside.changed();
        this.drawRefusal();
      }
      if (this.matches) this.find();
    });
    this.pump();
    this.settle();
  }

  // What an answer changes on the page is drawn in the next frame: drawn at once, it could make the answer miss it.
  draw(change) {
    this.changes.push(change);
    this.frame ||= requestAnimationFrame(() => this.drawn());
  }

  // Draw what waits to be drawn; whoever is about to draw something else asks for this first.
  drawn() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    for (const change of this.changes.splice(0)) change();
  }

  // The whole text has been sent again, and its tokens take the place of those that stood there meanwhile.
  finishDraft() {
    this.drawn();
    const panels = [...this.panels.values()];
    this.shown = this.draft.text;
    this.shownReading = this.reading;
    panels.forEach((panel, i) => {
      const { mintedBy, alphabet } = panel.encoding;
      this.adopt(panel, { mintedBy, alphabet, ...this.draft.encodings[i], ...this.shown });
      panel.drawHead();
    });
    this.draft = null;
    this.drawRefusal();
    this.inside.changed();
  }

  // Ask for all about a token. If the text is on the move, the card asks again when it has come to rest.
  look(key, start, size) {
    if (!this.open || this.busy || this.sent !== this.value) return;
    this.socket.send(JSON.stringify({ look: this.v, side: [...this.panels.keys()].indexOf(key), start, size }));
  }

  // Some time after the last key: is what is shown what tiktoken says, and what does it come to?
  settle(wait = REST) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      if (!this.open || this.busy || this.proving || this.sent !== this.value || this.proof === this.v) return;
      this.proving = true;
      this.socket.send(JSON.stringify({ prove: this.v, model: this.model }));
    }, wait);
  }

  proved({ proof, badges, numbers }) {
    this.proving = false;
    if (proof !== this.v || numbers.model !== this.model || this.busy || this.sent !== this.value) {
      return this.settle();
    }
    this.proof = proof;
    this.numbers.show(numbers, this.data.blocks);
    [...this.panels.values()].forEach((panel, i) => {
      panel.data.badge = badges[i];
      panel.drawHead();
    });
  }

  // Where no socket can be had, Python is asked by a rerun of the page.
  ask() {
    this.say("No live connection here: tokens follow a moment after you stop.");
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.tell("asked", { what: "typed", text: this.value }), REST);
  }

  // --- the caret ---

  follow(edit = null) {
    if (this.changes.length) return; // they end with this
    const { area } = this;
    const focused = area.getRootNode().activeElement === area;
    const byte =
      focused && !this.busy && this.sent === this.value && area.selectionStart === area.selectionEnd
        ? byteAt(this.shown, area.selectionEnd)
        : null;
    if (focused && byte === null && area.selectionStart === area.selectionEnd) return; // an answer is on its way
    const views = [...this.panels.values()].map((panel) => panel.view).filter((view) => edit || view.caret !== byte);
    for (const view of views) view.follow(byte);
    for (const view of views) view.followed();
  }

  // --- what is asked for ---

  // Have special tokens read so: the whole text is sent again to a connection that does.
  readAs(reading) {
    if (reading === this.reading) return;
    this.reading = reading;
    this.drawReading();
    if (this.live) this.connect();
    else this.tell("asked", { what: "specials", name: reading });
  }

  // Hold the text against this model's context window and price.
  hold(model) {
    this.model = model;
    this.proof = null;
    this.numbers.wait();
    if (this.live) this.settle(0);
    else this.tell("asked", { what: "model", name: model });
  }

  // Whether the socket will do what is asked, or the page must.
  get live() {
    return !this.data.length && this.failures < PATIENCE;
  }

  // The address that shows this text as this panel does.
  async link(panel, { face = "Text", size, pinned }) {
    const { bytes, text } = this.shown;
    const { data } = this;
    const link = { ...data.link, sample: text === data.text ? data.link.sample : null };
    this.say(
      goesAlong(link, bytes)
        ? ""
        : `The text stays out of the link: it has ${figure(bytes.length)} bytes, and a link carries ${figure(link.limit)}.`,
    );
    const view = face === "Text" ? null : face.toLowerCase();
    const side = [...this.panels.values()].indexOf(panel);
    const query = await queryOf(link, bytes, { specials: this.reading, side, view, size, pinned });
    return `${location.origin}${location.pathname}?${query}`;
  }

  // What Python does to the text; it hears of it when it has heard all that was typed, by the socket or right here.
  act(what, name = "") {
    const unheard = this.sent !== this.value;
    if (this.open && (this.busy || unheard)) return setTimeout(() => this.act(what, name), 20);
    clearTimeout(this.asking);
    this.tell("asked", { what, name, text: unheard ? this.value : "" });
  }
}

const workbenches = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!workbenches.has(parentElement)) workbenches.set(parentElement, new Workbench(parentElement));
  const workbench = workbenches.get(parentElement);
  workbench.update(data, setTriggerValue);
  return () => {
    workbench.close();
    workbenches.delete(parentElement);
  };
}

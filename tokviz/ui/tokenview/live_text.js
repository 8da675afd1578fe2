// The text area and the live socket (tokviz/ui/tokenview/socket.py). Typing goes up as a patch, and the seams that it
// changed come down.
//
// The text area never waits. At most one patch is on the way; the next one is the difference between the text sent last
// and the text then. So there is no queue, and nothing is lost when the connection breaks: the next connection starts
// with the whole text.
//
//   area.value   what the person sees
//   sent         what the server has once the patch on the way has arrived
//   live         the text that the server has, with its bytes; each panel has its encoding of it, which is `live` too
//   shown        the same, as the token views show it: they are drawn in the frame after an answer
//   kept         the text if the area cannot hold it, because it has carriage returns; else null
//   fits         the text before the last key
//   part         has the server only a part of what is sent to it in pieces? Then nothing is drawn until it has all

import { Connection, REFUSED } from "../kit/connection.js";
import { isConnected } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { textOf, typedIn } from "./encoding.js";
import { afterEdit, answerIn, difference, editedPlain, isHigh, NOTHING, sumOf } from "./patches.js";
import { TextField } from "./text_field.js";

const PIECE = 262_144; // UTF-16 units that go up at once
const REST = 400; // ms without a key after which tiktoken checks the text
const PAUSE = 250; // ms without a key after which a very long text is sent
const PATIENCE = 3; // failed connections before the person is told
const AGAIN = "Trying again; what you type is kept.";

// Why a question has no answer: the text changed while it was on its way. What changed it asks again.
const changed = () => {};

// Subclasses have data, panels, inside, finder, asker and tell, and the methods follow(), changed() and wasTyped().
export class LiveText extends TextField {
  constructor() {
    super();
    this.live = this.shown = NOTHING;
    this.part = this.more = false; // `more`: does a piece follow the one that is on its way?
    this.sent = "";
    this.v = 0;
    this.kept = null;
    this.socket = new Connection("live", this);
    this.area.addEventListener("input", () => this.typed());
  }

  close() {
    for (const one of [this.rest, this.acting, this.pausing]) clearTimeout(one);
    this.socket.close();
  }

  // Is an answer on its way? While it takes long, the counts breathe (workbench.css).
  wait(busy) {
    this.busy = busy;
    this.root.classList.toggle("busy", busy);
  }

  get value() {
    return this.kept ?? this.area.value;
  }

  // --- the connection ---

  connecting() {
    this.wait(true);
  }

  // The server may still have the text that is shown; then nothing needs to be sent again.
  opened() {
    const { text } = this.live;
    const panels = [...this.panels.values()];
    const known = this.liveReading === this.reading && panels.every(({ live }) => typedIn(live) === text);
    this.socket.send({
      view: this.data.view,
      keys: [...this.panels.keys()],
      specials: this.reading,
      length: known ? text.length : null,
      sum: known ? sumOf(text) : null,
    });
  }

  heard(said) {
    this.wait(false);
    if (!this.noRoom || said.same || !this.value) this.say("");
    if (!said.same) {
      this.live = NOTHING;
      this.liveReading = this.reading;
      const none = { ...NOTHING, typed: undefined, source: undefined, seams: new Int32Array(0), whole: new Map() };
      for (const panel of this.panels.values()) panel.live = { ...panel.live, ...none };
    }
    this.sent = this.live.text;
    this.part = this.more = this.sent !== this.value;
    this.rests = said.rests;
    this.draw();
    this.pump();
    this.settle();
    this.inside.request();
  }

  lost(code, why) {
    this.wait(false);
    this.noRoom = Boolean(why);
    if (code === REFUSED)
      this.tell?.("asked", { what: "renew" }); // the page has another visitor, or a server that was started again
    else if (why) this.say(`${why} ${AGAIN}`);
    else if (this.socket.failures >= PATIENCE && isConnected()) this.say(`No live connection here. ${AGAIN}`);
    return true;
  }

  // Browser and server no longer have the same text: begin again with the whole of it.
  restart() {
    this.live = NOTHING; // which is no text of the panels
    this.part = true;
    this.socket.connect();
  }

  get open() {
    return this.socket.open;
  }

  // --- what is typed, and the answers ---

  typed() {
    if (this.putting) return; // Python knows it already
    if (this.kept !== null) this.keep(editedPlain(this.kept, this.area.value));
    if (this.value.length > this.data.limit && this.value.length > this.fits.length) {
      const behind = this.area.value.length - this.area.selectionEnd;
      this.area.value = this.fits;
      this.keep(this.fits);
      this.area.setSelectionRange(this.area.value.length - behind, this.area.value.length - behind);
      this.tooLong = true;
      this.say(`That is too long: ${figure(this.data.limit)} characters fit here. The text stays as it was.`);
      return;
    }
    if (this.tooLong) this.say("");
    this.tooLong = false;
    this.fits = this.value;
    this.wasTyped();
    clearTimeout(this.pausing);
    const paused = () => {
      this.pausing = null;
      this.pump();
    };
    this.pausing = this.value.length > this.rests ? setTimeout(paused, PAUSE) : null;
    this.pump();
  }

  pump() {
    const value = this.value;
    if (!this.open || this.busy || this.pausing || value === this.sent) return;
    const edit = difference(this.sent, value);
    this.more = edit.insert.length > PIECE;
    if (this.more) edit.insert = edit.insert.slice(0, isHigh(edit.insert.charCodeAt(PIECE - 1)) ? PIECE - 1 : PIECE);
    this.part ||= this.more;
    this.sent = this.sent.slice(0, edit.from) + edit.insert + this.sent.slice(edit.to);
    this.wait(true);
    this.socket.send({ v: ++this.v, ...edit });
    clearTimeout(this.rest);
  }

  answered(buffer) {
    const { v, length, parts } = answerIn(buffer);
    if (v !== this.v || length !== this.sent.length) return this.restart();
    const panels = [...this.panels.values()];
    const text = textOf(this.sent);
    const edited = panels.map(({ live }, i) => afterEdit(live, parts[i], text));
    if (edited.some(({ n, seams }) => n !== seams.length)) return this.restart();
    this.live = text;
    panels.forEach((panel, i) => {
      panel.live = edited[i];
      panel.error = parts[i].error;
      panel.data.badge &&= { good: null, text: "asking tiktoken" };
    });
    this.wait(false);
    this.part &&= this.more && this.sent !== this.value;
    if (this.noRoom && this.sent === this.value) {
      this.noRoom = false;
      this.say("");
    }
    this.draw();
    this.pump();
    this.settle();
  }

  // Draw in the next frame. Drawn at once, it could delay the rest of the answer beyond that frame.
  draw() {
    this.frame ||= requestAnimationFrame(() => this.drawn());
  }

  // Draw now what waits for the frame. Called before anything else is drawn.
  drawn() {
    const { frame, part, live, shown } = this;
    cancelAnimationFrame(frame);
    this.frame = null;
    if (!frame || part) return;
    this.shown = live;
    for (const panel of this.panels.values()) {
      if (panel.live === panel.encoding) continue;
      panel.adopt(panel.live);
      panel.drawHead();
    }
    this.follow();
    if (live === shown) return;
    this.changed();
    this.finder.again();
  }

  // --- what is asked about the text ---

  // Has the server the text? Else it is changing, and an answer would be out of date.
  get rested() {
    return this.open && !this.busy && this.sent === this.value;
  }

  // Ask for the card of a token; null: none is pinned. While the text changes nothing is asked; the card asks afterwards.
  look(key, start, size) {
    if (!this.rested) return;
    const fields = { of: key, sum: sumOf(this.live.text), start, size };
    const ask = (question) => this.asker.ask(question, fields).then(take).catch(changed);
    const take = ({ card, grows }) => {
      if (card) this.inside.answer(key, card);
      if (grows) ask("tokens.family");
    };
    ask("tokens.card");
  }

  // Some time after the last key, ask if tiktoken agrees with the tokens shown, and what is to be known of them.
  settle(wait = REST) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      const { v, panels } = this;
      const { size } = this.inside.slider;
      if (!this.rested || this.proof === v) return;
      const take = ({ badges, remarks }) => {
        const isOther = v !== this.v || panels !== this.panels || size !== this.inside.slider.size;
        if (isOther || this.busy) return; // it is asked again
        this.proof = v;
        [...panels.values()].forEach((panel, i) => {
          panel.data.badge = badges[i];
          panel.remarks = remarks[i];
          panel.drawHead();
        });
      };
      const fields = { keys: [...panels.keys()], sum: sumOf(this.live.text), size };
      this.asker.ask("tokens.proof", fields).then(take).catch(changed);
    }, wait);
  }

  // The vocabulary size changed.
  resized() {
    this.proof = null;
    this.settle(0);
  }
}

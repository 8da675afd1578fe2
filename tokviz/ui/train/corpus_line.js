// The corpus that is being written and its settings, kept in step with the server (tokviz/ui/train/socket.py).
//
// The text area never waits. At most one change is on the way; the next one is the difference between the text sent last
// and the text then. So there is no queue, and after a break the next connection begins with the text as it is.

import { Connection } from "../kit/connection.js";
import { textOf } from "../tokenview/encoding.js";
import { difference, headerIn, sumOf } from "../tokenview/patches.js";
import { trainedAgain, UNTRAINED } from "./training.js";

const bytesIn = (text) => new TextEncoder().encode(text).length;

export class CorpusLine {
  // area: the text area. owner: has
  //   trained(training, changes)   an answer came; changes is null if there is nothing to compare with
  //   refused(error)               the corpus cannot be trained on with these settings
  //   kept(said)                   the answer to keep(replay)
  //   say(words)                   trouble with the connection, "" when it is over
  //   renew()                      the page has another visitor now
  constructor(area, owner) {
    Object.assign(this, { area, owner, training: UNTRAINED, settings: null, asked: 0, keeping: null });
    this.socket = new Connection("train", this);
  }

  close() {
    clearTimeout(this.rest);
    this.socket.close();
  }

  // Begin with what is in the text area. limits: { live: bytes that are trained at each key, rest: ms }.
  begin(view, settings, limits) {
    Object.assign(this, { view, settings, limits });
    this.socket.connect();
  }

  // --- the connection ---

  connecting() {
    this.busy = true;
    this.v = 0;
  }

  opened() {
    Object.assign(this, { sent: this.area.value, told: this.settings });
    this.socket.send({ view: this.view, settings: this.told, length: this.sent.length, sum: sumOf(this.sent) });
  }

  heard(said) {
    if (said.keep !== undefined) {
      if (said.keep === this.asked) this.owner.kept(said);
      return;
    }
    this.owner.say("");
    if (this.chosenStep) this.socket.send(this.chosenStep);
    this.busy = said.same; // the whole training follows then
    if (!said.same) this.sent = "";
    this.text = textOf(this.sent);
    this.training = UNTRAINED;
    this.edit = null;
    this.first = true;
    if (!said.same && !this.area.value) this.owner.trained(UNTRAINED, null);
    this.pump();
  }

  lost(_, why, startedOver) {
    this.busy = false;
    if (startedOver) this.owner.renew();
    else if (why) this.owner.say(`${why} Trying again; what you write is kept.`);
    return true;
  }

  // --- what is written, and the answers ---

  // Is the text so long that it is trained on only when the typing rests?
  get long() {
    const { value } = this.area;
    return (
      value.length > this.limits.live || (3 * value.length > this.limits.live && bytesIn(value) > this.limits.live)
    );
  }

  typed() {
    clearTimeout(this.rest);
    this.waits = this.long;
    if (!this.waits) return this.pump();
    this.rest = setTimeout(() => {
      this.waits = false;
      this.pump();
    }, this.limits.rest);
  }

  set(settings) {
    this.settings = settings;
    this.pump();
  }

  // Tell the step that was chosen; without a connection, as soon as there is one.
  step(step) {
    this.chosenStep = { step };
    if (this.socket.open) this.socket.send(this.chosenStep);
  }

  // Make the training a tokenizer of the visitor's, once the server has all that was written.
  keep(replay) {
    this.keeping = { replay };
    this.waits = false;
    this.pump();
  }

  pump() {
    const { socket, area } = this;
    if (!socket.open || this.busy) return;
    if (this.told !== this.settings) {
      Object.assign(this, { told: this.settings, busy: true, edit: null });
      socket.send({ v: ++this.v, settings: this.told });
    } else if (this.sent !== area.value && !this.waits) {
      this.edit = difference(this.sent, area.value);
      this.sent = area.value;
      this.busy = true;
      socket.send({ v: ++this.v, ...this.edit });
    } else if (this.keeping && this.sent === area.value) {
      socket.send({ keep: ++this.asked, replay: this.keeping.replay });
      this.keeping = null;
    }
  }

  answered(buffer) {
    const [header, at] = headerIn(buffer);
    if (header.v !== this.v || header.length !== this.sent.length) return this.socket.connect();
    if (this.edit) this.text = textOf(this.sent);
    this.busy = false;
    if (header.error) this.owner.refused(header.error);
    else {
      const [training, changes] = trainedAgain(this.training, header, new Int32Array(buffer, at), this.text) ?? [];
      if (!training) return this.socket.connect();
      this.training = training;
      this.owner.trained(training, this.first ? null : changes, this.edit ? "key" : "setting");
      this.first = false;
    }
    this.pump();
  }
}

// Questions to the server, for what the browser cannot know. All components of a page share one socket for them.
//
// At most one question of each kind of a component is on the way; of those that come meanwhile only the last is asked,
// after the answer. So there is no queue, and after a break what had no answer is asked again.

import { Connection, NOT_TAKEN, REFUSED } from "./connection.js";

const DOOR = Symbol.for("tokviz.ask"); // where the page has it: each component's script has a copy of this file

class Door {
  constructor() {
    this.connection = new Connection("ask", this);
    this.askers = new Set();
    this.n = 0;
  }

  get kinds() {
    return [...this.askers].flatMap((asker) => [...asker.kinds.values()]);
  }

  pump() {
    if (!this.connection.open) return this.connection.begun || this.connection.connect();
    for (const kind of this.kinds) {
      if (!kind.next || kind.asked) continue;
      [kind.asked, kind.next, kind.n] = [kind.next, null, ++this.n];
      this.connection.send({ n: kind.n, ...kind.asked.question });
    }
  }

  opened() {
    this.pump();
  }

  heard({ n, answer, error }) {
    for (const asker of this.askers) asker.say("");
    const kind = this.kinds.find((kind) => kind.asked && kind.n === n);
    if (!kind) return;
    const { done, fail } = kind.asked;
    kind.asked = null;
    this.pump();
    if (error) fail(new Error(error));
    else done(answer);
  }

  lost(code, why) {
    for (const kind of this.kinds) {
      if (NOT_TAKEN.includes(code))
        kind.asked?.fail(new Error(why)); // it would not be taken again either
      else kind.next ??= kind.asked;
      kind.asked = null;
    }
    const waiting = [...this.askers].filter(({ kinds }) => [...kinds.values()].some(({ next }) => next));
    for (const asker of waiting) {
      if (why) asker.say(`${why} Trying again. ${asker.meanwhile}`);
      if (code === REFUSED) asker.refused();
    }
    return waiting.length > 0;
  }
}

// A component that asks.
export class Asker {
  // status: the element that tells the reader why the server does not answer, if it says so; that it is gone is told by
  // watch.js. meanwhile: what goes on without the server, as a sentence.
  // refused() is called if the server does not know the visitor, as after a restart; it does once the page has run again.
  constructor(status, meanwhile, refused) {
    Object.assign(this, { status, meanwhile, refused });
    this.kinds = new Map(); // kind -> { next, asked, n }
    this.trouble = "";
    // Says why a question has no answer.
    this.tell = ({ message }) => {
      this.status.textContent = message;
    };
    this.door = globalThis[DOOR] ??= new Door();
    this.door.askers.add(this);
  }

  // Has a question no answer yet?
  get waits() {
    return [...this.kinds.values()].some(({ next, asked }) => next || asked);
  }

  // Is there a connection, or is one being made?
  get connected() {
    return this.door.connection.begun;
  }

  // The answer, or an Error with the server's words. A question that waits is replaced by a newer one of its kind, and is
  // then never answered.
  ask(name, fields, kind = name) {
    return new Promise((done, fail) => {
      if (!this.kinds.has(kind)) this.kinds.set(kind, {});
      this.kinds.get(kind).next = { question: { ask: name, ...fields }, done, fail };
      this.door.pump();
    });
  }

  // What was asked until now is no longer of interest.
  forget() {
    this.kinds.clear();
  }

  close() {
    this.forget();
    this.door.askers.delete(this);
    if (this.door.askers.size) return;
    this.door.connection.close();
    if (globalThis[DOOR] === this.door) delete globalThis[DOOR];
  }

  // Tell of trouble; "": it is over.
  say(trouble) {
    if (trouble || this.status.textContent === this.trouble) this.status.textContent = trouble;
    this.trouble = trouble;
  }
}

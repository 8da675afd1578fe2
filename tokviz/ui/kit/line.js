// The line to the server, for what the browser cannot know: a socket that answers questions, one answer for each.
//
// At most one question of each kind is on the way; of those that come meanwhile only the last is asked, after the
// answer. So there is no queue, and after a break the line asks again what had no answer.

import { Connection, REFUSED } from "./connection.js";

export class Line {
  // room: the socket's name in its address. status: the element that tells the reader of trouble. meanwhile: what goes on
  // without the line, as a sentence. refused() is called if the server does not know the visitor, as after a restart; it
  // does once the page has run again.
  constructor(room, status, meanwhile, refused) {
    Object.assign(this, { status, meanwhile, refused });
    this.connection = new Connection(room, this);
    this.kinds = new Map(); // kind -> { next, asked, n }
    this.n = 0;
  }

  close() {
    this.connection.close();
  }

  // Ask; `done` gets the answer, or null and the reason. A newer question of a kind replaces one that still waits.
  ask(kind, question, done) {
    const state = this.kinds.get(kind) || { next: null, asked: null, n: 0 };
    this.kinds.set(kind, state);
    state.next = { question, done };
    if (this.connection.begun) this.pump();
    else this.connection.connect();
  }

  pump() {
    if (!this.connection.open) return;
    for (const state of this.kinds.values()) {
      if (!state.next || state.asked) continue;
      [state.asked, state.next, state.n] = [state.next, null, ++this.n];
      this.connection.send({ n: state.n, ...state.asked.question });
    }
  }

  opened() {
    this.pump();
  }

  heard({ n, answer, error }) {
    if (this.status.textContent === this.trouble) this.status.textContent = "";
    const state = [...this.kinds.values()].find((state) => state.asked && state.n === n);
    if (!state) return;
    const { done } = state.asked;
    state.asked = null;
    this.pump();
    done(answer ?? null, error ?? "");
  }

  lost(code, why) {
    if (code === REFUSED) this.refused();
    for (const state of this.kinds.values()) {
      state.next ??= state.asked;
      state.asked = null;
    }
    if (![...this.kinds.values()].some((state) => state.next)) return false;
    this.trouble = `${why || "The connection is gone."} Trying again. ${this.meanwhile}`;
    this.status.textContent = this.trouble;
    return true;
  }
}

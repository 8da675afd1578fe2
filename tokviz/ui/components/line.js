// The line to the server, for what the browser cannot know: a socket that answers questions, one answer for each.
//
// At most one question of each kind is on the way; of those that come meanwhile only the last is asked, after the
// answer. So there is no queue, and after a break the line asks again what had no answer.

const RETRY = [200, 5000]; // ms before the next connection, doubled each time up to the second number
const REFUSED = 1008; // as in sockets/connection.py

export class Line {
  // room: the socket's name in its address. status: the element that tells the reader of trouble. meanwhile: what goes on
  // without the line, as a sentence. refused() is called if the server does not know the visitor, as after a restart; it
  // does once the page has run again.
  constructor(room, status, meanwhile, refused) {
    Object.assign(this, { room, status, meanwhile, refused });
    this.kinds = new Map(); // kind -> { next, asked, n }
    this.n = 0;
    this.wait = RETRY[0];
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    this.socket?.close();
  }

  // Ask; `done` gets the answer, or null and the reason. A newer question of a kind replaces one that still waits.
  ask(kind, question, done) {
    const state = this.kinds.get(kind) || { next: null, asked: null, n: 0 };
    this.kinds.set(kind, state);
    state.next = { question, done };
    if (this.socket) this.pump();
    else this.connect();
  }

  pump() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    for (const state of this.kinds.values()) {
      if (!state.next || state.asked) continue;
      [state.asked, state.next, state.n] = [state.next, null, ++this.n];
      this.socket.send(JSON.stringify({ n: state.n, ...state.asked.question }));
    }
  }

  connect() {
    if (this.closed) return;
    clearTimeout(this.retry);
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/tokviz/${this.room}`);
    this.socket = socket;
    socket.addEventListener("open", () => this.pump());
    socket.addEventListener("message", ({ data }) => {
      this.wait = RETRY[0];
      this.status.textContent = "";
      const { n, answer, error } = JSON.parse(data);
      const state = [...this.kinds.values()].find((state) => state.asked && state.n === n);
      if (!state) return;
      const { done } = state.asked;
      state.asked = null;
      this.pump();
      done(answer ?? null, error ?? "");
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.closed) return;
      this.socket = null;
      if (code === REFUSED) this.refused();
      for (const state of this.kinds.values()) {
        state.next ??= state.asked;
        state.asked = null;
      }
      if (![...this.kinds.values()].some((state) => state.next)) return;
      this.status.textContent = `The connection is gone. Trying again. ${this.meanwhile}`;
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, RETRY[1]);
    });
  }
}

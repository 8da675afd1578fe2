// Replay: the line to the server, for what the browser cannot know by itself (tokviz/ui/asking.py).
//
// Of each kind of question one is on the way at most; of those that come meanwhile only the last is asked, when the
// answer is there. So there is no queue, and a line that breaks asks again what it had no answer to.

const RETRY = [200, 5000]; // ms until the next try to connect, doubled each time up to the second
const REFUSED = 1008; // live.py has the same

export class Line {
  // `status` is where the reader is told of trouble. `refused` is called when the server does not know the visitor, as
  // after it has started anew; it does when the page has run again.
  constructor(status, refused) {
    Object.assign(this, { status, refused });
    this.kinds = new Map(); // kind -> { next, asked, n }
    this.n = 0;
    this.wait = RETRY[0];
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    this.socket?.close();
  }

  // Ask; `done` gets the answer, or null and why there is none. A newer question of the kind takes an older one's place.
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
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/tokviz/replay`);
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
      this.status.textContent = "The connection is gone. Trying again; the steps go on without it.";
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, RETRY[1]);
    });
  }
}

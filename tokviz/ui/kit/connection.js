// A connection to one of the server's sockets. It is made again when it is lost: after a while, and at once when the
// network is back or the page is looked at again. That the network is lost or the machine slept it hears from watch.js.

const RETRY = [100, 5000]; // ms before the next connection, doubled each time up to the second number
export const REFUSED = 1008; // as in ui/server/connection.py
export const NOT_TAKEN = [1007, 1009]; // likewise: a message that cannot be read, or is too large; the server says why
const TRY_LATER = 1013; // likewise: the server has no room for more, and says why
const STARTED_OVER = 4001; // likewise: the visitor has left what the page shows

// The address of one of the server's sockets, by its name: below the folder that the pages are in, as the files are.
export const socketAt = (name) => new URL(`./tokviz/${name}`, document.baseURI).href.replace(/^http/, "ws");

export class Connection {
  // name: of the socket, in its address. owner: has
  //   connecting()    a connection begins; where the owner has it
  //   opened()        it is there
  //   heard(message)  a message came
  //   answered(data)  bytes came
  //   lost(code, why) it is gone; only if this returns true is it made again. code: REFUSED also if the visitor started
  //                   over. why: the server's words, if it had no room or did not take what was sent
  constructor(name, owner) {
    Object.assign(this, { name, owner, wait: RETRY[0], retry: 0 });
    this.failures = 0; // connections in a row on which the server said nothing
    this.wake = () => {
      if (this.retry && !document.hidden) this.connect();
    };
    window.addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
  }

  // Is it there, or being made?
  get begun() {
    return Boolean(this.socket);
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  connect() {
    if (this.closed) return;
    this.hangUp();
    this.owner.connecting?.();
    const socket = new WebSocket(socketAt(this.name));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.isSilent = true;
    const hear = (name, act) =>
      socket.addEventListener(name, (event) => {
        if (this.socket === socket) act(event);
      });
    hear("open", () => this.owner.opened());
    hear("message", ({ data }) => this.hear(data));
    hear("close", ({ code, reason }) => this.ended(code, reason));
  }

  hear(data) {
    this.isSilent = false;
    this.failures = 0;
    this.wait = RETRY[0];
    if (typeof data === "string") this.owner.heard(JSON.parse(data));
    else this.owner.answered(data);
  }

  ended(code, reason = "") {
    this.socket = null;
    const startedOver = code === STARTED_OVER;
    const why = [TRY_LATER, ...NOT_TAKEN].includes(code) ? reason : "";
    if (this.isSilent && !startedOver) this.failures++;
    if (code === TRY_LATER) this.wait = RETRY[1];
    if (!this.owner.lost(startedOver ? REFUSED : code, why) || this.begun) return;
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, RETRY[1]);
  }

  // The connection is known to be gone, although the browser has not noticed yet.
  drop() {
    const { socket } = this;
    if (!socket) return;
    this.ended(0);
    socket.close();
  }

  // Close it, until the owner asks for another.
  hangUp() {
    const { socket } = this;
    clearTimeout(this.retry);
    this.retry = 0;
    this.socket = null;
    socket?.close();
  }

  close() {
    this.closed = true;
    this.hangUp();
    window.removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
  }
}

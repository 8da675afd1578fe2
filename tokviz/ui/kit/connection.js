// A connection to one of the server's sockets, which is made again when it is lost.

import { socketAt } from "./address.js";

const RETRY = [200, 5000]; // ms before the next connection, doubled each time up to the second number
export const REFUSED = 1008; // as in ui/server/connection.py
export const TRY_LATER = 1013; // likewise: the server has no room for more, and says why
export const STARTED_OVER = 4001; // likewise: the visitor has left what the page shows

export class Connection {
  // socket: its name in its address. owner: opened() is called when the connection is there, heard(message) for each
  // message, and lost(code, why) when it is gone; only if that returns true is it made again. why: the server's words, if
  // it had no room.
  constructor(name, owner) {
    this.name = name;
    this.owner = owner;
    this.wait = RETRY[0];
  }

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
    clearTimeout(this.retry);
    const socket = new WebSocket(socketAt(this.name));
    const before = this.socket;
    this.socket = socket;
    before?.close();
    socket.addEventListener("open", () => {
      if (this.socket === socket) this.owner.opened();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.socket !== socket) return;
      this.wait = RETRY[0];
      this.owner.heard(JSON.parse(data));
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (this.socket === socket) this.ended(code, reason);
    });
  }

  ended(code, reason = "") {
    this.socket = null;
    const why = code === TRY_LATER ? reason : "";
    if (why) this.wait = RETRY[1];
    if (this.closed || !this.owner.lost(code === STARTED_OVER ? REFUSED : code, why)) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(2 * this.wait, RETRY[1]);
  }

  // The connection is known to be gone, although the browser has not noticed yet.
  drop() {
    const { socket } = this;
    this.ended(0);
    socket?.close();
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    this.socket?.close();
  }
}

// A socket under a text area: after a break it opens again by itself, and the owner begins with what the server needs.
//
// The server answers the first message with { hello }. Messages in bytes are the answers to what is typed.

import { socketAt } from "./address.js";
import { STARTED_OVER, TRY_LATER } from "./connection.js";

const AGAIN = [100, 4000]; // ms before the next connection, doubled each time up to the second number

export class LiveSocket {
  // room: the socket's name in its address. owner: has
  //   connecting()   a connection begins
  //   greeting()     the first message
  //   answered(data) bytes came
  //   heard(said)    any other message came; said.hello: the answer to the greeting
  //   lost(code, why)  the connection is gone, and another one begins soon; why: the server's words, if it had no room
  constructor(room, owner) {
    Object.assign(this, { room, owner });
    this.failures = 0; // connections in a row that the server did not greet
    this.wait = AGAIN[0];
    this.woken = () => {
      if (!this.socket && !this.closed && this.begun) this.connect();
    };
    window.addEventListener("online", this.woken);
  }

  close() {
    this.closed = true;
    this.hangUp();
    window.removeEventListener("online", this.woken);
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  connect() {
    this.hangUp();
    this.begun = true;
    this.owner.connecting();
    const socket = new WebSocket(socketAt(this.room));
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    let greeted = false;
    socket.addEventListener("open", () => socket.send(JSON.stringify(this.owner.greeting())));
    socket.addEventListener("message", ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data !== "string") return this.owner.answered(data);
      const said = JSON.parse(data);
      if (said.hello) {
        greeted = true;
        this.failures = 0;
        this.wait = AGAIN[0];
      }
      this.owner.heard(said);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (this.closed) return;
      if (!greeted && code !== STARTED_OVER) this.failures++;
      if (code === TRY_LATER) this.wait = AGAIN[1];
      this.owner.lost(code, code === TRY_LATER ? reason : "");
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, AGAIN[1]);
    });
  }

  // Close the connection, until the owner asks for another.
  hangUp() {
    const { socket } = this;
    clearTimeout(this.retry);
    this.begun = false;
    this.socket = null;
    socket?.close();
  }
}

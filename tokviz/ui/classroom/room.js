// A room of a class, as a teacher or a student has it in their browser: tokviz/ui/classroom/socket.py says what goes to
// the server and what comes back. The server decides; this keeps its last state and question, and a vote on its way.

import { Connection, REFUSED } from "../kit/connection.js";
import { QuestionText } from "./question.js";

const UNANSWERED = 4000; // ms after a vote without an answer, after which the connection counts as lost

const OUTSIDE = ["none", "code", "ended"]; // the phases in which one is in no room
const VOTING = { ask: 1, again: 2 }; // the phase -> which vote it is

export class Room {
  // role: "teacher" or "student". on: of the component (kit.js); it is drawn again after each change. Python hears when
  // one comes into a room or leaves it (`moved`), because the page differs then, and when the server does not know the
  // visitor (`renew`). changed() is called before a new state is drawn, refused() after a fault was.
  constructor(role, on, { changed, refused } = {}) {
    Object.assign(this, { role, on, changed, refused });
    this.state = this.question = this.vote = null;
    this.text = null; // of the question, as tokens
    this.fault = ""; // why the last message was not obeyed
    this.isLost = false;
    this.why = ""; // the server's words, if it had no room for the connection
    this.connection = new Connection("class", this);
    this.connection.connect();
  }

  close() {
    clearTimeout(this.unanswered);
    this.text?.close();
    this.connection.close();
  }

  // The code of the room that one is in; "" for none.
  get code() {
    const { state } = this;
    return !state || OUTSIDE.includes(state.phase) ? "" : state.code;
  }

  // The question in view; null for none.
  get asked() {
    return this.code && this.question?.number === this.state.number ? this.question : null;
  }

  // Send a message, if there is a connection.
  say(message) {
    if (this.connection.open) this.connection.send(message);
  }

  opened() {
    this.connection.send({ role: this.role });
    this.isFirst = true;
  }

  heard({ question, state, refused, to }) {
    Object.assign(this, { isLost: false, why: "" });
    if (question) this.show(question);
    if (state) this.enter(state);
    if (refused === undefined) return;
    if (to === "vote") this.forgetVote();
    this.fault = refused;
    this.on.redraw();
    this.refused?.();
  }

  show(question) {
    this.question = question;
    this.text?.close();
    this.text = question.strip && new QuestionText(question.strip);
  }

  enter(state) {
    const before = this.state && this.code;
    Object.assign(this, { state, fault: "" });
    if (before !== null && before !== this.code) this.on.tell("moved", Date.now());
    this.settle();
    this.isFirst = false;
    this.changed?.();
    this.on.redraw();
  }

  lost(code, why) {
    clearTimeout(this.unanswered);
    Object.assign(this, { why, isLost: true });
    if (code === REFUSED) this.on.tell("renew", Date.now());
    this.on.redraw();
    return true;
  }

  // --- a student's vote ---

  // Which vote is open: 1, 2, or 0 for none.
  get round() {
    return VOTING[this.state.phase] ?? 0;
  }

  // Vote for an option. It is kept until the server says that it arrived.
  cast(option) {
    const { state } = this;
    const n = Math.max(state.mine.n, this.vote?.n ?? 0) + 1;
    this.vote = { vote: option, question: state.number, round: this.round, n };
    this.send();
    this.on.redraw();
  }

  send() {
    if (!this.connection.open) return;
    this.connection.send(this.vote);
    clearTimeout(this.unanswered);
    this.unanswered = setTimeout(() => this.connection.drop(), UNANSWERED);
  }

  // A state came: the vote on its way has arrived, or is too late, or is sent again.
  settle() {
    const { vote, state } = this;
    if (!vote) return;
    const isOpen = vote.question === state.number && vote.round === this.round;
    if (!isOpen || state.mine.n >= vote.n) this.forgetVote();
    else if (this.isFirst) this.send();
  }

  forgetVote() {
    clearTimeout(this.unanswered);
    this.vote = null;
  }

  // What the student chose in the vote that is open, or in the last one, also before it arrived; null for nothing.
  get choice() {
    const { first, second } = this.state.mine;
    return this.vote ? this.vote.vote : this.round === 2 ? second : this.round === 1 ? first : (second ?? first);
  }
}

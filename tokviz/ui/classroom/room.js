// A room of a class, as a teacher or a student has it in their browser: tokviz/ui/classroom/socket.py says what goes to
// the server and what comes back. The server decides; this keeps its last state and question, and a vote on its way.

import { Connection, REFUSED } from "../kit/connection.js";

const UNANSWERED = 4000; // ms after a vote without an answer, after which the connection counts as lost

const MEMORY = "tokviz.room"; // in the tab: the code of the room that the student is in

export const LETTERS = "ABCDEF";
const VOTING = { ask: 1, again: 2 }; // the phase -> which vote it is

export class Room {
  // role: "teacher" or "student". changed() is called after each change, refused(words, kind) if a message was not
  // obeyed, unknown() if the server does not know the visitor, as after a restart.
  constructor(role, { changed, refused, unknown }) {
    Object.assign(this, { role, changed, refused, unknown });
    this.state = this.question = this.vote = null;
    this.gone = ""; // the code of a room that the student was in, but did not leave here
    this.isLost = false;
    this.why = ""; // the server's words, if it had no room for the connection
    this.connection = new Connection("class", this);
    this.connection.connect();
  }

  close() {
    clearTimeout(this.unanswered);
    this.connection.close();
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
    this.isLost = false;
    if (question) this.question = question;
    if (state) {
      this.state = state;
      if (this.role === "student") {
        this.remember();
        this.settle();
      }
      this.isFirst = false;
      this.changed();
    }
    if (refused !== undefined) {
      if (to === "vote") this.forgetVote();
      this.refused(refused, to);
    }
  }

  lost(code, why) {
    clearTimeout(this.unanswered);
    this.why = why;
    if (code === REFUSED) this.unknown();
    this.isLost = true;
    this.changed();
    return true;
  }

  // --- a student's room ---

  // A server that could not keep its rooms over a restart does not know which room the student was in. The tab does.
  remember() {
    const { phase, code } = this.state;
    this.gone = phase === "code" ? (sessionStorage.getItem(MEMORY) ?? "") : "";
    if (phase === "ended") sessionStorage.removeItem(MEMORY);
    else if (code) sessionStorage.setItem(MEMORY, code);
  }

  leave() {
    sessionStorage.removeItem(MEMORY);
    this.say({ leave: true });
  }

  // --- a student's vote ---

  // Which vote is open: 1, 2, or 0 for none.
  get round() {
    return VOTING[this.state?.phase] ?? 0;
  }

  // Vote for an option. It is kept until the server says that it arrived.
  cast(option) {
    const { state } = this;
    const n = Math.max(state.mine.n, this.vote?.n ?? 0) + 1;
    this.vote = { vote: option, question: state.number, round: this.round, n };
    this.send();
    this.changed();
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
    if (isOpen && state.mine.n < vote.n) {
      if (this.isFirst) this.send();
      return;
    }
    this.forgetVote();
  }

  forgetVote() {
    clearTimeout(this.unanswered);
    this.vote = null;
  }

  // What the student chose in the vote that is open, also before it arrived; null for nothing.
  get choice() {
    if (this.vote) return this.vote.vote;
    const { mine } = this.state;
    return this.round === 2 ? mine.second : mine.first;
  }
}

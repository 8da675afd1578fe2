// A student's page: the code, the question, and the result. data = {code, alone, step}: the code of the link that opened
// the page, whether the student's page is all that there is, without a heading above it, and the lesson step that Python
// has drawn below.
//
// All comes over the socket (room.js). Python hears when the student comes into a room or leaves it (`moved`), because
// the page has no navigation in a room, when the room shows another lesson step (`step`), because Python draws it below,
// and when the server does not know the visitor (`renew`).

import { html, live, nothing } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { drawOption, drawSentences, occurrences, press, QuestionText, spokenOption } from "./class_question.js";
import { LETTERS, Room } from "./room.js";

const CODE = 4; // characters
const AGAIN = 1000; // ms after which a step that is not drawn yet is asked for again

class Student {
  constructor(on) {
    Object.assign(this, { on, fault: "", typed: "", said: "", band: "", text: new QuestionText() });
    this.room = new Room("student", {
      changed: () => this.changed(),
      refused: (words, kind) => this.refused(words, kind),
      unknown: () => on.tell("renew", Date.now()),
    });
  }

  close() {
    this.text.close();
    this.room.close();
  }

  get isIn() {
    return !["code", "ended"].includes(this.room.state.phase);
  }

  // The question that is open or told; null between questions.
  get asked() {
    const { state, question } = this.room;
    return this.isIn && state.number > 0 && question?.number === state.number ? question : null;
  }

  draw(data) {
    const { root } = this.on;
    this.data = data;
    if (data.code && data.code !== this.linked) {
      this.linked = this.wanted = data.code;
      this.join();
    }
    const { state } = this.room;
    root.classList.toggle("alone", data.alone);
    if (!state) return nothing;
    const { asked } = this;
    root.classList.toggle("over-step", Boolean(state.step && (this.isPast || !asked)));
    if (!asked) this.text.close();
    return html`<div class="body">${this.body(asked)}</div><p class="unseen" role="status">${this.said}</p>`;
  }

  body(asked) {
    if (asked) return this.drawQuestion(asked);
    const { phase } = this.room.state;
    return phase === "code" ? this.drawCode() : phase === "ended" ? this.drawEnd() : this.drawWait();
  }

  // --- the code ---

  // Join with the code that a link brought, as soon as the server has said where the student is.
  join() {
    const { state } = this.room;
    if (!this.wanted || !state || this.room.isLost) return;
    if (state.code !== this.wanted) this.room.say({ join: this.wanted });
    this.typed = this.wanted;
    this.wanted = "";
  }

  refused(words, kind) {
    if (kind !== "join") this.said = words;
    else this.fault = words;
    this.on.redraw();
    if (kind === "join") this.on.root.querySelector(".code")?.select();
  }

  drawCode() {
    const [what, ...wayOut] = this.fault.split(/(?<=\.) /); // the first sentence says what was wrong
    const { gone } = this.room;
    const type = ({ target }) => {
      this.typed = target.value
        .toUpperCase()
        .replace(/[^A-Z0-9]/g, "")
        .slice(0, CODE);
      if (this.typed.length < CODE) this.fault = "";
      this.on.redraw();
    };
    const send = (event) => {
      event.preventDefault();
      this.fault = "";
      this.on.redraw();
      this.room.say({ join: this.typed });
    };
    return html`${this.data.alone && html`<h1>Join the class</h1>`}
      ${gone && noteOf("warn", `You are no longer in room ${gone}.`, "If the class goes on, type its code.")}
      <form class="join" @submit=${send}>
        <label class="label" for="code">Room code, on the screen in front</label>
        <input class="code" id="code" maxlength="12" autocomplete="off" spellcheck="false" autocapitalize="characters"
          enterkeyhint="go" aria-invalid=${this.fault ? "true" : nothing} aria-describedby=${this.fault ? "fault" : nothing}
          .value=${live(this.typed)} @input=${type}>
        <div class="note bad" id="fault" role="alert" ?hidden=${!this.fault}><p><b>${what}</b> ${wayOut.join(" ")}</p></div>
        <button type="submit" class="press bold wide">Join</button>
      </form>
      <p class="quiet small">No name is asked for. Votes are kept without names, until the room is closed.</p>`;
  }

  // --- the state ---

  changed() {
    const { state } = this.room;
    if (!state) return;
    this.join();
    if (this.wasIn !== undefined && this.wasIn !== this.isIn) this.on.tell("moved", Date.now());
    this.wasIn = this.isIn;
    if (state.phase === "ended") this.typed = "";
    this.follow(state.step, this.hadResult);
    this.hadResult = Boolean(state.result);
    this.say();
    this.on.redraw();
  }

  // Have a screen reader say what is told of the question, once.
  say() {
    const band = this.asked ? textOf(this.told()) : "";
    if (band !== this.band) this.said = this.band = band;
  }

  // The room shows this lesson step, or none (""). Once the class goes on to a step, the last result is folded.
  follow(step, hadResult) {
    const before = this.step ?? "";
    if (step === before) return;
    this.isPast = Boolean(step && (before || hadResult || this.isPast));
    this.step = step;
    this.askForStep();
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  }

  // Python draws the step. Its connection may come back later than the room's, and what is said meanwhile is lost.
  askForStep() {
    if (this.data.step === this.step) return;
    this.on.tell("step", Date.now());
    this.on.rested(AGAIN, () => this.askForStep());
  }

  // What is above the question, or above the step of the lesson.
  above() {
    const { state, isLost, vote, choice, why } = this.room;
    const kept = vote ? `Your last vote, ${LETTERS[choice]}, is kept here and sent again.` : "";
    return html`<p class="flow ends quiet small"><span>Room <b class="mono">${state.code}</b></span>
        <span>${state.number > 0 && `Question ${state.number} of ${state.of}`}</span></p>
      ${isLost && (vote || why) && noteOf("warn", why || kept, why && kept)}`;
  }

  drawWait() {
    const leave = press("", "Leave the room", () => this.room.leave());
    if (this.step) return [this.above(), TO_STEP, leave];
    return html`${this.above()}
      <h1>You are in</h1>
      <p class="quiet">The question appears here by itself. Keep this page open.</p>
      ${leave}`;
  }

  drawEnd() {
    return html`<h1>The room is closed</h1>
      <p class="quiet">${this.room.state.why}</p>
      ${press("bold", "Join another room", () => this.room.leave())}`;
  }

  drawQuestion(question) {
    const { state, round, choice } = this.room;
    const told = this.told();
    const parts = html`<h1 dir="auto">${question.title}</h1>
      ${question.lead && html`<p class="quiet small">${question.lead}</p>`}
      ${this.text.of(question, state.result?.places)}
      ${told && html`<div class="note band ${told.tone}"><p><b>${told.claim}</b> ${told.parts}</p></div>`}
      ${this.options(question)}
      ${round > 0 && choice === null && html`<p class="quiet small">Choose one. You can change it until the reveal.</p>`}`;
    const last =
      state.number === state.of ? "This was the last question so far. If there is another, it" : "The next question";
    return html`${this.above()}
      ${this.isPast ? fold(parts) : parts}
      ${this.step ? TO_STEP : state.result && html`<p class="quiet small">${last} comes by itself.</p>`}`;
  }

  get mine() {
    const { mine } = this.room.state;
    return mine.second ?? mine.first;
  }

  // What is told of the vote: {tone, claim, parts}; null for nothing.
  told() {
    const { room } = this;
    const { mine, result } = room.state;
    if (result) return this.verdict(result);
    const isCommitted = room.choice !== null && !(room.isLost && room.vote); // what is not sent is told above
    if (isCommitted)
      return { claim: `You voted ${LETTERS[room.choice]}.`, parts: ["You can change it until the reveal."] };
    if (room.round !== 2) return null;
    const first = mine.first === null ? "" : `Your first was ${LETTERS[mine.first]}. `;
    return { claim: "Second vote.", parts: [`${first}Talk with your neighbour, then choose again.`] };
  }

  verdict({ right, notes, why, wrong }) {
    const { mine } = this;
    const parts = drawSentences(why);
    if (right === null) return { claim: "The vote is over.", parts };
    if (mine === right) return { tone: "good", claim: `✓ ${LETTERS[right]} is right.`, parts };
    const how = notes[right] && notes[right] !== "right" ? notes[right] : "is right"; // "merges next"
    const claim = `${LETTERS[right]} ${how}`;
    if (mine === null) return { claim: `${claim}.`, parts };
    parts.push(...drawSentences(wrong[mine] ?? []));
    return { tone: "warn", claim: `${claim}, not ${LETTERS[mine]}.`, parts };
  }

  options({ options }) {
    const { room } = this;
    const { result } = room.state;
    const chosen = result ? this.mine : room.choice;
    return html`<div class="options" role="group" aria-label="Answers">${options.map((option, i) => {
      const words = this.words(i, chosen);
      const label = [spokenOption(option), words.replace("✓", "right,")].filter(Boolean).join(", ");
      const missed = result && result.right !== null ? "is-wrong" : "mine";
      const look = result && i === result.right ? "is-right" : i === chosen ? missed : "";
      return html`<button type="button" class="option ${look}" aria-label=${label} aria-pressed=${i === chosen}
        ?disabled=${result || !room.round} @click=${() => room.cast(i)}><span class="letter">${option.letter}</span>${drawOption(option)}<span
        class="note-of">${words}</span></button>`;
    })}</div>`;
  }

  words(i, chosen) {
    const { round, state } = this.room;
    const { result, mine } = state;
    if (!result) return i === chosen ? "yours" : round === 2 && i === mine.first ? "your first" : "";
    const words = [i === chosen ? "yours" : "", occurrences(result.counts?.[i] ?? null)].filter(Boolean).join(", ");
    return i === result.right ? `✓ ${words || "right"}` : words;
  }
}

const noteOf = (tone, what, words) => html`<div class="note ${tone}"><p><b>${what}</b> ${words}</p></div>`;

// What is told, without its looks.
const textOf = (told) => told && `${told.claim} ${told.parts.map((part) => part.textContent ?? part).join("")}`;

const TO_STEP = html`<p class="quiet small">This is the step of the lesson that your teacher is at. A question comes by itself.</p>`;

// A result that the class has left behind, behind a line that opens it.
const fold = (result) => html`<details class="past"><summary>The last question and its result</summary>
  <div class="body">${result}</div></details>`;

export default component(
  "student",
  (data, { state }) => state.student.draw(data),
  (on) => {
    on.state.student = new Student(on);
    return () => on.state.student.close();
  },
);

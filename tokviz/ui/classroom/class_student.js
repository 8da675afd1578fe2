// A student's page: the code, the question, and the result. data = {code, alone, step}: the code of the link that opened
// the page, whether the student's page is all that there is, without a heading above it, and the lesson step that Python
// has drawn below.
//
// All comes over the socket (room.js). Python hears when the room shows another lesson step (`step`), because it draws it
// below.

import { keepSought, sought } from "../kit/field.js";
import { html, nothing } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { wordsOf } from "../tokenview/sentences.js";
import { drawAsked, drawOption, drawSentences, occurrences, press, spokenOption } from "./question.js";
import { Room } from "./room.js";

const LETTERS = "ABCDEF";
const AGAIN = 1000; // ms after which a step that is not drawn yet is asked for again

class Student {
  constructor(on) {
    this.on = on;
    this.room = new Room("student", on, {
      changed: () => this.changed(),
      refused: () => on.root.querySelector(".code")?.select(),
    });
  }

  draw(data) {
    const { root } = this.on;
    const { state, asked } = this.room;
    this.data = data;
    if (data.code && data.code !== this.linked) {
      this.linked = this.wanted = this.typed = data.code;
      this.join();
    }
    root.classList.toggle("alone", data.alone);
    if (!state) return nothing;
    root.classList.toggle("over-step", Boolean(state.step && (this.isPast || !asked)));
    const told = asked && this.told();
    const body = { code: () => this.drawCode(), ended: () => this.drawEnd() }[state.phase];
    return html`<div class="body">${body ? body() : asked ? this.drawQuestion(asked, told) : this.drawWait()}</div>
      <p class="unseen" role="status">${told && (this.room.fault || `${told.claim} ${told.sentences.map(wordsOf).join(" ")}`)}</p>`;
  }

  // --- the room ---

  // Join with the code that a link brought, as soon as the server has said where the student is.
  join() {
    const { state } = this.room;
    if (!this.wanted || !state || this.room.isLost) return;
    if (state.code !== this.wanted) this.room.say({ join: this.wanted });
    this.wanted = "";
  }

  changed() {
    const { phase, step, result, number } = this.room.state;
    this.join();
    if (phase !== "code") keepSought("code", "");
    if (phase === "ended") this.typed = "";
    // Once the class goes on to another step than that of its result, the result is folded.
    if (!result) this.result = null;
    else if (this.result?.number !== number) this.result = { number, step };
    this.isPast = Boolean(step && result && this.result.step !== step);
    if (step === (this.step ?? "")) return;
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

  drawCode() {
    const { fault } = this.room;
    const [what, ...wayOut] = fault.split(/(?<=\.) /); // the first sentence says what was wrong
    const send = (event) => {
      event.preventDefault();
      this.room.fault = "";
      this.on.redraw(); // so that the same fault is told again
      this.room.say({ join: event.target.elements.code.value });
    };
    return html`${this.data.alone && html`<h1>Join the class</h1>`}
      <form class="join" @submit=${send}>
        <label class="label" for="code">Room code, on the screen in front</label>
        <input class="code" id="code" maxlength="12" autocomplete="off" spellcheck="false" autocapitalize="characters"
          enterkeyhint="go" value=${this.typed || sought("code") || nothing} @input=${({ target }) => keepSought("code", target.value)}
          aria-invalid=${fault ? "true" : nothing} aria-describedby=${fault ? "fault" : nothing}>
        <div class="note bad" id="fault" role="alert" ?hidden=${!fault}><p><b>${what}</b> ${wayOut.join(" ")}</p></div>
        <button type="submit" class="press bold wide">Join</button>
      </form>
      <p class="quiet small">No name is asked for. Votes are kept without names, until the room is closed.</p>`;
  }

  drawWait() {
    return html`${this.place()}
      ${this.room.why && html`<div class="note warn"><p><b>${this.room.why}</b></p></div>`}
      ${
        this.step
          ? TO_STEP
          : html`<h1>You are in</h1><p class="quiet">The question appears here by itself. Keep this page open.</p>`
      }
      ${press("", "Leave the room", () => this.room.say({ leave: true }))}`;
  }

  drawEnd() {
    return html`<h1>The room is closed</h1>
      <p class="quiet">${this.room.state.why}</p>
      ${press("bold", "Join another room", () => this.room.say({ leave: true }))}`;
  }

  place() {
    const { code, number, of } = this.room.state;
    return html`<p class="flow ends quiet small"><span>Room <b class="mono">${code}</b></span>
      <span>${number > 0 && `Question ${number} of ${of}`}</span></p>`;
  }

  // --- the question ---

  drawQuestion(question, told) {
    const { room } = this;
    const { state } = room;
    const parts = html`${drawAsked(room)}
      <div class="note band ${told.tone}"><p><b>${told.claim}</b> ${drawSentences(told.sentences)}</p></div>
      <div class="options" role="group" aria-label="Answers">${question.options.map((option, i) => this.drawOption(option, i))}</div>`;
    const last =
      state.number === state.of ? "This was the last question so far. If there is another, it" : "The next question";
    return html`${this.place()}
      ${this.isPast ? html`<details class="past"><summary>The last question and its result</summary><div class="body">${parts}</div></details>` : parts}
      ${this.step ? TO_STEP : state.result && html`<p class="quiet small">${last} appears here by itself.</p>`}`;
  }

  // What is told of the vote: {tone, claim, sentences}. Its place is kept from the start, so that no answer moves.
  told() {
    const { state, choice, vote, round, isLost, why } = this.room;
    const said = (claim, words = "You can change it until the reveal.", tone = "") => ({
      claim,
      sentences: [[words]],
      tone,
    });
    if (isLost && (vote || why)) {
      const kept = vote ? `Your last vote, ${LETTERS[choice]}, is kept here and sent again.` : "";
      return said(why || "Not connected.", kept, "warn");
    }
    if (state.result) return verdictOf(state.result, choice);
    if (choice !== null) return said(`You voted ${LETTERS[choice]}.`);
    if (round !== 2) return said("Choose one.");
    const { first } = state.mine;
    const before = first === null ? "" : `Your first was ${LETTERS[first]}. `;
    return said("Second vote.", `${before}Talk with your neighbour, then choose again.`);
  }

  drawOption(option, i) {
    const { room } = this;
    const { result } = room.state;
    const isMine = i === room.choice;
    const missed = result && result.right !== null ? "is-wrong" : "mine";
    const look = result && i === result.right ? "is-right" : isMine ? missed : "";
    const words = this.words(i, isMine);
    const label = [spokenOption(option), words.replace("✓", "right,")].filter(Boolean).join(", ");
    return html`<button type="button" class="option ${look}" aria-label=${label} aria-pressed=${isMine}
      ?disabled=${result || !room.round} @click=${() => room.cast(i)}>${drawOption(option)}<span class="note-of">${words}</span></button>`;
  }

  // The words beside an option: whose vote it has, and how often it occurs.
  words(i, isMine) {
    const { round, state } = this.room;
    const { result, mine } = state;
    if (!result) return isMine ? "yours" : round === 2 && i === mine.first ? "your first" : "";
    const words = [isMine && "yours", occurrences(result.counts[i])].filter(Boolean).join(", ");
    return i === result.right ? `✓ ${words || "right"}` : words;
  }
}

// What the reveal tells a student who chose this.
function verdictOf({ right, notes, why, wrong }, choice) {
  if (right === null) return { claim: "The vote is over.", sentences: why };
  if (choice === right) return { tone: "good", claim: `✓ ${LETTERS[right]} is right.`, sentences: why };
  const how = notes[right] && notes[right] !== "right" ? notes[right] : "is right"; // "merges next"
  const claim = `${LETTERS[right]} ${how}`;
  if (choice === null) return { claim: `${claim}.`, sentences: why };
  return { tone: "warn", claim: `${claim}, not ${LETTERS[choice]}.`, sentences: [...why, ...wrong[choice]] };
}

const TO_STEP = html`<p class="quiet small">Your teacher is at this step of the lesson. The next question appears here by itself.</p>`;

export default component(
  "student",
  (data, { state }) => state.student.draw(data),
  (on) => {
    on.state.student = new Student(on);
    return () => on.state.student.room.close();
  },
);

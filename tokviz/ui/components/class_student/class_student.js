// A student's page: the code, the question, and the result. data = {code, alone, step}: the code of the link that opened
// the page, whether the student's page is all that there is, without a heading above it, and the lesson step that Python
// has drawn below.
//
// All comes over the socket (room.js). Python hears when the student comes into a room or leaves it (`moved`), because
// the page has no navigation in a room, when the room shows another lesson step (`step`), because Python draws it below,
// and when the server does not know the visitor (`renew`).

import { asStatus, make, makeButton, mount, setAttributes, unspoken } from "../../kit/elements.js";
import { drawOption, drawSentences, occurrences, QuestionText, spokenOption } from "../class_question.js";
import { LETTERS, Room } from "../room.js";

const CODE = 4; // characters
const AGAIN = 1000; // ms after which a step that is not drawn yet is asked for again

class Student {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz student"));
    this.said = asStatus(make("p", "unseen"));
    this.body = make("div", "body");
    this.root.append(this.body, this.said);
    this.fault = "";
    this.room = new Room("student", {
      changed: () => this.changed(),
      refused: (words, kind) => this.refused(words, kind),
      unknown: () => this.tell("renew", Date.now()),
    });
  }

  close() {
    clearTimeout(this.asking);
    this.text?.close();
    this.room.close();
  }

  load({ code, alone, step }, tell) {
    this.tell = tell;
    this.alone = alone;
    this.below = step;
    if (step === this.step) clearTimeout(this.asking);
    this.root.classList.toggle("alone", alone);
    if (code && code !== this.linked) {
      this.linked = code;
      this.wanted = code;
      this.join();
    }
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
    if (kind === "join") {
      this.fault = words;
      this.drawn = "";
      this.changed();
      this.field?.select();
    } else {
      this.said.textContent = words;
    }
  }

  drawCode() {
    const form = make("form", "join");
    const label = make("label", "label", "Room code, on the screen in front");
    const field = make("input", "code");
    Object.assign(field, {
      id: "code",
      value: this.typed ?? "",
      maxLength: 12,
      autocomplete: "off",
      spellcheck: false,
    });
    setAttributes(field, { autocapitalize: "characters", enterkeyhint: "go" });
    label.htmlFor = "code";
    field.addEventListener("input", () => {
      const kept = field.value
        .toUpperCase()
        .replace(/[^A-Z0-9]/g, "")
        .slice(0, CODE);
      if (field.value !== kept) field.value = kept;
      this.typed = kept;
      if (kept.length < CODE) note.hidden = true;
    });
    const [what, ...wayOut] = this.fault.split(/(?<=\.) /); // the first sentence says what was wrong
    const note = this.note("bad", "×", what, wayOut.join(" "));
    note.id = "fault";
    note.hidden = !this.fault;
    note.setAttribute("role", "alert");
    if (this.fault) {
      setAttributes(field, { "aria-invalid": "true", "aria-describedby": "fault" });
    }
    const button = make("button", "press bold wide", "Join");
    button.type = "submit";
    form.append(label, field, note, button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.fault = "";
      this.room.say({ join: field.value });
    });
    this.field = field;
    return [
      ...(this.alone ? [make("h1", "title", "Join the class")] : []),
      ...this.gone(),
      form,
      make("p", "quiet small", "No name is asked for. Votes are kept without names, until the room is closed."),
    ];
  }

  gone() {
    const { gone } = this.room;
    if (!gone) return [];
    return [this.note("warn", "!", `You are no longer in room ${gone}.`, "If the class goes on, type its code.")];
  }

  note(tone, mark, strong, words) {
    const note = make("div", `band ${tone}`);
    const sign = unspoken(make("span", "mark", mark));
    const text = make("p");
    text.append(make("b", "", strong), ` ${words}`);
    note.append(sign, text);
    return note;
  }

  // --- the state ---

  changed() {
    const { state, question, isLost } = this.room;
    if (!state) return;
    this.join();
    const inRoom = state.phase !== "code" && state.phase !== "ended";
    if (this.inRoom !== undefined && this.inRoom !== inRoom) this.tell("moved", Date.now());
    this.inRoom = inRoom;
    this.follow(state.step, this.hadResult);
    this.hadResult = Boolean(state.result);
    const asked = question && question.number === state.number && state.number > 0 && inRoom;
    const { phase, number, of, step } = state;
    const shown = JSON.stringify([phase, asked && number, of, isLost, this.room.choice, step, this.isPast, this.fault]);
    if (shown === this.drawn) return;
    const held = this.root.getRootNode().activeElement;
    const option = held?.dataset?.option;
    this.drawn = shown;
    this.root.classList.toggle("over-step", Boolean(step && (this.isPast || !asked)));
    if (!asked) this.leaveText();
    if (asked) this.drawQuestion();
    else if (state.phase === "code") this.body.replaceChildren(...this.drawCode());
    else if (state.phase === "ended") this.body.replaceChildren(...this.drawEnd());
    else this.body.replaceChildren(...this.drawWait());
    if (option) this.body.querySelector(`[data-option="${option}"]`)?.focus();
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
    clearTimeout(this.asking);
    if (this.below === this.step) return;
    this.tell("step", Date.now());
    this.asking = setTimeout(() => this.askForStep(), AGAIN);
  }

  leaveText() {
    this.said.textContent = "";
    this.text?.close();
    this.text = this.drawnQuestion = null;
  }

  head() {
    const { state } = this.room;
    const head = make("p", "head quiet small");
    const room = make("span", "", "Room ");
    room.append(make("b", "mono", state.code));
    head.append(room, make("span", "", state.number ? `Question ${state.number} of ${state.of}` : ""));
    return head;
  }

  // What stands above the question, or above the step of the lesson.
  above() {
    const { isLost, vote, choice, why } = this.room;
    if (!isLost || !(vote || why)) return [];
    const kept = vote ? `Your last vote, ${LETTERS[choice]}, is kept here and sent again.` : "";
    return [this.note("warn", "!", why || kept, why && kept)];
  }

  drawWait() {
    if (this.step) return [this.head(), ...this.above(), ...this.toStep(), this.leaveButton()];
    return [
      this.head(),
      ...this.above(),
      make("h1", "title", "You are in"),
      make("p", "quiet", "The question comes by itself. Keep this page open."),
      this.leaveButton(),
    ];
  }

  // What is said of the step below.
  toStep() {
    const words = "This is the step of the lesson that your teacher is at. A question comes by itself.";
    return [make("p", "quiet small", words)];
  }

  leaveButton() {
    return makeButton("press", "Leave the room", () => this.room.leave());
  }

  drawEnd() {
    this.typed = "";
    const again = makeButton("press bold", "Join another room", () => this.room.leave());
    return [make("h1", "title", "The room is closed"), make("p", "quiet", this.room.state.why), again];
  }

  drawQuestion() {
    const { question, state } = this.room;
    if (this.drawnQuestion !== question) {
      this.leaveText();
      this.drawnQuestion = question;
      const box = make("div", "strip");
      if (question.strip) this.text = new QuestionText(box);
      this.strip = question.strip ? box : null;
    }
    const parts = [make("h1", "title", question.title)];
    parts[0].dir = "auto";
    if (question.lead) parts.push(make("p", "quiet small", question.lead));
    if (this.strip) parts.push(this.strip);
    const band = this.band();
    if (band) parts.push(band);
    parts.push(this.options());
    if (this.room.round && this.room.choice === null) {
      parts.push(make("p", "quiet small", "Choose one. You can change it until the reveal."));
    }
    if (this.step) parts.push(...this.toStep());
    else if (state.result) {
      const last =
        state.number === state.of ? "This was the last question so far. If there is another, it" : "The next question";
      parts.push(make("p", "quiet small", `${last} comes by itself.`));
    }
    const scrolled = this.strip?.scrollTop;
    this.body.replaceChildren(this.head(), ...this.above(), ...(this.isPast ? this.fold(parts) : parts));
    if (scrolled) this.strip.scrollTop = scrolled;
    this.text?.draw(question.strip, state.result?.places ?? []);
    this.said.textContent = band?.textContent ?? "";
  }

  // A result that the class has left behind, behind a line that opens it.
  fold(parts) {
    const result = make("details", "past");
    const body = make("div", "body");
    body.append(...parts.slice(0, -1));
    result.append(make("summary", "", "The last question and its result"), body);
    return [result, parts.at(-1)];
  }

  get mine() {
    const { mine } = this.room.state;
    return mine.second ?? mine.first;
  }

  band() {
    const { room } = this;
    const { mine, result } = room.state;
    if (result) return this.verdict(result);
    const letter = LETTERS[room.choice];
    const isCommitted = room.choice !== null && !(room.isLost && room.vote); // what is not sent is told above
    if (isCommitted)
      return bandOf("", [make("b", "", `Committed: ${letter}.`), " You can change it until the reveal."]);
    if (room.round !== 2) return null;
    const first = mine.first === null ? "" : ` Your first was ${LETTERS[mine.first]}.`;
    return bandOf("", [make("b", "", "Second vote."), `${first} Talk with your neighbour, then choose again.`]);
  }

  verdict({ right, notes, why, wrong }) {
    const { mine } = this;
    const said = drawSentences(why);
    if (right === null) return bandOf("", [make("b", "", "The vote is over. "), ...said]);
    if (mine === right) return bandOf("good", [make("b", "", `✓ ${LETTERS[right]} is right. `), ...said]);
    const how = notes[right] && notes[right] !== "right" ? notes[right] : "is right"; // "merges next"
    const claim = `${LETTERS[right]} ${how}`;
    if (mine === null) return bandOf("", [make("b", "", `${claim}. `), ...said]);
    const proof = drawSentences(wrong[mine] ?? []);
    return bandOf("warn", [make("b", "", `${claim}, not ${LETTERS[mine]}. `), ...said, ...proof]);
  }

  options() {
    const { room } = this;
    const { question, state } = room;
    const { result, mine } = state;
    const list = make("div", question.options.length > 4 ? "options many" : "options");
    setAttributes(list, { role: "group", "aria-label": "Answers" });
    const chosen = result ? this.mine : room.choice;
    for (const [i, option] of question.options.entries()) {
      const button = makeButton("option", "", () => room.cast(i), spokenOption(option));
      button.dataset.option = String(i);
      button.setAttribute("aria-pressed", String(i === chosen));
      button.disabled = Boolean(result) || !room.round;
      const words = this.words(i, chosen, result, mine);
      button.append(make("span", "letter", option.letter), drawOption(option), make("span", "words", words));
      if (words) button.setAttribute("aria-label", `${spokenOption(option)}, ${words.replace("✓", "right,")}`);
      if (result && i === result.right) button.classList.add("right");
      else if (result && i === chosen) button.classList.add(result.right === null ? "mine" : "not-right");
      else if (i === chosen) button.classList.add("mine");
      list.append(button);
    }
    return list;
  }

  words(i, chosen, result, mine) {
    if (!result) {
      if (i === chosen) return "yours";
      return this.room.round === 2 && i === mine.first ? "your first" : "";
    }
    const words = [i === chosen ? "yours" : "", occurrences(result.counts?.[i] ?? null)].filter(Boolean).join(", ");
    return i === result.right ? `✓ ${words || "right"}` : words;
  }
}

function bandOf(tone, parts) {
  const band = make("div", `band ${tone}`);
  const text = make("p");
  text.append(...parts);
  band.append(text);
  return band;
}

export default function (page) {
  return mount(Student, page, (student) => student.load(page.data, page.setTriggerValue));
}

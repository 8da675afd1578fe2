// A teacher's page in a class: the code, the question, the votes, and four buttons that keep their places.
//
// All of the room comes over the socket (room.js). data = {address, qr, trouble, wayOut}: where students find the room,
// the rows of its QR code, and why they may not reach it. Python hears that a room began or ended (`moved`), because
// address and QR code depend on it, and that the server does not know the visitor (`renew`).

import { asStatus, make, makeButton, mount, setAttributes } from "../../kit/elements.js";
import { Room } from "../room.js";
import { Actions } from "./actions.js";
import { Asked } from "./asked.js";
import { JoinSheet } from "./join_sheet.js";
import { Plan } from "./plan.js";
import { Results } from "./results.js";

const LAST = "This was the last question. Add one below, or show the code to close the room.";

class Teacher {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz teacher"));
    this.bar = make("header", "bar");
    this.stage = make("div", "stage");
    this.trouble = asStatus(make("p", "trouble"));
    this.room = new Room("teacher", {
      changed: () => this.draw(),
      refused: (words) => this.tellTrouble(words),
      unknown: () => this.tell?.("renew", Date.now()),
    });
    this.actions = new Actions(this.root, this.room);
    this.plan = new Plan(this.room);
    const screen = make("div", "screen"); // what a class sees
    screen.append(this.bar, this.stage, this.actions.foot);
    this.actions.keys.before(this.trouble); // in their place, so that nothing moves
    this.root.append(screen, this.plan.element);
    this.sheet = new JoinSheet(this);
    this.asked = new Asked();
    this.results = new Results();
    const main = document.querySelector('[data-testid="stMain"]'); // shorter than the window above a note
    this.fit = () => {
      const above = this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
      const top = above + innerHeight - (main?.clientHeight ?? innerHeight);
      this.root.style.setProperty("--above", `${Math.round(top)}px`);
    };
    this.fitting = new ResizeObserver(this.fit);
    this.fitting.observe(main ?? document.documentElement);
    this.fit();
  }

  close() {
    this.fitting.disconnect();
    this.actions.close();
    this.asked.close();
    this.room.close();
  }

  load(data, tell) {
    this.data = data;
    this.tell = tell;
    this.draw();
  }

  tellTrouble(words) {
    this.trouble.textContent = words;
  }

  draw() {
    const { room, data } = this;
    const { state, question, isLost } = room;
    if (!state || !data) return;
    const isLast = Boolean(state.result) && state.number === state.of;
    const noRoom = room.why && `${room.why} Trying again. The votes are kept on the server.`;
    this.tellTrouble(isLost ? noRoom : isLast ? LAST : "");
    this.trouble.classList.toggle("last", isLast && !isLost);
    this.root.dataset.phase = state.phase;
    const isOver = state.phase === "none" || state.phase === "ended";
    const now = isOver ? "" : state.code;
    if (this.code !== undefined && this.code !== now) this.tell("moved", Date.now());
    this.code = now;
    this.actions.draw(state, isLost);
    this.actions.foot.hidden = this.plan.element.hidden = isOver;
    if (!isOver) this.plan.draw(state);
    const asked = question && question.number === state.number ? question : null;
    const isJoin = !isOver && (state.show_code || state.phase === "join" || !asked);
    this.root.classList.toggle("joining", isJoin);
    if (isOver) this.drawEnd();
    else if (isJoin) this.sheet.draw(this.bar, this.stage, state, data);
    else this.drawQuestion(state, asked);
  }

  drawEnd() {
    const { state } = this.room;
    this.bar.replaceChildren(make("h1", "", state.phase === "ended" ? "The room is closed" : "No room is open"));
    this.stage.replaceChildren(make("p", "quiet", state.why));
  }

  drawQuestion(state, question) {
    const code = make("p", "room-code", state.code);
    setAttributes(code, { "aria-label": `Room code ${[...state.code].join(" ")}`, role: "img" });
    const joined = make("p", "joined");
    joined.append(make("b", "", String(state.joined)), " joined");
    const show = makeButton("press small", "Show the code", () => this.room.say({ show_code: true }));
    this.keepFocus(this.bar, () =>
      this.bar.replaceChildren(code, make("p", "mono address", this.data.address), joined, show),
    );
    const second = state.phase === "again" || state.phase === "second" ? ", second vote" : "";
    this.asked.draw(question, state.result?.places ?? [], `Question ${state.number} of ${state.of}${second}`);
    const { element } = this.asked;
    const shown = state.result ? `${state.number} ${state.phase}` : ""; // a result stays as it is, and may be unfolded
    if (this.stage.firstChild !== element) this.stage.replaceChildren(element);
    else if (shown && shown === this.shown) return;
    this.shown = shown;
    while (this.stage.lastChild !== element) this.stage.lastChild.remove();
    this.stage.append(...(shown ? this.results.draw(question, state) : this.asked.votes(question, state)));
  }

  // Draw something again whose button may have the focus.
  keepFocus(box, draw) {
    const held = box.contains(this.root.getRootNode().activeElement);
    draw();
    if (held) box.querySelector("button")?.focus();
  }
}

export default function (page) {
  return mount(Teacher, page, (teacher) => teacher.load(page.data, page.setTriggerValue));
}

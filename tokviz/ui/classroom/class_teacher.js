// A teacher's page in a class: the code, the question, the votes, and four buttons that keep their places.
//
// All of the room comes over the socket (room.js). data = {address, qr, trouble, wayOut}: where students find the room,
// the rows of its QR code, and why they may not reach it. Python hears that a room began or ended (`moved`), because
// address and QR code depend on it, and that the server does not know the visitor (`renew`).

import { html } from "../kit/html.js";
import { component, keepFocus } from "../kit/kit.js";
import { drawActions, hearKeys } from "./actions.js";
import { drawAsked, drawVotes } from "./asked.js";
import { press, QuestionText } from "./class_question.js";
import { drawJoin, drawRoomCode } from "./join_sheet.js";
import { drawPlan } from "./plan.js";
import { drawResult } from "./results.js";
import { Room } from "./room.js";

const LAST = "This was the last question. Add one below, or show the code to close the room.";

function draw(data, on) {
  const { root, state: my } = on;
  const { room } = my;
  const { state, question } = room;
  if (!state) return html`<div class="screen"></div>`; // the place is kept, so that nothing below moves
  keepFocus(root, ".bar button");
  keepFocus(root, ".to-come button");
  const isOver = state.phase === "none" || state.phase === "ended";
  const asked = question?.number === state.number ? question : null;
  const isJoin = !isOver && (state.show_code || state.phase === "join" || !asked);
  const code = isOver ? "" : state.code;
  if (my.code !== undefined && my.code !== code) on.tell("moved", Date.now());
  Object.assign(my, { code, isAsking: isJoin && my.isAsking });
  root.dataset.phase = state.phase;
  root.classList.toggle("joining", isJoin);
  const [bar, stage] = isOver ? drawEnd(state) : isJoin ? drawJoin(data, on) : drawQuestion(asked, data, my);
  return html`<div class="screen">
      <header class="flow bar">${bar}</header>
      <div class="stage">${stage}</div>
      ${!isOver && drawActions(room, troubleOf(my))}
    </div>
    ${!isOver && drawPlan(room)}`;
}

// What is in the place of the keys: [words, look].
function troubleOf({ room: { state, isLost, why }, refusal }) {
  if (refusal) return [refusal];
  if (isLost) return [why && `${why} Trying again. The votes are kept on the server.`];
  return state.result && state.number === state.of ? [LAST, "last"] : [];
}

// Each of these draws what is in the bar, and what is below it.
const drawEnd = ({ phase, why }) => [
  html`<h1>${phase === "ended" ? "The room is closed" : "No room is open"}</h1>`,
  html`<p class="quiet">${why}</p>`,
];

const drawQuestion = (question, { address }, { room, text }) => [
  html`${drawRoomCode(room.state.code)}
    <p class="mono address">${address}</p>
    <p class="joined"><b>${room.state.joined}</b> joined</p>
    ${press("small", "Show the code", () => room.say({ show_code: true }))}`,
  html`${drawAsked(question, room.state, text)}
    ${room.state.result ? drawResult(question, room.state.result) : drawVotes(question, room.state)}`,
];

function begin({ root, state, redraw, tell }) {
  const room = new Room("teacher", {
    changed: () => redraw({ refusal: "" }),
    refused: (refusal) => redraw({ refusal }),
    unknown: () => tell("renew", Date.now()),
  });
  Object.assign(state, { room, text: new QuestionText() });
  const deafen = hearKeys(root, room);
  const main = document.querySelector('[data-testid="stMain"]'); // shorter than the window above a note
  const fit = () => {
    const above = root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    const top = above + innerHeight - (main?.clientHeight ?? innerHeight);
    root.style.setProperty("--above", `${Math.round(top)}px`);
  };
  const fitting = new ResizeObserver(fit);
  fitting.observe(main ?? document.documentElement);
  fit();
  return () => {
    fitting.disconnect();
    deafen();
    state.text.close();
    room.close();
  };
}

export default component("teacher", draw, begin);

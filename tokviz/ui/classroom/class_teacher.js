// A teacher's page in a class: the code, the question, the votes, and four buttons that keep their places.
//
// All of the room comes over the socket (room.js). data = {address, qr, trouble, wayOut}: where students find the room,
// the rows of its QR code, and why they may not reach it.

import { html } from "../kit/html.js";
import { component, keepFocus } from "../kit/kit.js";
import { drawActions, hearKeys } from "./actions.js";
import { drawJoin, drawRoomCode } from "./join_sheet.js";
import { drawPlan } from "./plan.js";
import { drawAsked, press } from "./question.js";
import { drawResult, drawVotes } from "./results.js";
import { Room } from "./room.js";

const LAST = "This was the last question. Add one below, or show the code to close the room.";

function draw(data, on) {
  const { root, state: my } = on;
  const { room } = my;
  const { state, asked } = room;
  if (!state) return html`<div class="screen"></div>`; // the place is kept, so that nothing below moves
  keepFocus(root, ".bar button");
  keepFocus(root, ".to-come button");
  const isOver = !room.code;
  const isJoin = !isOver && (state.show_code || state.phase === "join" || !asked);
  my.isAsking &&= isJoin;
  root.dataset.phase = state.phase;
  root.classList.toggle("joining", isJoin);
  const [bar, stage] = isOver ? drawEnd(state) : isJoin ? drawJoin(data, on) : drawQuestion(room, data);
  return html`<div class="screen">
      <header class="flow bar">${bar}</header>
      <div class="stage">${stage}</div>
      ${!isOver && drawActions(room, troubleOf(room))}
    </div>
    ${!isOver && drawPlan(room)}`;
}

// What is in the place of the keys: [words, look].
function troubleOf({ state, isLost, why, fault }) {
  if (fault) return [fault];
  if (isLost) return [why && `${why} Trying again. The votes are kept on the server.`];
  return state.result && state.number === state.of ? [LAST, "last"] : [];
}

// Each of these draws what is in the bar, and what is below it.
const drawEnd = ({ phase, why }) => [
  html`<h1>${phase === "ended" ? "The room is closed" : "No room is open"}</h1>`,
  html`<p class="quiet">${why}</p>`,
];

const drawQuestion = (room, { address }) => {
  const { state, asked } = room;
  const second = ["again", "second"].includes(state.phase) ? ", second vote" : "";
  const where = html`<p class="quiet where">Question ${state.number} of ${state.of}${second}</p>`;
  return [
    html`${drawRoomCode(room.code)}
      <p class="mono address">${address}</p>
      <p class="joined"><b>${state.joined}</b> joined</p>
      ${press("small", "Show the code", () => room.say({ show_code: true }))}`,
    html`${drawAsked(room, where)}${state.result ? drawResult(asked, state.result) : drawVotes(asked, state)}`,
  ];
};

function begin(on) {
  const { root } = on;
  const room = new Room("teacher", on);
  on.state.room = room;
  const deafen = hearKeys(room);
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
    room.close();
  };
}

export default component("teacher", draw, begin);

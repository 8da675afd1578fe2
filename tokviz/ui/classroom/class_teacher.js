// A teacher's page in a class: the code or the question with its votes, and four buttons that keep their places; below this
// screen, which a class sees, the plan. All of the room comes over the socket (room.js).
//
// data = {address, qr, trouble, wayOut}: where students find the room, the rows of its QR code, and why they may not reach
// it.

import { html, live } from "../kit/html.js";
import { component, keepFocus } from "../kit/kit.js";
import { figure } from "../kit/words.js";
import { drawAsked, press } from "./question.js";
import { drawResult, drawVotes } from "./results.js";
import { Room } from "./room.js";

const ACTS = [
  ["ask", "Ask", "Q"],
  ["reveal", "Reveal", "V"],
  ["again", "Vote again", "G"],
  ["next", "Next question", "N"],
];
const KEYS = [...ACTS.map(([what, , key]) => [key, what]), ["J", "show the code"]];
const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable='true'], [role='combobox']";
const QUIET_ZONE = 4; // modules around a QR code that stay white, as its standard asks

function draw(data, { root, state: { room } }) {
  const { state, asked } = room;
  if (!state) return html`<div class="screen"></div>`; // the place is kept, so that nothing below moves
  if (!room.code)
    return html`<div class="screen"><h1>${state.phase === "ended" ? "The room is closed" : "No room is open"}</h1>
      <p class="quiet">${state.why}</p></div>`;
  keepFocus(root, ".bar button");
  keepFocus(root, ".to-come button");
  const isJoin = state.show_code || state.phase === "join" || !asked;
  const turn = () => room.say({ show_code: !state.show_code });
  return html`<div class=${isJoin ? "screen joining" : "screen"} data-phase=${state.phase}>
      <header class="flow bar">
        ${isJoin ? html`<h1>Join with this code</h1>` : drawHead(room, data)}
        ${asked && state.phase !== "join" && press("small", isJoin ? "Back to the question" : "Show the code", turn)}
      </header>
      <div class="stage">${isJoin ? drawJoin(room, data) : drawQuestion(room)}</div>
      ${drawActions(room)}
    </div>
    ${drawPlan(room)}`;
}

// --- the screen ---

const drawCode = ({ code }) =>
  html`<p class="room-code" role="img" aria-label="Room code ${[...code].join(" ")}">${code}</p>`;

const drawHead = (room, { address }) => html`${drawCode(room)}<p class="mono address">${address}</p>
  <p class="joined"><b>${figure(room.state.joined)}</b> joined</p>`;

const drawJoin = (room, { address, qr, trouble, wayOut }) => {
  const { joined, kept, let_in: letIn, number } = room.state;
  return html`<div class="join-words">
    ${drawCode(room)}
    <p class="url"><span class="quiet">at </span><span class="mono">${address}</span></p>
    <p class="url"><b class="count">${figure(joined)}</b> ${joined === 1 ? "has" : "have"} joined</p>
    ${trouble && html`<div class="note warn"><p><b>${trouble}</b> ${wayOut}</p></div>`}
    ${!letIn && html`<div class="note warn"><p><b>Nobody else can join now.</b> Tick “New students can join” below to let them in.</p></div>`}
    ${!number && html`<p>No question is ready. Choose one below.</p>`}
    <p class="quiet">No name is asked for. Votes are kept without names, until the room is closed.${
      !kept && " If the server stops, the room is gone."
    }</p>
  </div>${qr.length > 0 && drawQr(qr)}`;
};

// A QR code from its rows of "0" and "1". It is black on white in both themes, because cameras expect it so.
function drawQr(rows) {
  const size = rows.length + 2 * QUIET_ZONE;
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  return html`<svg class="qr" viewBox="${-QUIET_ZONE} ${-QUIET_ZONE} ${size} ${size}" shape-rendering="crispEdges" role="img"
    aria-label="QR code of the address at which students join"><path fill="#000" d=${dark.join("")} /></svg>`;
}

function drawQuestion(room) {
  const { state, asked } = room;
  const second = ["again", "second"].includes(state.phase) ? ", second vote" : "";
  const where = html`<p class="quiet where">Question ${state.number} of ${state.of}${second}</p>`;
  return [drawAsked(room, where), state.result ? drawResult(asked, state.result) : drawVotes(asked, state)];
}

// --- the four buttons and their keys: what the server says can be done is on, and the first of it is bold ---

// Trouble is in the place of the keys, so that nothing moves.
function drawActions(room) {
  const { state, isLost, why, fault } = room;
  const isLast = state.result && state.number === state.of;
  const last = "This was the last question. Add one or close the room below.";
  const trouble = fault || (isLost && why && `${why} Trying again. The votes are kept on the server.`);
  return html`<footer class="flow foot">
    ${ACTS.map(
      ([what, label]) => html`<button type="button" class=${state.can[0] === what ? "press act bold" : "press act"}
        style="--letters: ${label.length}" aria-disabled=${isLost || !state.can.includes(what)} @click=${() => act(room, what)}>${label}</button>`,
    )}
    <p class=${trouble ? "trouble" : "quiet"} role="status">${trouble || (!isLost && isLast && last)}</p>
    <p class="keys">${KEYS.map(([key, does]) => html`<span><kbd>${key}</kbd> ${does}</span>`)}</p>
  </footer>`;
}

function act(room, what) {
  if (room.state.can.includes(what)) room.say({ do: what, question: room.state.number });
}

// The keys work wherever the focus is, but for fields in which one types.
const hear = (room) => (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !room.state) return;
  if (event.composedPath()[0].matches?.(TYPED_IN)) return;
  const key = event.key.toUpperCase();
  const { show_code: shown, phase } = room.state;
  const what = ACTS.find(([, , letter]) => letter === key)?.[0];
  if (what) act(room, what);
  else if (key === "J" && phase !== "join") room.say({ show_code: !shown });
  else if (key === "ESCAPE" && shown) room.say({ show_code: false });
  else return;
  event.preventDefault();
};

// --- below the screen ---

function drawPlan(room) {
  const { plan, step, follow, let_in: letIn } = room.state;
  const told = follow ? "Students see it too, when no vote is open." : "Students are not told.";
  const tick = (words, name, isOn) => html`<label class="choice"><input type="checkbox" .checked=${live(isOn)}
    @change=${({ target }) => room.say({ [name]: target.checked })}> ${words}</label>`;
  return html`<section class="plan" aria-labelledby="plan">
    <h2 id="plan">Questions to come</h2>
    ${!plan.length && html`<p class="quiet">None. Add some below; you can do so at any time, also while a question is open.</p>`}
    <ol class="to-come">${plan.map((question) => drawEntry(question, room))}</ol>
    ${tick("New students can join", "let_in", letIn)}
    ${tick("Students follow my lesson", "follow", follow)}
    <p class="quiet small">${
      step
        ? `You are at the step “${step}”. ${told}`
        : "Once you have opened a step in Learn, students can see the same step."
    }</p>
    <details><summary>Close the room</summary><p class="flow">The room closes for everyone, and its votes are deleted.
      ${press("small", "Close it for everyone", () => room.say({ end: true }))}</p></details>
  </section>`;
}

const drawEntry = ({ number, title, lead }, room) => html`<li>
  <span class="quiet">${number}</span><span dir="auto">${title}${lead && html`<span class="quiet small"> ${lead}</span>`}</span>
  <button type="button" class="press small" aria-label="Take out question ${number}"
    @click=${() => room.say({ drop: number })}>Take out</button></li>`;

export default component("teacher", draw, (on) => {
  const room = new Room("teacher", on);
  on.state.room = room;
  const heard = hear(room);
  document.addEventListener("keydown", heard);
  return () => {
    document.removeEventListener("keydown", heard);
    room.close();
  };
});

// The sheet by which students join: the code, the address, and both as a QR code.

import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { press } from "./question.js";

const QUIET_ZONE = 4; // modules around a QR code that stay white, as its standard asks

export const drawJoin = (data, on) => [drawBar(on), drawSheet(on.state.room.state, data)];

// Closing the room takes it away from everyone, so it asks first.
function drawBar({ root, redraw, state: { room, isAsking } }) {
  if (isAsking)
    return html`<h1>Close the room? Its votes are deleted.</h1>
      ${press("small bold", "Keep it open", () => redraw({ isAsking: false }))}
      ${press("small", "Close it for everyone", () => room.say({ end: true }))}`;
  const ask = () => {
    redraw({ isAsking: true });
    root.querySelector(".bar .bold").focus();
  };
  return html`<h1>Join with this code</h1>
    ${room.state.phase !== "join" && press("small", "Back to the question", () => room.say({ show_code: false }))}
    ${press("small", "Close the room", ask)}`;
}

export const drawRoomCode = (code) =>
  html`<p class="room-code" role="img" aria-label="Room code ${[...code].join(" ")}">${code}</p>`;

const drawSheet = (
  { code, joined, kept, let_in: letIn, number },
  { address, qr, trouble, wayOut },
) => html`<div class="join-words">
    ${drawRoomCode(code)}
    <p class="url"><span class="quiet">at </span><span class="mono">${address}</span></p>
    <p class="url count-line"><b class="count">${figure(joined)}</b><span>${joined === 1 ? "has" : "have"} joined</span></p>
    ${trouble && html`<div class="note warn"><p><b>${trouble}</b> ${wayOut}</p></div>`}
    ${!letIn && html`<div class="note warn"><p><b>Nobody else can join now.</b> “New students can join” below is off.</p></div>`}
    ${!number && html`<p>No question is ready. Choose one below.</p>`}
    <p class="quiet">No name is asked for. Votes are kept without names, until the room is closed.${
      !kept && " If the server stops, the room is gone."
    }</p>
  </div>
  ${qr.length > 0 && drawQr(qr)}`;

// A QR code from its rows of "0" and "1". It is black on white in both themes, because cameras expect it so.
function drawQr(rows) {
  const size = rows.length + 2 * QUIET_ZONE;
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  return html`<svg class="qr" viewBox="${-QUIET_ZONE} ${-QUIET_ZONE} ${size} ${size}" shape-rendering="crispEdges" role="img"
    aria-label="QR code of the address at which students join"><path fill="#000" d=${dark.join("")} /></svg>`;
}

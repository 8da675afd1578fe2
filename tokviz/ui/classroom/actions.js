// The four buttons of a class and their keys. What the server says can be done is on, and the first of it is bold.

import { html } from "../kit/html.js";

const ACTS = [
  ["ask", "Ask", "Q", "ask"],
  ["reveal", "Reveal", "V", "reveal"],
  ["again", "Vote again", "G", "again"],
  ["next", "Next question", "N", "next"],
];
const KEYS = [...ACTS.map(([, , key, does]) => [key, does]), ["J", "show the code"]];

const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable='true'], [role='combobox']";

// trouble: [words, look] in the place of the keys, so that nothing moves. The width of a bold label is kept free.
export const drawActions = (room, [words, look]) => {
  const { can } = room.state;
  return html`<footer class="flow foot">
    ${ACTS.map(
      ([what, label]) => html`<button type="button" class=${can[0] === what ? "press act bold" : "press act"}
        aria-disabled=${room.isLost || !can.includes(what)} @click=${() => act(room, what)}><span data-label=${label}>${label}</span></button>`,
    )}
    <p class="trouble ${look}" role="status">${words}</p>
    <p class="keys">${KEYS.map(([key, does]) => html`<span><kbd>${key}</kbd> ${does}</span>`)}</p>
  </footer>`;
};

function act(room, what) {
  if (room.state.can.includes(what)) room.say({ do: what, question: room.state.number });
}

// The keys work wherever the focus is, but for fields in which one types. Returns a function that ends this.
export function hearKeys(room) {
  const hear = (event) => {
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
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

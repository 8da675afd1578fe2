// Links from a component to another page of the app, above all to a token in the vocabulary.
//
// A click opens the page in the way that the browser's Back and Forward do: the address changes, and Streamlit hears of
// it. So nothing is loaded again, the page that was left keeps its state, and the browser's Back leads to it. With Ctrl
// or the middle button it is a link like any other, and opens a tab of its own.
//
// The parameter `back` names the page that was left, and the page that opens offers the way back: see ui/frame/links.py.

import { html } from "../kit/html.js";
import { isPlain } from "../kit/keys.js";

const HOME = "tokens"; // the page without a name in its address

// A link to a page, as in app.py, with the query of a link to it (address.py).
export const pageLink = (className, page, query, text) =>
  html`<a class=${className} href="${page}?${query}" @click=${pressTo(page, query)}>${text}</a>`;

// What a press on a link does, but for one that opens a tab.
export const pressed = (act) => (event) => {
  if (event.button || !isPlain(event)) return;
  event.preventDefault();
  act();
};
export const pressTo = (page, query) => pressed(() => openPage(page, query));

// Open a page, as a click on a link to it does. Without a query it opens as the visitor left it.
export function openPage(page, query = "") {
  const here = location.pathname.split("/").at(-1) || HOME;
  const back = query.startsWith("v=") ? `&back=${here}` : ""; // a link of address.py
  const address = page === HOME ? "./" : page; // with its name, Back would lead to it again
  history.pushState({}, "", query ? `${address}?${query}${back}` : address);
  document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// The query of a link to a token in the vocabulary. name: the tokenizer's in links, from `link_name` in ui/frame/links.py.
const tokenQuery = (name, id) => `v=1&use=${encodeURIComponent(name)}&token=${id}`;

export const tokenLink = (name, id) => pageLink("button", "vocabulary", tokenQuery(name, id), "In the vocabulary");

// A chip that is such a link; the chip alone if links cannot name the tokenizer ("") or the token has no id.
export const linkedChip = (chip, name, id, said) =>
  !name || id === null
    ? chip
    : html`<a class="to-token" href="vocabulary?${tokenQuery(name, id)}" title="In the vocabulary"
        aria-label="${said}, id ${id}: in the vocabulary" @click=${pressTo("vocabulary", tokenQuery(name, id))}>${chip}</a>`;

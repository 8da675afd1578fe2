// Links from a component to another page of the app, above all to a token in the vocabulary.
//
// A click opens the page in the way that the browser's Back and Forward do: the address changes, and Streamlit hears of
// it. So nothing is loaded again, the page that was left keeps its state, and the browser's Back leads to it. With Ctrl
// or the middle button it is a link like any other, and opens a tab of its own.
//
// The parameter `back` names the page that was left, and the page that opens offers the way back: see ui/frame/links.py.

import { make } from "../kit/elements.js";
import { isPlain } from "../kit/keys.js";

const HOME = "tokens"; // the page without a name in its address

// A link to a page, as in app.py, with the query of a link to it (address.py).
export function pageLink(className, page, query, text = "") {
  const link = make("a", className, text);
  link.href = `${page}?${query}`;
  link.addEventListener("click", pressTo(page, query));
  return link;
}

// What a press on such a link does.
export const pressTo = (page, query) => (event) => {
  if (event.button || !isPlain(event)) return;
  event.preventDefault();
  openPage(page, query);
};

// Open a page, as a click on a link to it does. Without a query it opens as the visitor left it.
export function openPage(page, query = "") {
  const here = location.pathname.split("/").at(-1) || HOME;
  const back = query.startsWith("v=") ? `&back=${here}` : ""; // a link of address.py
  history.pushState({}, "", query ? `${page}?${query}${back}` : page);
  document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// The query of a link to a token in the vocabulary. name: the tokenizer's in links, from `name_of` in ui/frame/links.py.
export const tokenQuery = (name, id) => `v=1&use=${encodeURIComponent(name)}&token=${id}`;

export const tokenLink = (className, name, id, text = "In the vocabulary") =>
  pageLink(className, "vocabulary", tokenQuery(name, id), text);

// A chip that is such a link; the chip alone if links cannot name the tokenizer ("") or the token has no id.
export function linkedChip(chip, name, id, said) {
  if (!name || id === null) return chip;
  const link = tokenLink("to-token", name, id, "");
  link.setAttribute("aria-label", `${said}, id ${id}: in the vocabulary`);
  link.title = "In the vocabulary";
  link.append(chip);
  return link;
}

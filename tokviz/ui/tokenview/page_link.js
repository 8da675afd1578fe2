// Links from a component to another page of the app, above all to the biography of a token.
//
// A click opens the page in the way that the browser's Back and Forward do: the address changes, and Streamlit hears of
// it. So nothing is loaded again, the page that was left keeps its state, and the browser's Back leads to it. With Ctrl
// or the middle button it is a link like any other, and opens a tab of its own.
//
// The parameter `back` names the page that was left, and the page that opens offers the way back: see ui/frame/links.py.

import { make } from "../kit/elements.js";

const HOME = "tokens"; // the page without a name in its address

// A link to a page, as in app.py, with the query of a link to it (address.py).
export function pageLink(className, page, query, text = "") {
  const link = make("a", className, text);
  link.href = `${page}?${query}`;
  link.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openPage(page, query);
  });
  return link;
}

// Open a page, as a click on a link to it does. Without a query it opens as the visitor left it.
export function openPage(page, query = "") {
  const here = location.pathname.split("/").at(-1) || HOME;
  history.pushState({}, "", query ? `${page}?${query}&back=${here}` : page);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// A link to the biography of a token. name: the tokenizer's in links, from `name_of` in ui/frame/links.py. id: the token's.
export const tokenLink = (className, name, id, text = "Its biography") =>
  pageLink(className, "vocabulary", `v=1&use=${encodeURIComponent(name)}&token=${id}`, text);

// A chip that is such a link; the chip alone if links cannot name the tokenizer ("") or the token has no id.
export function linkedChip(chip, name, id, said) {
  if (!name || id === null) return chip;
  const link = tokenLink("to-token", name, id, "");
  link.setAttribute("aria-label", `${said}, id ${id}: its biography`);
  link.title = "Its biography";
  link.append(chip);
  return link;
}

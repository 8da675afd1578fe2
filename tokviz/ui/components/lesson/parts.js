// Sentences with tokens in them, as tokviz/lessons/sentences.py sends them.

import { make, sign } from "../elements.js";
import { fromHex } from "../encoding.js";
import { pageLink } from "../page_link.js";
import { chip } from "../token_view/marks.js";

// Elements for the parts. goTo(id) opens a step of the course.
export function drawParts(parts, goTo) {
  return parts.map((part) => {
    if (part === " + ") return sign(" + ", "plus");
    if (typeof part === "string") return document.createTextNode(part);
    if (part.token !== undefined) return chip(fromHex(part.token));
    if (part.hex !== undefined) return chip(fromHex(part.hex));
    if (part.strong !== undefined) return make("b", "", part.strong);
    if (part.code !== undefined) return make("code", "", part.code);
    return drawLink(part, goTo);
  });
}

function drawLink({ link, to }, goTo) {
  const [page, query = ""] = to.replace(/^\//, "").split("?");
  const step = page === "learn" && new URLSearchParams(query).get("step");
  const drawn = pageLink("to-page", page, query, link);
  if (!step) return drawn;
  const own = make("a", "to-page", link);
  own.href = drawn.href;
  own.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(step);
  });
  return own;
}

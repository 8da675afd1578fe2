// Sentences with tokens in them, as tokviz/base/sentences.py sends them.

import { make, sign } from "../kit/elements.js";
import { fromHex } from "./encoding.js";
import { chip, spoken } from "./marks.js";
import { pageLink } from "./page_link.js";

const PLUS = " + ";

// The bytes of a part that is a token; null for any other.
const tokenIn = (part) => (part?.token === undefined ? null : fromHex(part.token));

// Elements for the parts. goTo(id) opens a step of the course.
export function drawParts(parts, { goTo } = {}) {
  const drawn = [];
  for (let i = 0; i < parts.length; i++) {
    const [left, right] = [tokenIn(parts[i]), parts[i + 1] === PLUS ? tokenIn(parts[i + 2]) : null];
    if (left && right) i += 2;
    drawn.push(left && right ? drawPair(left, right) : drawPart(parts[i], goTo));
  }
  return drawn;
}

// Two tokens and a plus, never broken over two lines. limit: letters of each, before it is cut.
export function drawPair(left, right, limit = 20) {
  const pair = make("span", "pair-of");
  pair.append(chip(left, undefined, limit), sign("+", "plus"), chip(right, undefined, limit));
  return pair;
}

function drawPart(part, goTo) {
  if (part === PLUS) return sign(part, "plus");
  if (typeof part === "string") return document.createTextNode(part);
  const token = tokenIn(part);
  if (token) return chip(token);
  if (part.strong !== undefined) return make("b", "", part.strong);
  if (part.code !== undefined) return make("code", "", part.code);
  return drawLink(part, goTo);
}

// A link that begins with # leads to a place of the same file (offline.js).
function drawLink({ link, to }, goTo) {
  if (to.startsWith("#")) {
    const inside = make("a", "to-page", link);
    inside.href = to;
    return inside;
  }
  const [page, query = ""] = to.replace(/^\//, "").split("?");
  const step = page === "learn" && new URLSearchParams(query).get("step");
  const drawn = pageLink("to-page", page, query, link);
  drawn.dir = "auto"; // a name can be in any script
  if (!step || !goTo) return drawn;
  const own = make("a", "to-page", link);
  own.href = drawn.href;
  own.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(step);
  });
  return own;
}

// The parts in words, for screen readers: a token by its characters, "space the".
export function wordsOf(parts) {
  return parts
    .map((part) => {
      if (part === PLUS) return " plus ";
      if (typeof part === "string") return part;
      const token = tokenIn(part);
      return token ? spoken(token, 0, token.length) : (part.strong ?? part.code ?? part.link);
    })
    .join("");
}

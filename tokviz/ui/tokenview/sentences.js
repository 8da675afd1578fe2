// Sentences with tokens in them, as tokviz/base/sentences.py sends them.

import { sign } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { fromHex } from "./encoding.js";
import { chip, spoken } from "./marks.js";
import { openPage, pressed } from "./page_link.js";

const PLUS = " + ";

// The bytes of a part that is a token; null for any other.
const tokenIn = (part) => (part?.token === undefined ? null : fromHex(part.token));

// What html.js draws of the parts. goTo(id) opens a step of the course.
export function drawParts(parts, { goTo } = {}) {
  const drawn = [];
  for (let i = 0; i < parts.length; i++) {
    const [left, right] = [tokenIn(parts[i]), parts[i + 1] === PLUS ? tokenIn(parts[i + 2]) : null];
    if (left && right) i += 2;
    drawn.push(left && right ? drawPair(left, right) : drawPart(parts[i], goTo));
  }
  return drawn;
}

// Two tokens and a plus, never broken over two lines.
export const drawPair = (left, right) =>
  html`<span class="pair-of">${chip(left)}${sign("+", "plus")}${chip(right)}</span>`;

function drawPart(part, goTo) {
  if (part === PLUS) return sign(part, "plus");
  if (typeof part === "string") return part;
  const token = tokenIn(part);
  if (token) return chip(token);
  if (part.strong !== undefined) return html`<b>${part.strong}</b>`;
  if (part.code !== undefined) return html`<code>${part.code}</code>`;
  return drawLink(part, goTo);
}

// In a file without a server (offline.js) a link leads to a place of it, #step, or to another file. A name can be in any
// script.
function drawLink({ link, to }, goTo) {
  if (/^#|\.html(#|$)/.test(to)) return html`<a class="to-page" href=${to}>${link}</a>`;
  const [page, query = ""] = to.replace(/^\//, "").split("?");
  const step = page === "learn" && new URLSearchParams(query).get("step");
  const act = step && goTo ? () => goTo(step) : () => openPage(page, query);
  return html`<a class="to-page" dir="auto" href="${page}?${query}" @click=${pressed(act)}>${link}</a>`;
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

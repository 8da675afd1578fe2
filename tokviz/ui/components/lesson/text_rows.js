// Texts as rows: what each is, its tokens as chips, and figures. Views and tasks draw with it.

import { make, seriesMark } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { END, endOf, idOf, isSpecial, read, startOf } from "../encoding.js";
import { chip } from "../token_view/marks.js";

const MOST_DRAWN = 160; // tokens of a row that are drawn
const LONGEST_DRAWN = 60; // characters of a token that are drawn

// The tokens of an encoding as chips. A line ends after a newline. With ids, each token is its id.
function tokenChips(encoding, ids = false) {
  const line = make("span", "chips");
  const { bytes, n } = encoding;
  let drawn = 0;
  for (let at = startOf(encoding, 0, END); at < n; drawn++) {
    const end = endOf(encoding, at, END);
    if (drawn < MOST_DRAWN) {
      const token = chip(bytes.subarray(at, end), undefined, LONGEST_DRAWN);
      const id = idOf(encoding, at, end);
      if (ids && id !== null) token.textContent = String(id);
      token.classList.toggle("inverse", isSpecial(encoding, at));
      token.classList.toggle("gap", id === null);
      line.append(token);
      if (bytes[end - 1] === 10 && end < n) line.append(make("br"));
    }
    at = end;
  }
  if (drawn > MOST_DRAWN) line.append(make("span", "quiet", ` and ${figure(drawn - MOST_DRAWN)} more`));
  return line;
}

// rows: [{title, series, glyph, tokens, encoding, fault, note}]. figures: for each row, elements beside its tokens.
export class TextRows {
  constructor(box) {
    this.root = box.appendChild(make("div", "text-rows"));
    this.root.setAttribute("role", "list");
  }

  show(rows, { figures = notedCount, marked = true, ids = false } = {}) {
    this.root.hidden = !rows.length;
    this.root.replaceChildren(
      ...rows.map((row) => {
        const line = make("div", "text-row");
        line.setAttribute("role", "listitem");
        const head = make("span", "of");
        if (marked) head.append(seriesMark(row), " ");
        head.append(row.title);
        const cells = make("span", "cells");
        const body = row.fault
          ? make("span", "quiet chips", row.fault)
          : row.encoding && tokenChips(read(row.encoding), ids);
        cells.append(...(row.fault ? [] : figures(row)));
        line.append(head, body || make("span", "chips"), cells);
        return line;
      }),
    );
  }
}

const notedCount = ({ tokens, note }) => [...(note ? [make("span", "quiet note-of", note)] : []), tokenCount(tokens)];

// A number of tokens with its unit.
export function tokenCount(tokens) {
  const cell = make("span", "count-of");
  cell.append(make("b", "", figure(tokens)), make("span", "quiet", tokens === 1 ? " token" : " tokens"));
  return cell;
}

// A text cut into chunks by split patterns, one below the other; and the clauses of a pattern with what each matched.

import { make } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { fromHex } from "../../encoding.js";
import { chip, drawPieces, piecesOf } from "../../token_view/marks.js";
import { FieldAndRows } from "./rows.js";

export class ChunksView extends FieldAndRows {
  constructor(box, change) {
    super(box, change, 1);
    this.rows.root.classList.add("beside");
    this.clauses = box.appendChild(make("ol", "clauses"));
    this.clauses.setAttribute("aria-label", "The clauses of the pattern, in their order");
  }

  show(data) {
    this.field.show(data);
    const count = ({ tokens, chunks }) => (tokens === null ? quantity(chunks, "chunk") : quantity(tokens, "token"));
    this.rows.show(
      data.rows,
      (row) => [make("b", "", row.title), make("span", "quiet", count(row))],
      ({ title, tokens }) => `${title}: ${tokens === null ? "chunks" : "tokens"}`,
      false,
      ({ regex, tokens }) => (regex && tokens === null ? [codeOf(regex, "regex")] : []),
    );
    this.clauses.hidden = !data.clauses.length;
    this.clauses.replaceChildren(...data.clauses.map(drawClause));
  }
}

// A regular expression. Its spaces are marked, as they are easily missed.
function codeOf(expression, className = "") {
  const code = make("code", className);
  const bytes = new TextEncoder().encode(expression);
  code.dir = "ltr";
  code.append(...drawPieces(piecesOf(bytes, 0, bytes.length)));
  return code;
}

function drawClause({ clause, sentence, chunks, more }) {
  const item = make("li", chunks.length ? "" : "idle");
  const found = make("span", "found");
  found.append(...chunks.map((chunk) => chip(fromHex(chunk.hex))));
  if (more) found.append(make("span", "quiet", `and ${more} more`));
  if (!chunks.length) found.append(make("span", "quiet", "no chunk"));
  item.append(codeOf(clause), make("span", "sentence", sentence), found);
  return item;
}

// A text cut into chunks by split patterns, one below the other; and the clauses of a pattern with what each matched.

import { make } from "../../elements.js";
import { fromHex, read } from "../../encoding.js";
import { chip, drawPieces, piecesOf } from "../../token_view/marks.js";
import { TokenView } from "../../token_view/pointing.js";
import { quantity } from "../../words.js";
import { Area } from "./area.js";

export class ChunksView {
  constructor(box, change) {
    this.area = new Area("Text", (text) => change({ text }), 1);
    this.rows = make("div", "rows");
    this.clauses = make("ol", "clauses");
    this.clauses.setAttribute("aria-label", "The clauses of the pattern, in their order");
    this.views = [];
    box.append(this.area.root, this.rows, this.clauses);
  }

  close() {
    for (const view of this.views.splice(0)) view.close();
  }

  show(data) {
    this.area.show(data.text, data.typing);
    this.close();
    this.rows.replaceChildren(...data.rows.map((row) => this.drawRow(row)));
    this.clauses.hidden = !data.clauses.length;
    this.clauses.replaceChildren(...data.clauses.map(drawClause));
  }

  drawRow({ title, regex, chunks, tokens, encoding }) {
    const block = make("div", "row");
    const head = make("p", "row-head");
    const count = tokens === null ? quantity(chunks, "chunk") : quantity(tokens, "token");
    head.append(make("b", "", title), make("span", "quiet", count));
    const view = new TokenView(make("div", "view"), `${title}: ${tokens === null ? "chunks" : "tokens"}`);
    view.load(read(encoding));
    this.views.push(view);
    block.append(head);
    if (regex && tokens === null) block.append(codeOf(regex, "regex"));
    block.append(view.box);
    return block;
  }
}

// A regular expression. Its spaces are marked, as they are easily missed.
export function codeOf(expression, className = "") {
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

// How a chunk was encoded: a row for each merge, with the pair that merges next marked, and below them all pairs that
// could merge at the current row. One tab stop; arrows, Home and End move. The rows come from tokviz/vocabulary/steps.py.

import { make, makeButton } from "../kit/elements.js";
import { figure, UNMADE } from "../kit/words.js";
import { drawPieces, piecesOf, spoken } from "./marks.js";

const STEPPED = 100; // bytes of a chunk whose steps Python lists, as in tokviz/vocabulary/steps.py

export class Stepper {
  constructor(moved) {
    this.moved = moved;
    this.madeBy = new Map(); // seam, counted in the bytes shown -> the row that closes it
    this.at = null;
    this.root = make("div", "stepper");
    const head = make("div", "stepper-head");
    this.title = make("h3", "", "How this chunk was encoded");
    const arrows = make("span", "arrows");
    this.back = makeButton("plain square", "‹", () => this.go(this.at - 1), "Previous merge");
    const forward = () => this.go((this.at + 1) % this.rows.length);
    this.on = makeButton("plain square", "›", forward, "Next merge");
    arrows.append(this.back, this.on);
    head.append(this.title, arrows);
    this.why = make("p", "caption quiet");
    this.list = make("ol", "steps");
    this.list.setAttribute("aria-label", "Merges of this chunk, in order");
    this.could = make("div", "could");
    this.root.append(head, this.why, this.list, this.could);
    this.arrows = arrows;
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  load(details, stretch = null, token = null, hues = null) {
    const steps = details?.steps;
    this.rows = steps ? steps.rows : [];
    this.madeBy = new Map();
    this.at = null;
    this.list.replaceChildren();
    this.could.replaceChildren();
    this.root.hidden = !token;
    this.arrows.hidden = this.list.hidden = this.could.hidden = !steps || this.rows.length < 2;
    if (!token) return;
    this.title.textContent = "How this chunk was encoded";
    this.why.textContent = "";
    if (!steps) {
      this.why.textContent =
        details.rank === null ? `No merges: ${UNMADE}.` : "Its chunk is too long to step through, and so is the token.";
      return;
    }
    const chunk = details.chunk[1] - details.chunk[0];
    const bytes = steps.end - steps.start;
    if (chunk > bytes) {
      this.title.textContent = "How this token was made";
      this.why.textContent =
        chunk > STEPPED
          ? `Its chunk has ${figure(chunk)} bytes, too many to step through.`
          : "Another token of its chunk is looked up, so merges do not explain all of the chunk.";
      this.why.textContent += bytes === 1 ? " The token is one byte." : " Only merges inside the token made it.";
      if (bytes === 1) return;
    } else if (this.rows.length < 2) {
      this.why.textContent =
        bytes === 1
          ? "The chunk is one byte, which is its own token."
          : "No pair in this chunk has a merge: each byte stays its own token.";
      if (bytes === 1) return;
      this.list.hidden = false;
    }
    const from = steps.start - token.from;
    this.bytes = stretch.bytes.subarray(from, from + steps.end - steps.start);
    this.hues = (start, end) => hues(from + start, from + end);
    this.rows.forEach((row, i) => {
      if (row.next !== null) this.madeBy.set(row.ends[row.next], i);
      this.list.append(this.row(row, i));
    });
    this.go(this.rows.length - 1, false, true);
  }

  piece(start, end) {
    const element = make("span", `tok h${this.hues(start, end)}`);
    element.append(...drawPieces(piecesOf(this.bytes, start, end)));
    return element;
  }

  row({ ends, ids, ranks, next }, i) {
    const item = make("li");
    const row = makeButton("step", "", () => this.go(i, true));
    row.tabIndex = -1;
    const tokens = make("span", "mini");
    const starts = [0, ...ends];
    ends.forEach((end, j) => {
      const piece = this.piece(starts[j], end);
      if (next !== null && (j === next || j === next + 1)) piece.classList.add("go");
      tokens.append(piece);
    });
    const last = next === null;
    const result = last
      ? ids.length === 1
        ? `id ${figure(ids[0])}`
        : `${figure(ids.length)} tokens`
      : `merge ${figure(ranks[next] + 1)}`;
    row.append(make("span", "n", String(i)), tokens, make("span", "r", result));
    const say = (j) => spoken(this.bytes, starts[j], ends[j]);
    row.setAttribute(
      "aria-label",
      `Step ${i}: ${ends.map((_, j) => say(j)).join(", ")}. ` +
        (last
          ? `Result: ${ids.length === 1 ? "id" : "ids"} ${ids.join(", ")}`
          : `Next ${say(next)} and ${say(next + 1)}, merge ${ranks[next] + 1}`),
    );
    if (last) this.foot = [ids, ends];
    item.append(row);
    return item;
  }

  go(i, focus = false, quiet = false) {
    if (i < 0 || i >= this.rows.length) return;
    this.list.children[this.at]?.firstChild.removeAttribute("aria-current");
    if (this.list.children[this.at]) this.list.children[this.at].firstChild.tabIndex = -1;
    this.at = i;
    const row = this.list.children[i].firstChild;
    row.setAttribute("aria-current", "step");
    row.tabIndex = 0;
    if (focus) row.focus({ preventScroll: true });
    const { list } = this; // only the list scrolls, never the page
    const top = row.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + row.offsetHeight - list.clientHeight;
    }
    const end = i === this.rows.length - 1;
    this.back.setAttribute("aria-disabled", String(i === 0));
    this.on.textContent = end ? "↺" : "›";
    this.on.setAttribute("aria-label", end ? "From the first merge" : "Next merge");
    this.candidates(this.rows[i]);
    if (!quiet) this.moved(i);
  }

  // The pairs that could merge at a step, by their merges, so the winner is first; then how many have no merge.
  candidates({ ends, ids, ranks, next }) {
    const starts = [0, ...ends];
    const pair = (j) => {
      const element = make("span", "two");
      element.append(this.piece(starts[j], ends[j]), this.piece(starts[j + 1], ends[j + 1]));
      return element;
    };
    if (next === null) {
      const what = ids.length === 1 ? "One token is left." : "No two neighbours have a merge: this is the result.";
      const row = make("p", "");
      row.append(make("span", "quiet", what));
      if (ids.length > 1) row.append(make("span", "ids", `ids ${ids.join(", ")}`));
      this.could.replaceChildren(row);
      return;
    }
    const open = ranks.flatMap((rank, j) => (rank === null ? [] : [[rank, j]]));
    open.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const groups = []; // equal pairs together: one rank, one merge
    for (const [rank, j] of open) {
      if (groups.at(-1)?.rank === rank) groups.at(-1).n++;
      else groups.push({ rank, j, n: 1 });
    }
    const shown = groups.slice(0, 8).map(({ rank, j, n }, i) => {
      const item = make("span", i ? "candidate" : "candidate next");
      item.append(pair(j), make("span", "r", `${figure(rank + 1)}${n > 1 ? `, ${figure(n)} places` : ""}`));
      return item;
    });
    const without = ranks.length - open.length;
    const rest = [
      groups.length > 8 && `${figure(groups.length - 8)} more`,
      without && `${figure(without)} ${without === 1 ? "pair has" : "pairs have"} no merge`,
    ];
    const line = make("p", "");
    line.append(make("span", "quiet term", "Could merge, earliest first"), ...shown);
    line.append(make("span", "quiet", rest.filter(Boolean).join("; ")));
    this.could.replaceChildren(line);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.rows?.length) return;
    const last = this.rows.length - 1;
    const moves = {
      ArrowDown: this.at + 1,
      ArrowRight: this.at + 1,
      ArrowUp: this.at - 1,
      ArrowLeft: this.at - 1,
      Home: 0,
      End: last,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.min(Math.max(moves[event.key], 0), last), !event.target.closest(".arrows"));
  }
}

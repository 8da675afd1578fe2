// How a token is made from its bytes: as a drawing if it fits, else as a list of its merges. Nothing scrolls sideways.

import { sign } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { idOf, read, treeOf } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip, spoken } from "../tokenview/marks.js";
import { CELL_LEAST, drawTree, huesOf } from "../tokenview/tree.js";

const SUM_LETTERS = 9; // of a token in the list
const LISTED_MERGES = 24; // merges that are listed

export class MergeTree {
  constructor(data, pin) {
    Object.assign(this, { data, pin, drawn: 0 });
    this.encoding = read(data.tree);
    const { bytes, n } = this.encoding;
    this.hues = huesOf(this.encoding, (start, end) => home(bytes, start, end));
    this.n = n;
    this.body = document.createElement("div");
    this.body.className = "bio-tree";
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.body);
  }

  close() {
    this.sized.disconnect();
  }

  fit() {
    const width = this.body.clientWidth;
    if (!width || Math.abs(width - this.drawn) < 2) return;
    this.drawn = width;
    const style = getComputedStyle(this.body);
    const scale = parseFloat(style.fontSize) / 16 || 1;
    const drawing = this.drawing(width / scale, style.getPropertyValue("--code"));
    for (const side of drawing ? ["width", "height"] : [])
      drawing.setAttribute(side, drawing.getAttribute(side) * scale);
    render(drawing ?? this.list(), this.body);
  }

  // The drawing, or null if it is wider than the room.
  drawing(room, code) {
    const { encoding, n } = this;
    if (n * CELL_LEAST > room) return null;
    const { svg } = drawTree(encoding, 0, n, this.hues, room, code);
    if (svg.getAttribute("width") > room) return null;
    const name = spoken(encoding.bytes, 0, n);
    svg.setAttribute("aria-label", `Merge tree of ${name}: ${quantity(this.data.birth.merges, "merge")}`);
    for (const pill of svg.querySelectorAll("[data-start]")) {
      pill.addEventListener("click", () => {
        const id = idOf(encoding, Number(pill.dataset.start), Number(pill.dataset.end));
        if (id !== this.data.id) this.pin(id);
      });
    }
    return svg;
  }

  // The different merges in the order of their ranks.
  list() {
    const merges = new Map();
    const gather = (node) => {
      if (node.rank !== null) merges.set(node.rank, node);
      node.parts.forEach(gather);
    };
    gather(treeOf(this.encoding, 0, this.n));
    const rows = [...merges.values()].sort((a, b) => a.rank - b.rank);
    const drawn = ({ start, end }) => chip(this.encoding.bytes.slice(start, end), this.hues(start, end), SUM_LETTERS);
    const cut = rows.length - LISTED_MERGES;
    const item = ({ parts: [left, right], rank, ...made }) =>
      html`<li class="bio-row"><span class="bio-sum">${drawn(left)}${sign(
        "+",
        "and",
      )}${drawn(right)}${sign("→", "become")}${drawn(made)}</span><span class="bio-fact quiet">merge ${figure(rank + 1)}</span></li>`;
    return html`<div>${cut > 0 && html`<p class="quiet">${figure(cut)} merges come before these.</p>`}<ol>${rows
      .slice(-LISTED_MERGES)
      .map(item)}</ol></div>`;
  }
}

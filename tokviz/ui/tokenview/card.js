// The card of a pinned token: what it is, its merge tree, how its chunk was encoded, and its relations.
//
// Head and tree are read off the view's seams at once. What only the tokenizer knows (merges of pairs that were not
// joined, relations, names of characters) comes from Python as *details*: see tokviz/vocabulary/card.py.

import { asStatus, byTouch, make, makeButton, unspoken } from "../kit/elements.js";
import { an, figure, quantity, times, UNCOVERED, UNMADE } from "../kit/words.js";
import { cutAs, END, endOf, fromHex, idOf, SPLIT, startsAt, topSeam } from "./encoding.js";
import { home } from "./hues.js";
import { chip, hexOf, INVISIBLE, onCircle, spoken, UNSEEN } from "./marks.js";
import { tokenLink } from "./page_link.js";
import { Stepper } from "./stepper.js";
import { drawTree, huesOf, stretchOf, TREE_BYTES } from "./tree.js";

const LOW = 3; // bytes of a token whose tree leaves most of the card to the stepper beside it
const SIDE_BY_SIDE = 7; // bytes of a token whose tree stands beside the stepper; a wider one stands above it
const LONG_CHUNK = 12; // bytes of a chunk whose steps take all of the card, unless the tree is low
const HEX = 16; // bytes of a token that its head spells

const placeOf = (start, end) =>
  end - start === 1 ? `byte ${figure(start)}` : `bytes ${figure(start)} to ${figure(end)}`;

export class PinnedCard {
  // Unpin calls `unpin`, Esc calls `back`, and a relation calls `find(id)`, which answers if the token is in the text.
  constructor(parent, { unpin, back, find }) {
    Object.assign(this, { find, token: null, details: null, step: null });
    this.root = make("section", "card pinned-card");
    this.root.tabIndex = -1;
    this.root.setAttribute("aria-label", "Pinned token");
    const how = byTouch() ? "Tap a token" : "Click a token, or press Enter on it,";
    this.none = make("p", "none quiet", `${how} to look inside.`);
    this.body = make("div", "body");
    this.head = make("div", "card-head");
    this.unpin = makeButton("plain", "Unpin", unpin);
    this.made = make("p", "made");
    this.facts = make("dl", "facts");
    this.signs = make("ul", "signs");
    this.halves = make("div", "halves");
    this.growth = make("div", "growth");
    this.roots = make("div", "roots");
    this.caption = make("p", "caption quiet");
    this.growth.append(this.roots, this.caption);
    this.stepper = new Stepper((step) => this.go(step));
    this.halves.append(this.growth, this.stepper.root);
    this.relations = make("div", "relations");
    this.said = asStatus(make("p", "said quiet"));
    this.body.append(this.head, this.made, this.facts, this.signs, this.halves, this.relations, this.said);
    this.root.append(this.none, this.body);
    parent.append(this.root);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.token) return;
      event.preventDefault();
      back();
    });
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.roots);
    this.clear();
  }

  close() {
    this.sized.disconnect();
  }

  clear() {
    this.token = this.details = null;
    this.root.classList.remove("held");
    this.none.hidden = false;
    this.body.hidden = true;
  }

  // Show the pinned token of a view: { view, name, glyph, series, merges, kind, called }. called: what
  // links call the tokenizer. named: say which tokenizer it is.
  show(side, named) {
    const { view } = side;
    const of = named ? side : null;
    const { encoding, k, pinned: start } = view;
    this.merges = side.merges;
    this.kind = side.kind || "";
    this.called = side.called;
    this.halves.hidden = this.relations.hidden = this.kind !== ""; // no merges are known
    const end = endOf(encoding, start, k);
    const id = idOf(encoding, start, end);
    let from = start;
    let to = end;
    while (from > 0 && start - from <= TREE_BYTES && encoding.seams[from] !== SPLIT) from--;
    while (to < encoding.n && to - end <= TREE_BYTES && encoding.seams[to] !== SPLIT) to++;
    if (start - from > TREE_BYTES || to - end > TREE_BYTES) [from, to] = [start, end]; // a long chunk: only the token
    const stretch = stretchOf(encoding, from, to, k);
    const hueAt = (at, stop) => view.hueOf(from + at, from + stop);
    const token = {
      start,
      end,
      id,
      from,
      special: cutAs(encoding, start),
      looked: encoding.whole.has(start),
      bytes: encoding.bytes.slice(start, end),
    };
    const key = [
      id,
      start - from,
      end - from,
      of?.name,
      Array.from(stretch.bytes),
      Array.from(stretch.seams),
      startsAt(stretch, END).map((at) => hueAt(at, endOf(stretch, at, END))),
    ].join();
    const same = this.token && this.key === key;
    this.key = key;
    this.token = token;
    if (same) {
      // it only moved
      this.drawHead(of);
      return;
    }
    this.stretch = stretch;
    this.hues = huesOf(stretch, hueAt);
    this.details = null;
    this.step = null;
    this.root.classList.add("held");
    this.none.hidden = true;
    this.body.hidden = false;
    this.said.textContent = "";
    this.drawHead(of);
    this.drawFacts();
    this.drawTree();
    this.signs.replaceChildren();
    this.signs.hidden = true;
    this.stepper.load(null);
    this.relations.replaceChildren();
  }

  // Python's answer. An answer about another token, or about this one before an edit, is ignored.
  answer(details) {
    const { token } = this;
    if (!token || details.start !== token.start || details.end !== token.end || details.id !== token.id) return false;
    const first = !this.details || JSON.stringify(this.details.steps?.rows) !== JSON.stringify(details.steps?.rows);
    this.details = details;
    this.drawHead(this.of);
    this.drawFacts();
    this.drawSigns();
    this.drawRelations();
    if (first) {
      this.stepper.load(details, this.stretch, token, this.hues);
      this.step = null;
      this.light();
    }
    return true;
  }

  drawHead(of) {
    this.of = of;
    const { start, end, id, bytes } = this.token;
    const big = chip(bytes, this.hues(start - this.token.from, end - this.token.from), 24);
    big.classList.add("big");
    if (this.token.special) big.classList.add("inverse");
    const words = make("div", "words");
    const title = make("h2", "", id === null ? "No id" : `id ${figure(id)}`);
    const place = this.details ? `token ${figure(this.details.place)} of ${figure(this.details.of)}, ` : "";
    const line = make("p", "quiet place", `${place}${placeOf(start, end)}`);
    if (of) {
      const name = make("span");
      const mark = unspoken(make("span", "", of.glyph));
      mark.style.color = `var(--k-${of.series})`;
      name.append(mark, ` ${of.name}: `);
      line.prepend(name);
    }
    const pairs = hexOf(bytes.subarray(0, HEX)).replaceAll("\u00a0", " ");
    const hex = make("p", "quiet hex-line", pairs + (bytes.length > HEX ? " …" : ""));
    hex.setAttribute("aria-label", `Bytes ${hex.textContent}`);
    words.append(title, line, hex);
    this.root.setAttribute("aria-label", `Pinned token: ${spoken(bytes, 0, bytes.length)}`);
    const parts = [big, words];
    if (this.head.childElementCount !== 3) this.head.replaceChildren(...parts, this.unpin);
    else for (const [i, part] of parts.entries()) this.head.children[i].replaceWith(part); // Unpin may have the focus
  }

  drawFacts() {
    const { start, end, bytes } = this.token;
    const top = topSeam(this.stretch, start - this.token.from, end - this.token.from);
    const { seams, characters = 0 } = this.stretch;
    const rank = top < 0 ? null : seams[top];
    const merged = seams.slice(start - this.token.from + 1, end - this.token.from).filter((seam) => seam >= characters);
    const fact = (term, value) => {
      const pair = make("div");
      pair.append(make("dt", "", term), make("dd", "", value));
      return pair;
    };
    const facts = [
      fact("Bytes", figure(bytes.length)),
      ...(this.kind ? [] : [fact("Merges to make it", figure(rank === null ? 0 : merged.length))]),
      fact("In this text", this.details ? times(this.details.times) : "…"),
    ];
    if (this.details) {
      const [from, to] = this.details.chunk;
      facts.push(
        fact(
          "Covers",
          from === start && to === end
            ? "its whole chunk"
            : `${figure(end - start)} of ${figure(to - from)} bytes of its chunk`,
        ),
      );
    } else facts.push(fact("Covers", "…"));
    this.facts.replaceChildren(...facts);
    const how =
      rank !== null
        ? `is made by merge ${figure(rank + 1)} of ${figure(this.merges)}.`
        : this.token.special
          ? `is ${an(this.token.special)}: it is cut out of the text before any merge.`
          : this.token.id === null
            ? `is no token: ${UNCOVERED}.`
            : this.kind
              ? `is one token. No merges of a tokenizer like this (${this.kind}) are known, so there is no tree, no ` +
                "replay and no smaller vocabulary to show."
              : this.token.looked
                ? `is one token, but ${UNMADE}.`
                : bytes.length > 1
                  ? "is a character: this vocabulary has its characters before any merge."
                  : "is a byte: every vocabulary begins with the 256 bytes.";
    this.made.replaceChildren(chip(bytes, this.hues(start - this.token.from, end - this.token.from), 24), ` ${how}`);
    const { written } = this.details || {};
    if (written)
      this.made.append(" Its vocabulary has ", chip(fromHex(written), home(fromHex(written)), 24), " for it.");
    this.made.firstChild.classList.toggle("inverse", this.token.special);
    if (this.called && this.token.id !== null)
      this.made.append(" ", tokenLink("to-biography", this.called, this.token.id));
  }

  // Name the characters that a look at the token does not show: all but ASCII letters, digits and signs. Each once.
  drawSigns() {
    const { start, end } = this.token;
    const met = new Set();
    const told = this.details.characters.filter(({ text, start: from, end: to }) => {
      if (from < start || to > end) return true;
      if (met.has(text) || !/[^!-~]/.test(text)) return false;
      met.add(text);
      return text !== " " || this.details.end - this.details.start === 1;
    });
    this.signs.replaceChildren(
      ...told.map((character) => {
        const { text, code, name, start: from, end: to } = character;
        const row = make("li");
        const seen = UNSEEN.test(text) ? "" : onCircle(text);
        if (seen) row.append(make("span", "sign", seen), " ");
        const called = name || INVISIBLE.get(text.codePointAt(0))?.[1] || "";
        row.append(make("span", "code", code), ` ${called.toLowerCase()}`);
        if (from < start || to > end) {
          const first = Math.max(from, start) - from + 1;
          const last = Math.min(to, end) - from;
          const part = first === last ? `byte ${first}` : `bytes ${first} to ${last}`;
          row.append(make("b", "", `, ${part} of ${to - from}`));
        }
        return row;
      }),
    );
    this.signs.hidden = !told.length;
  }

  drawTree() {
    const { start, end, from } = this.token;
    const size = end - start;
    const long = size > TREE_BYTES;
    this.halves.classList.toggle("low", size <= LOW);
    this.halves.classList.toggle("stacked", size > SIDE_BY_SIDE || (size > LOW && this.stretch.n > LONG_CHUNK));
    this.dim = null;
    if (long) {
      this.roots.replaceChildren();
      this.caption.textContent =
        `A token of ${figure(size)} bytes is too wide for a drawing of its merges; ` + `up to ${TREE_BYTES} are drawn.`;
      return;
    }
    const style = getComputedStyle(this.root);
    const scale = parseFloat(style.fontSize) / 16 || 1;
    this.drawn = this.roots.clientWidth;
    const room = (this.drawn || 300) / scale;
    const { svg, dim, middle } = drawTree(
      this.stretch,
      start - from,
      end - from,
      this.hues,
      room,
      style.getPropertyValue("--code"),
    );
    for (const side of ["width", "height"]) svg.setAttribute(side, svg.getAttribute(side) * scale);
    this.dim = dim;
    const merges = svg.querySelectorAll("[data-rank]").length;
    const name = spoken(this.token.bytes, 0, end - start);
    svg.setAttribute(
      "aria-label",
      !merges
        ? `The bytes of ${name}, not merged`
        : `Merge tree of ${name}: ${quantity(merges, "merge")}. The list of steps tells them in order.`,
    );
    this.roots.replaceChildren(svg);
    this.caption.textContent = merges
      ? "Read the tree from the bottom up. The figure in a token is the number of its merge."
      : this.token.special
        ? `This ${this.token.special} is cut out of the text before any merge: ${UNMADE}.`
        : this.token.id === null
          ? `Here ${UNCOVERED}.`
          : this.token.looked
            ? `In this vocabulary ${UNMADE}.`
            : "One byte: no merge was needed.";
    const wide = this.roots.scrollWidth > this.roots.clientWidth + 1; // what scrolls must be reachable by keys
    this.roots.tabIndex = wide ? 0 : -1;
    for (const [name, value] of [
      ["role", "group"],
      ["aria-label", "Merge tree, scrolls sideways"],
    ]) {
      if (wide) this.roots.setAttribute(name, value);
      else this.roots.removeAttribute(name);
    }
    if (!wide) this.roots.removeAttribute("tabindex");
    this.roots.scrollLeft = middle * scale - this.roots.clientWidth / 2;
    this.light();
  }

  fit() {
    if (this.token && Math.abs(this.roots.clientWidth - this.drawn) > 1) this.drawTree();
  }

  go(step) {
    this.step = step;
    this.light();
  }

  // Dim in the tree what does not exist yet at the step shown.
  light() {
    if (!this.dim) return;
    const madeBy = this.stepper.madeBy;
    const from = this.details?.steps ? this.details.steps.start - this.token.from : 0;
    this.dim((seam) => this.step === null || !madeBy.has(seam - from) || madeBy.get(seam - from) < this.step);
  }

  drawRelations() {
    const { relations } = this.details;
    if (this.token.special || this.token.id === null) {
      this.relations.replaceChildren();
      return;
    }
    const held = this.relations.getRootNode().activeElement;
    if (this.relations.contains(held) && this.told === JSON.stringify(relations)) return;
    this.told = JSON.stringify(relations);
    const row = (term, ...parts) => {
      const line = make("div", "relation");
      line.append(make("span", "term quiet", term), ...parts);
      return line;
    };
    const link = ({ id, bytes }, hue) => {
      const label = `${spoken(bytes, 0, bytes.length)}, id ${id}: find it in the text`;
      const element = makeButton("link", "", () => this.look(id, bytes), label);
      element.append(chip(bytes, hue));
      element.title = `id ${figure(id)}`;
      return element;
    };
    const rows = [];
    const { start, end, from } = this.token;
    const middle = topSeam(this.stretch, start - from, end - from); // its seams tell what it is made of
    if (middle >= 0) {
      const [left, right] = [
        [start - from, middle],
        [middle, end - from],
      ].map(([at, stop]) =>
        link({ id: idOf(this.stretch, at, stop), bytes: this.stretch.bytes.subarray(at, stop) }, this.hues(at, stop)),
      );
      rows.push(row("Made of", left, make("span", "quiet", "+"), right));
    } else if (this.token.looked) rows.push(row("Made of", make("span", "quiet", UNMADE)));
    const { part_of: named, n_part_of: all } = relations || { part_of: [], n_part_of: 0 };
    if (!relations) {
      rows.push(row("Part of", make("span", "quiet", "being looked up: all merges are read once, in a few seconds")));
    } else if (all) {
      const more = all > named.length ? [make("span", "quiet", `and ${figure(all - named.length)} more`)] : [];
      rows.push(row("Part of", ...named.map(({ id, hex }) => link({ id, bytes: fromHex(hex) })), ...more));
    } else rows.push(row("Part of", make("span", "quiet", "no other token")));
    this.relations.replaceChildren(...rows);
  }

  look(id, bytes) {
    if (this.find(id)) return;
    this.said.replaceChildren(chip(bytes), ` (id ${figure(id)}) is not a token of this text.`);
  }
}

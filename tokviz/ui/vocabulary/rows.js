// The rows of the token list. They come from the server in blocks, and while a block is on its way its rows are grey.

import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, quantity, times } from "../kit/words.js";
import { fromHex } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip, hexOf, spoken } from "../tokenview/marks.js";

const ABOVE = 2; // rows above the one that the list opens at
const BLOCK = 50; // rows that are asked for at once
const KEPT = 80; // blocks that the browser keeps
const LETTERS = 60; // of a token, before the style cuts it to the room that there is

export class TokenRows {
  // fetch(block, start, count) asks for rows and is answered by `take`. pin(id) pins a token. leave() is called by Escape.
  constructor({ fetch, pin, leave }) {
    Object.assign(this, { fetch, pin, most: 0, pinned: null });
    this.blocks = new Map(); // number -> rows as columns
    this.asked = new Map(); // parity of a block's number -> the number of the block on its way
    this.rows = new Rows({
      label: "Tokens",
      height: 40,
      narrow: 480,
      row: (index) => this.row(index),
      choose: (index) => this.choose(index),
      leave,
    });
    this.root = this.rows.root;
  }

  close() {
    this.rows.close();
  }

  // use: the title of the last column, in which it is chosen where use is counted.
  title(use) {
    this.rows.title([
      ["token", "Token"],
      ["id", "Id"],
      ["bytes", "Bytes"],
      ["use", use],
    ]);
  }

  // A new list of n tokens. most: the highest use in it. rows: its first ones. The list opens at its top, or with `at` near
  // it.
  load(n, most, rows, at = null) {
    this.most = most;
    this.blocks.clear();
    this.asked.clear();
    this.blocks.set(0, rows);
    this.rows.load(n, at ?? 0, at === null ? 0 : at - ABOVE);
  }

  take(block, rows) {
    this.failed(block);
    this.blocks.set(block, rows);
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= KEPT) break;
      this.blocks.delete(old);
    }
    this.rows.draw();
  }

  // The rows that did not arrive are asked for again when they are next drawn.
  failed(block) {
    if (this.asked.get(block % 2) === block) this.asked.delete(block % 2);
  }

  show(id) {
    this.pinned = id;
    this.rows.draw();
  }

  // The block of a row and its place there; null while it is on its way.
  find(index) {
    const number = Math.floor(index / BLOCK);
    const block = this.blocks.get(number);
    if (!block && this.asked.get(number % 2) !== number) {
      this.asked.set(number % 2, number);
      this.fetch(number, number * BLOCK, BLOCK);
    }
    const i = index % BLOCK;
    return i < (block?.ids.length ?? 0) ? { block, i } : null; // the list may have become shorter, and come again soon
  }

  row(index) {
    const found = this.find(index);
    if (!found) return { inside: cells(), label: "on its way", look: "waiting" };
    const { block, i } = found;
    block.drawn ??= [];
    block.drawn[i] ??= this.drawn(block, i); // a chip is an element, and stays as long as it is the same
    const selected = block.ids[i] === this.pinned;
    return { ...block.drawn[i], look: selected ? "pinned" : "", selected };
  }

  drawn({ ids, ranks, uses, special, tokens }, i) {
    const data = fromHex(tokens[i]);
    const [merge, use] = [ranks[i] < 0 ? null : figure(ranks[i] + 1), uses[i]];
    const token = data.length ? chip(data, home(data), LETTERS) : html`<span class="quiet">no bytes</span>`;
    if (special[i] && data.length) token.classList.add("inverse");
    const label = [
      data.length ? spoken(data, 0, data.length) : "no bytes",
      `id ${figure(ids[i])}`,
      merge ? `merge ${merge}` : "no merge",
      quantity(data.length, "byte"),
      use ? `used ${times(use)}` : "not used",
    ].join(", ");
    const share = use && Math.max(2, (100 * use) / this.most);
    const title = data.length ? hexOf(data) : "";
    const shown = [figure(ids[i]), figure(data.length), use ? figure(use) : "–"];
    return { inside: cells(token, title, shown, share), label };
  }

  // Bring the list into sight, where it was left.
  come() {
    this.root.scrollIntoView({ block: "nearest" });
    this.rows.box.focus({ preventScroll: true });
  }

  choose(index = this.rows.at) {
    const found = this.rows.n ? this.find(index) : null;
    this.rows.point(index);
    if (found) this.pin(found.block.ids[found.i]);
  }
}

const cells = (token, title = "", [id, bytes, use] = [], share = 0) => html`<span class="token"
  title=${title}>${token}</span><span class="id">${id}</span><span class="bytes">${bytes}</span><span class="use"><span class="track"><i class="bar" style="width:${share}%"></i></span><b
  >${use}</b></span>`;

// The rows of the token list. They come from the server in blocks, one at a time; until its block is there a row is grey.

import { html } from "../kit/html.js";
import { Rows } from "../kit/rows.js";
import { figure, quantity, times } from "../kit/words.js";
import { fromHex } from "../tokenview/encoding.js";
import { home } from "../tokenview/hues.js";
import { chip, hexOf, spoken } from "../tokenview/marks.js";

const ABOVE = 2; // rows above the one that the list opens at
const BLOCK = 50; // rows that are asked for at once
const LETTERS = 60; // of a token, before the style cuts it to the room that there is

export class TokenRows extends Rows {
  // fetch(start, count) is a Promise of rows. pin(id) pins a token. leave() is called by Escape.
  constructor({ fetch, pin, leave }) {
    const row = (index) => this.look(index);
    super({ label: "Tokens", height: 40, narrow: 480, row, choose: (index) => this.choose(index), leave });
    Object.assign(this, { fetch, pin, blocks: new Map() }); // number -> its rows
  }

  // Another list: how many tokens are listed, the highest use in it, and its first rows. It opens at
  // its top, or with `at` near it.
  list({ listed, most, rows }, at) {
    this.root.hidden = !listed;
    Object.assign(this, { most, waits: false, blocks: new Map([[0, drawn(rows, most)]]) });
    this.load(listed, at ?? 0, at === null ? 0 : at - ABOVE);
  }

  show(id) {
    this.pinned = id;
    this.draw();
  }

  choose(index = this.at) {
    const found = this.found(index);
    this.point(index);
    if (found) this.pin(found.id);
  }

  found(index) {
    return this.blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
  }

  look(index) {
    const found = this.found(index);
    if (!found) this.come(Math.floor(index / BLOCK));
    if (!found) return { inside: cells(), label: "on its way", look: "waiting" };
    const selected = found.id === this.pinned;
    return { ...found, selected, look: selected ? "pinned" : "" };
  }

  // Ask for a block. Of those in sight the others are asked for when this one is there, and if it fails at the next draw.
  async come(block) {
    const { blocks } = this;
    if (this.waits || blocks.has(block)) return; // a list that has become shorter will come again soon
    this.waits = true;
    const rows = await this.fetch(block * BLOCK, BLOCK).catch(() => null);
    if (blocks !== this.blocks) return; // another list is shown by now
    this.waits = false;
    if (!rows) return;
    blocks.set(block, drawn(rows, this.most));
    this.draw();
  }
}

// Rows as they came in columns, each drawn once: a chip is an element, and stays as long as it is the same.
const drawn = ({ ids, ranks, uses, special, tokens }, most) =>
  ids.map((id, i) => {
    const [data, use] = [fromHex(tokens[i]), uses[i]];
    const token = data.length ? chip(data, home(data), LETTERS) : html`<span class="quiet">no bytes</span>`;
    if (special[i] && data.length) token.classList.add("inverse");
    const label = [
      data.length ? spoken(data, 0, data.length) : "no bytes",
      `id ${figure(id)}`,
      ranks[i] < 0 ? "no merge" : `merge ${figure(ranks[i] + 1)}`,
      quantity(data.length, "byte"),
      use ? `used ${times(use)}` : "not used",
    ].join(", ");
    const share = use && Math.max(2, (100 * use) / most);
    const shown = [figure(id), figure(data.length), use ? figure(use) : "–"];
    return { id, label, inside: cells(token, data.length ? hexOf(data) : "", shown, share) };
  });

const cells = (token, title = "", [id, bytes, use] = [], share = 0) => html`<span class="token"
  title=${title}>${token}</span><span class="id">${id}</span><span class="bytes">${bytes}</span><span class="use"><span class="track"><i class="bar" style="width:${share}%"></i></span><b
  >${use}</b></span>`;

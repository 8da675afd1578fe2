// Why do these differ? Explains one region: how each tokenizer splits it, and for a pair of them, A and B, every reason
// why B has boundaries inside a token of A. Python finds the reasons; this file puts them into words.

import { make, makeButton, seriesMark } from "../elements.js";
import { END, endOf, fromHex, startOf } from "../encoding.js";
import { home } from "../hues.js";
import { chip, spoken } from "../token_view/marks.js";
import { figure, quantity } from "../words.js";

const CHIPS = 24; // tokens of a region shown in a line
const TOLD = 3; // tokens of A that are explained; the others are folded away

const KINDS = {
  split: "split pattern",
  special: "special token",
  absent: "not in the vocabulary",
  taken: "taken by an earlier merge",
  unreachable: "unreachable",
  "other model": "no merge",
};

export class BoundaryReasons {
  // `pairOf` is called with the rows a and b of the pair to explain.
  constructor(parent, pairOf) {
    this.pairOf = pairOf;
    this.root = parent.appendChild(make("section", "why"));
    this.root.setAttribute("aria-label", "Why do these differ");
  }

  // region: [start, end]; pairs: Map "a b" -> its differences in the region; pair: the one to explain.
  show({ rows, region, number, total, pairs, pair }) {
    this.rows = rows;
    this.root.hidden = !region;
    if (!region) return;
    const left = make("div", "explained");
    const right = make("div", "each");
    const place = left.appendChild(make("p", "place"));
    place.append(
      make("b", "", `${figure(number)} of ${figure(total)}`),
      make("span", "quiet", `bytes ${figure(this.start + region[0])} to ${figure(this.start + region[1])}`),
    );
    const told = pairs.get(pair) || [];
    const [a, b] = pair.split(" ").map(Number);
    const blocks = told.map((difference) => this.difference(a, b, difference));
    left.append(...blocks.slice(0, TOLD));
    if (blocks.length > TOLD) {
      const more = left.appendChild(make("details", "more-told"));
      const rest = blocks.length - TOLD;
      more.append(
        make("summary", "", `${figure(rest)} more ${rest === 1 ? "token" : "tokens"} of ${rows[a].name} here`),
        ...blocks.slice(TOLD),
      );
    }

    right.append(this.cuts(region));
    const others = make("div", "others");
    others.append(make("h3", "", "Explain"));
    const list = others.appendChild(make("ul", "pairs"));
    for (const [key, differences] of pairs) list.append(this.pair(key, differences, key === pair));
    const focused = this.root.getRootNode().activeElement?.dataset?.pair;
    this.root.replaceChildren(left, right, ...(pairs.size > 1 ? [others] : []));
    if (focused) [...list.querySelectorAll("button")].find((button) => button.dataset.pair === focused)?.focus();
  }

  // The region in words, for screen readers.
  said({ rows, region, number, total, pairs, pair }) {
    const [told] = pairs.get(pair) || [];
    if (!region || !told) return "";
    const [a, b] = pair.split(" ").map(Number);
    const kinds = told.reasons.map(([kind]) => KINDS[kind]).join(", ");
    return (
      `${figure(number)} of ${figure(total)}: ${spoken(this.bytes, told.start, told.end)} is one token of ` +
      `${rows[a].name}, cut by ${rows[b].name}: ${kinds}.`
    );
  }

  name(i) {
    const element = make("span", "who");
    element.append(seriesMark(this.rows[i]), make("span", "", this.rows[i].name));
    return element;
  }

  token(bytes, special = false) {
    const token = chip(bytes, home(bytes), 24);
    token.classList.toggle("inverse", special);
    return token;
  }

  // The tokens of a row from start to end: the first CHIPS as chips, and how many there are.
  tokensIn(i, start, end) {
    const { encoding } = this.rows[i];
    const drawn = [];
    let count = 0;
    for (let at = startOf(encoding, start, END); at < end; count++) {
      const stop = endOf(encoding, at, END);
      if (count < CHIPS) drawn.push(this.token(encoding.bytes.subarray(at, stop), isSpecial(this.rows[i], at)));
      at = stop;
    }
    if (count > CHIPS) drawn.push(make("span", "quiet", `… ${figure(count - CHIPS)} more`));
    return { drawn, count };
  }

  cuts([start, end]) {
    const list = make("ul", "cuts");
    this.rows.forEach((row, i) => {
      const item = list.appendChild(make("li", row.counted ? "" : "out"));
      const { drawn, count } = this.tokensIn(i, start, end);
      const line = make("span", "tokens");
      line.append(...drawn);
      item.append(this.name(i), line, make("span", "quiet count", quantity(count, "token")));
    });
    return list;
  }

  pair(key, differences, on) {
    const [a, b] = key.split(" ").map(Number);
    const item = make("li");
    const button = item.appendChild(makeButton("pair", "", () => this.pairOf(a, b)));
    button.dataset.pair = key;
    button.setAttribute("aria-pressed", on);
    const kinds = [...new Set(differences.flatMap(({ reasons }) => reasons.map(([kind]) => KINDS[kind])))];
    button.append(this.name(a), " cut by ", this.name(b), make("span", "quiet", kinds.join(", ")));
    return item;
  }

  // "don't is one token of o200k_base. GPT-2 has don 't", and every reason.
  difference(a, b, { start, end, reasons }) {
    const { bytes } = this;
    const block = make("div", "difference");
    const head = block.appendChild(make("h3", "headline"));
    head.append(
      this.token(bytes.subarray(start, end), isSpecial(this.rows[a], start)),
      " is one token of ",
      this.name(a),
      ". ",
      this.name(b),
      " has ",
      ...this.tokensIn(b, start, end).drawn,
    );
    const list = block.appendChild(make("ul", "reasons"));
    for (const reason of reasons) {
      const item = list.appendChild(make("li"));
      item.append(make("span", "kind", KINDS[reason[0]]), this.sentence(a, b, start, end, reason));
    }
    return block;
  }

  sentence(a, b, start, end, [kind, ...by]) {
    const { bytes } = this;
    const w = () => this.token(bytes.subarray(start, end));
    const { name, pattern, vocab_size: size } = this.rows[b];
    const line = make("p");
    if (kind === "split") {
      const [at] = by;
      line.append(
        `The split pattern of ${name}, `,
        make("span", "code", shortened(pattern)),
        ", cuts between ",
        this.token(bytes.subarray(start, at)),
        " and ",
        this.token(bytes.subarray(at, end)),
        `, before byte ${figure(this.start + at)}. No merge crosses such a cut.`,
      );
    } else if (kind === "special") {
      const [at, length] = by;
      const owner = at === start && at + length === end && isSpecial(this.rows[a], at) ? a : b;
      line.append(
        this.token(bytes.subarray(at, at + length), true),
        ` is a special token of ${this.rows[owner].name}, cut out before any merge.`,
      );
    } else if (kind === "absent") {
      line.append(`${name} has no such token: `, w(), ` is not among the ${figure(size)} of its vocabulary.`);
    } else if (kind === "taken") {
      const [at, rank, made, own] = by;
      const side = at === start ? "left" : "right";
      line.append(`${name} has `, w(), `, from merge ${figure(own + 1)}. But `);
      if (rank === own) line.append("that merge had already joined the bytes one place further left");
      else line.append(`merge ${figure(rank + 1)} comes first: it makes `, this.token(fromHex(made)));
      line.append(`, and took what stands at the ${side} edge. Alone, these bytes would become `, w(), ".");
    } else if (kind === "unreachable") {
      const [parts] = by;
      line.append(
        `${name} has `,
        w(),
        ", but no pair of its tokens leads there. Even alone, these bytes become ",
        ...parts.map((part) => this.token(fromHex(part))),
        ".",
      );
    } else {
      const [at, length] = by;
      line.append(`${name} has `, this.token(bytes.subarray(at, at + length)), " there, a token that no merge made.");
    }
    return line;
  }
}

// Does a special token start there?
const isSpecial = (row, at) => row.special_ids.includes(row.encoding.whole.get(at));

const shortened = (pattern) => (pattern.length > 48 ? `${pattern.slice(0, 47)}…` : pattern);

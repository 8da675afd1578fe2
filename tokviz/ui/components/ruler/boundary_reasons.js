// Why does B split a token of A? Explains one region: how each tokenizer splits it, and for a pair of them, which the
// reader picks, every reason why B has boundaries inside a token of A. Python finds the reasons; this file puts them
// into words.

import { make, seriesMark, setAttributes } from "../../kit/elements.js";
import { an, figure, quantity } from "../../kit/words.js";
import { cutAs, END, endOf, fromHex, isSpecial, SPLIT, startOf } from "../encoding.js";
import { home } from "../hues.js";
import { chip, spoken } from "../token_view/marks.js";

const CHIPS = 24; // tokens of a region shown in a line
const TOLD = 3; // tokens of A that are explained; the others are folded away

const KINDS = {
  split: "split pattern",
  absent: "not in the vocabulary",
  taken: "taken by an earlier merge",
  unreachable: "unreachable",
  normalizer: "changed by a normalizer",
  "other model": "other model",
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
    const left = make("div");
    const right = make("div");
    const place = left.appendChild(make("p", "place"));
    place.append(
      make("b", "", `${figure(number)} of ${figure(total)}`),
      make("span", "quiet", `bytes ${figure(this.start + region[0])} to ${figure(this.start + region[1])}`),
    );
    const told = pairs.get(pair) || [];
    const [a, b] = pair.split(" ").map(Number);
    if (told.length) left.append(this.question(pairs, a, b, told.length));
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
    const focused = this.root.getRootNode().activeElement?.dataset?.side;
    this.root.replaceChildren(left, right);
    if (focused) left.querySelector(`[data-side="${focused}"]`)?.focus();
  }

  // "Why does [GPT-2] split [o200k_base]'s token?" Only tokenizers that do it here can be picked.
  question(pairs, a, b, tokens) {
    const there = [...pairs.keys()].map((key) => key.split(" ").map(Number));
    const heading = make("h3", "question");
    const splitters = [...new Set(there.map(([, other]) => other))];
    const owners = [...new Set(there.map(([own]) => own))];
    const has = (own, other) => pairs.has(`${own} ${other}`);
    heading.append(
      "Why does ",
      this.picker("splitter", "The tokenizer that splits", splitters, b, (i) =>
        this.pairOf(has(a, i) ? a : owners.find((own) => has(own, i)), i),
      ),
      " split ",
      this.picker("owner", "The tokenizer whose token is split", owners, a, (i) =>
        this.pairOf(i, has(i, b) ? b : splitters.find((other) => has(i, other))),
      ),
      tokens === 1 ? "’s token?" : "’s tokens?",
    );
    return heading;
  }

  picker(side, label, choices, chosen, pick) {
    const element = make("span", "picker");
    element.append(seriesMark(this.rows[chosen]));
    if (choices.length < 2) {
      element.append(make("span", "", this.rows[chosen].name));
      return element;
    }
    const select = element.appendChild(make("select"));
    select.dataset.side = side;
    select.setAttribute("aria-label", label);
    for (const i of choices.sort((x, y) => x - y)) {
      const option = select.appendChild(make("option", "", this.rows[i].name));
      option.value = i;
    }
    select.value = chosen;
    select.addEventListener("change", () => pick(Number(select.value)));
    return element;
  }

  // The region in words, for screen readers.
  said({ rows, region, number, total, pairs, pair }) {
    const [told] = pairs.get(pair) || [];
    if (!region || !told) return "";
    const [a, b] = pair.split(" ").map(Number);
    const kinds = told.reasons.map(([kind]) => KINDS[kind]).join(", ");
    return (
      `${figure(number)} of ${figure(total)}: ${spoken(this.bytes, told.start, told.end)} is one token of ` +
      `${rows[a].name}, split by ${rows[b].name}: ${kinds}.`
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
      if (count < CHIPS)
        drawn.push(this.token(encoding.bytes.subarray(at, stop), isSpecial(this.rows[i].encoding, at)));
      at = stop;
    }
    if (count > CHIPS) drawn.push(make("span", "quiet", `… ${figure(count - CHIPS)} more`));
    return { drawn, count };
  }

  cuts([start, end]) {
    const list = make("ul", "cuts");
    this.rows.forEach((_, i) => {
      const item = list.appendChild(make("li"));
      const { drawn, count } = this.tokensIn(i, start, end);
      const line = make("span", "tokens");
      line.append(...drawn);
      item.append(this.name(i), line, make("span", "quiet count", quantity(count, "token")));
    });
    return list;
  }

  // "don't → don 't", and every reason.
  difference(a, b, { start, end, reasons }) {
    const block = make("div", "difference");
    const head = block.appendChild(make("p", "headline"));
    const becomes = make("span", "becomes", "→");
    setAttributes(becomes, { role: "img", "aria-label": " is split into " });
    head.append(
      this.token(this.bytes.subarray(start, end), isSpecial(this.rows[a].encoding, start)),
      becomes,
      ...this.tokensIn(b, start, end).drawn,
    );
    const list = block.appendChild(make("ul", "reasons"));
    for (const reason of reasons) {
      const item = list.appendChild(make("li"));
      const kind = KINDS[reason[0]] || this.inTheWay(a, b, start, end, ...reason.slice(1)).kind;
      item.append(make("span", "kind", kind), this.sentence(a, b, start, end, reason));
    }
    return block;
  }

  // The special or added token that is in the way: of which row, and which of the two.
  inTheWay(a, b, start, end, at, length) {
    const row = this.rows[at === start && at + length === end && isSpecial(this.rows[a].encoding, at) ? a : b];
    return { name: row.name, kind: cutAs(row.encoding, at) };
  }

  // The bytes from start to end with a bar at each cut of a row's split pattern.
  cutApart(row, start, end) {
    const { seams } = row.encoding;
    const besideSpecial = (at) =>
      isSpecial(row.encoding, at) || isSpecial(row.encoding, startOf(row.encoding, at - 1, END));
    const drawn = make("span", "cut");
    for (let at = start, next = at + 1; at < end; next++) {
      if (next < end && (seams[next] !== SPLIT || besideSpecial(next))) continue;
      drawn.append(this.token(this.bytes.subarray(at, next)));
      if (next < end) {
        const bar = drawn.appendChild(make("span", "bar", "│"));
        setAttributes(bar, { role: "img", "aria-label": " cut " });
      }
      at = next;
    }
    return drawn;
  }

  sentence(a, b, start, end, [kind, ...by]) {
    const { bytes } = this;
    const w = () => this.token(bytes.subarray(start, end));
    const { name, kind: model, pattern, vocab_size: size } = this.rows[b];
    const line = make("p");
    if (kind === "split") {
      line.append(
        `The split pattern of ${name} (`,
        make("span", "code", shortened(pattern)),
        ") cuts here, and no merge crosses a cut: ",
        this.cutApart(this.rows[b], start, end),
      );
    } else if (kind === "special") {
      const [at, length] = by;
      const cut = this.inTheWay(a, b, start, end, at, length);
      line.append(
        this.token(bytes.subarray(at, at + length), true),
        ` is ${an(cut.kind)} of ${cut.name}. It is taken out of the text before any merge.`,
      );
    } else if (kind === "absent") {
      line.append(`${name} has no such token: `, w(), ` is not one of the ${figure(size)} in its vocabulary.`);
    } else if (kind === "taken") {
      const [at, rank, pair, own] = by;
      const joined = pair.map((part) => this.token(fromHex(part)));
      const used = this.token(fromHex(pair[at === start ? 1 : 0]));
      const before = rank === own ? "The same merge (" : `But merge ${figure(rank + 1)} (`;
      const ran = rank === own ? ") ran one place further left and used up the " : ") ran first and used up the ";
      line.append(`${name} has `, w(), `, from merge ${figure(own + 1)}. ${before}`, joined[0], " + ", joined[1], ran);
      line.append(used, ", so ", w(), " could not form.");
    } else if (kind === "unreachable") {
      const [parts, lookedUp] = by;
      line.append(
        `${name} has `,
        w(),
        lookedUp
          ? ", but only looks it up where it is a whole chunk. Elsewhere, these bytes become "
          : ", but no merge makes it. Even on their own, these bytes become ",
        ...parts.map((part) => this.token(fromHex(part))),
        ".",
      );
    } else if (kind === "normalizer") {
      const [at, length] = by;
      line.append("A normalizer changes ", this.token(bytes.subarray(at, at + length)), " before it is cut.");
    } else {
      const [at, length] = by;
      const there = this.token(bytes.subarray(at, at + length));
      if (this.rows[b].encoding.whole.get(at) === null) line.append(`No token of ${name} covers `, there, ".");
      else
        line.append(`${name} has `, there, ` here, ${model ? `a token of ${model}` : "a token that no merge made"}.`);
    }
    return line;
  }
}

const shortened = (pattern) => (pattern.length > 48 ? `${pattern.slice(0, 47)}…` : pattern);

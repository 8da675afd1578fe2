// The tokens that absorbed a token, as a tree of two levels, by rank.

import { make } from "../../kit/elements.js";
import { figure, quantity } from "../../kit/words.js";
import { fromHex } from "../encoding.js";
import { chip, drawPieces, piecesOf } from "../token_view/marks.js";
import { bioGroup, moreButton, tokenButton } from "./parts.js";

const FAMILY_AT_ONCE = 12; // as FAMILY in tokviz/ui/vocabulary/biography.py
const FIRST_ROWS = 12; // rows that are shown at first, of both levels

export class Family {
  constructor(data, { pin, ask }) {
    Object.assign(this, { data, pin, ask });
    this.root = bioGroup("The tokens that absorbed it");
    this.body = this.root.appendChild(make("div"));
    this.draw();
  }

  say(words) {
    this.body.replaceChildren(make("p", "quiet", words));
  }

  draw() {
    const { family } = this.data;
    if (!family) {
      this.say("They are being looked up: all merges are read once, in a few seconds.");
      return;
    }
    const { n } = family;
    this.root.firstChild.textContent =
      n === 0
        ? "No token absorbed it"
        : n === 1
          ? "The token that absorbed it"
          : `The ${figure(n)} tokens that absorbed it`;
    this.body.replaceChildren();
    if (!n) return;
    const top = make("div", "bio-row");
    top.append(chip(fromHex(this.data.bytes)));
    const { fate } = this.data;
    if (fate)
      top.append(make("span", "bio-fact quiet", `${figure(fate.remain)} ${fate.remain === 1 ? "remains" : "remain"}`));
    const list = make("ul", "bio-family");
    this.body.append(top, list);
    let rows = 0;
    const few = family.children.filter((child) => {
      const fits = rows < FIRST_ROWS;
      rows += 1 + child.children.length;
      return fits;
    });
    this.add(list, { ...family, children: few });
  }

  // Add more tokens of the first level.
  add(list, { children, first, n }) {
    list.append(...children.map((child) => this.item(child)));
    const shown = first + children.length;
    if (shown >= n) return;
    const more = moreButton(n - shown, FAMILY_AT_ONCE, async () => {
      const next = await this.ask("family", { id: this.data.id, first: shown });
      more.remove();
      const before = list.children.length;
      this.add(list, next);
      list.children[before]?.querySelector("button")?.focus({ preventScroll: true });
    });
    this.body.append(more);
  }

  item(child) {
    const item = make("li");
    const row = item.appendChild(make("div", "bio-row"));
    const other = make("span", "bio-other quiet");
    const bytes = fromHex(child.other);
    const pieces = drawPieces(piecesOf(bytes, 0, bytes.length));
    other.append(...(child.leads ? ["+ ", ...pieces] : [...pieces, " +"]));
    const fact = make("span", "bio-fact quiet", `merge ${figure(child.rank + 1)}`);
    if (child.took) fact.append(", ", make("b", "", `took ${figure(child.took)}`));
    row.append(tokenButton(child, this.pin), other, fact);
    if (!child.children.length) return item;
    const below = item.appendChild(make("ul"));
    below.append(...child.children.map((one) => this.item(one)));
    const rest = child.n - child.children.length;
    if (rest) below.append(make("li", "bio-rest quiet", `and ${quantity(rest, "other")}`));
    return item;
  }
}

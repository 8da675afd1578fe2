// The places of a token in what is counted: where it remains, and where it was absorbed. A place opens Replay or Tokens.

import { make, makeButton, setAttributes } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { CUT_FIRST, fromHex } from "../encoding.js";
import { pageLink } from "../page_link.js";
import { chip, spoken } from "../token_view/marks.js";
import { bioGroup, inText, moreButton } from "./parts.js";

const PLACES_AT_ONCE = 20; // as MORE_PLACES in tokviz/ui/vocabulary/biography.py
const BEFORE = 60; // bytes before a place with which the window of Replay begins

export class Places {
  constructor(data, { ask }) {
    Object.assign(this, { data, ask });
    this.root = bioGroup("");
    this.choice = this.root.appendChild(make("div", "choice"));
    this.list = this.root.appendChild(make("ul", "bio-places"));
    this.foot = this.root.appendChild(make("div"));
    this.show(data.places);
  }

  // Show places from the first on.
  show(places) {
    this.list.replaceChildren();
    const { made, remain } = this.data.fate;
    const where = this.data.corpus ? "in the corpus" : "in the text";
    const { n } = places;
    const gone = places.remaining ? "" : made === remain ? "" : " where it was absorbed";
    this.root.firstChild.textContent =
      n === 0
        ? made
          ? `Its places ${where}`
          : `No place ${where}`
        : n === 1
          ? `Its one place ${where}${gone}`
          : `Its ${figure(n)} places ${where}${gone}`;
    this.drawChoice(places.remaining);
    this.add(places);
    if (!n && made) this.foot.append(make("p", "quiet", "They are not known: the text itself is not here."));
  }

  drawChoice(remaining) {
    const { made, remain } = this.data.fate;
    this.choice.hidden = !remain || remain === made;
    if (this.choice.hidden) return;
    const held = this.choice.contains(this.choice.getRootNode().activeElement);
    const buttons = make("span");
    setAttributes(buttons, { role: "group", "aria-label": "Which places" });
    for (const [is, words] of [
      [true, `${figure(remain)} where it remains`],
      [false, `${figure(made - remain)} where it was absorbed`],
    ]) {
      const button = makeButton("", words, () => is !== remaining && this.turn(is));
      button.setAttribute("aria-pressed", is === remaining);
      buttons.append(button);
    }
    this.choice.replaceChildren(buttons);
    if (held) buttons.querySelector('[aria-pressed="true"]').focus();
  }

  async turn(remaining) {
    try {
      this.show(await this.ask("places", { id: this.data.id, remaining, first: 0 }));
    } catch (error) {
      this.foot.replaceChildren(make("p", "quiet", error.message));
    }
  }

  add({ rows, first, n, remaining }) {
    this.list.append(...rows.map((row) => this.item(row)));
    this.foot.replaceChildren();
    const shown = first + rows.length;
    if (shown >= n || !rows.length) return;
    this.foot.append(
      moreButton(n - shown, PLACES_AT_ONCE, async () => {
        const before = this.list.children.length;
        this.add(await this.ask("places", { id: this.data.id, remaining, first: shown }));
        this.list.children[before]?.querySelector("a")?.focus({ preventScroll: true });
      }),
    );
  }

  item({ start, left, bytes, right, taker }) {
    const item = make("li");
    const { opens } = this.data;
    const line = opens ? this.linkTo(opens, start) : make("div", "bio-place");
    item.append(line);
    const token = fromHex(bytes);
    const before = make("span", "bio-left");
    const inner = before.appendChild(make("bdi"));
    inner.append(...inText(fromHex(left)));
    const after = make("span", "bio-right");
    after.append(...inText(fromHex(right)));
    const drawn = chip(token);
    if (this.data.kind in CUT_FIRST) drawn.classList.add("inverse");
    line.append(make("span", "bio-at quiet", figure(start)), before, drawn, after);
    if (taker) {
      const by = fromHex(taker.bytes);
      const fact = item.appendChild(make("p", "bio-taker quiet", "absorbed by "));
      fact.append(chip(by));
      line.setAttribute("aria-description", `absorbed by ${spoken(by, 0, by.length)}`);
    }
    return item;
  }

  linkTo({ page, query }, start) {
    const at = page === "replay" ? `start=${Math.max(0, start - BEFORE)}` : `pin=0.${start}`;
    const link = pageLink("bio-place", page, `${query}&${at}`);
    link.title = page === "replay" ? "Replay shows its birth here" : "Tokens shows it here, pinned";
    return link;
  }
}

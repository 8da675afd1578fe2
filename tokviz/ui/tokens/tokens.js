// The Tokens page: a workbench with an opening for new visitors, and a head for each model above the boxes.

import { mount } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { openPage } from "../tokenview/page_link.js";
import { remember, Workbench } from "../tokenview/workbench.js";
import { opening } from "./opening.js";

const LOOKS = 50; // for what opens below, one in 100 ms

class Tokens extends Workbench {
  title = "Tokens";
  parts = [
    ["ids", "From ids to text"],
    ["chat", "A conversation"],
  ];

  update(data, tell) {
    if (!data.opening) this.meet();
    super.update(data, tell);
  }

  beside() {
    return this.adder();
  }

  below() {
    return this.adder();
  }

  before() {
    return !this.shows.met && opening((door) => this.enter(door));
  }

  between() {
    const { heads } = this;
    return html`<div class="heads n${heads.length}" style="--columns:${Math.min(4, heads.length)}">${heads.map(({ root }) => root)}${
      heads.length > 2 && html`<p class="others quiet">and ${figure(heads.length - 1)} more</p>`
    }</div>`;
  }

  // Go through a door of the opening; the others stay.
  enter(door) {
    if (door === "cost") this.act("cost");
    else if (door === "letters") openPage("learn", "v=1&step=counting-letters");
    else openPage("train", "v=1&write=1");
  }

  // What opens below all of this is brought into sight once Streamlit has drawn it.
  act(what, name) {
    super.act(what, name);
    if (what === "below") bringBelow(LOOKS);
  }

  wasTyped() {
    const meets = !this.shows.met;
    this.meet();
    super.wasTyped();
    if (meets) this.drawPage();
  }

  // The opening is met once.
  meet() {
    if (this.shows.met) return;
    this.shows.met = true;
    remember({ met: true });
  }

  linked() {
    const { face } = this.shows;
    const { key, start, size } = this.inside.state();
    const side = [...this.panels.keys()].indexOf(key);
    return {
      view: face === "Text" ? null : face.toLowerCase(),
      size,
      pin: start === null ? null : `${side}.${start}`,
    };
  }
}

function bringBelow(looks) {
  const part = document.querySelector(".st-key-tokens-below");
  if (part) part.scrollIntoView({ block: "center" });
  else if (looks) setTimeout(() => bringBelow(looks - 1), 100);
}

export default function (page) {
  return mount(Tokens, page, (bench) => bench.update(page.data, page.setTriggerValue));
}

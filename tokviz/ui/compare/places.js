// The places where tokenizers disagree in a text: the ruler, the place that the reader is at, and why they disagree there.

import { make } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { regionAt, regionFrom, regionsOf } from "./boundaries.js";
import { pairFor, pairsOf, reason } from "./reason.js";
import { Ruler } from "./ruler.js";

export class Places {
  // pointed(at) is called with what is pointed at on the ruler, or null; moved() when the reader is at another place; redraw()
  // when another pair is explained.
  constructor({ pointed, moved, redraw }) {
    Object.assign(this, { moved, redraw, whole: { n: 0 }, rows: [], regions: [], selected: -1, answers: new Map() });
    this.pair = null; // the keys of the two tokenizers whose difference is explained
    this.ruler = new Ruler(pointed, (i, lane) => this.choose(i, lane));
    this.why = make("section", "why");
    this.why.setAttribute("aria-label", "Why they disagree");
  }

  close() {
    this.ruler.close();
  }

  // whole: the text. rows: { key, name, glyph, series, encoding, cuts }. The reader stays where they are.
  load(whole, rows) {
    const before = this.region;
    const regions = regionsOf(
      rows.map(({ cuts }) => cuts),
      whole.n,
    );
    Object.assign(this, { whole, rows, regions });
    this.answers.clear();
    const last = regions.length - 1;
    this.selected = Math.min(last, before ? regionFrom(regions, before[0]) : Math.max(0, this.selected));
    this.ruler.selected = this.selected;
    this.ruler.show(whole, rows, regions);
  }

  // The place that the reader is at: [start, end]; undefined if there is none.
  get region() {
    return this.regions[this.selected];
  }

  // lane: the number of the tokenizer whose ticks were clicked; null for none.
  choose(i, lane = null, shows = false) {
    this.selected = i;
    this.ruler.choose(i, shows);
    this.explain(lane);
    this.moved();
  }

  step(way) {
    const next = this.selected + way;
    if (next >= 0 && next < this.regions.length) this.choose(next, null, true);
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.composedPath()[0];
    if (target.matches("input, select, textarea")) return;
    const isOnRuler = target === this.ruler.box;
    const ways = { n: 1, N: -1, ...(isOnRuler && { ArrowRight: 1, ArrowLeft: -1 }) };
    if (!ways[event.key]) return;
    event.preventDefault();
    this.step(ways[event.key]);
  }

  // differences: all of the place at `start`, and of those that end at `stop` or before. Are they the first of the reader's
  // place?
  take(differences, start, stop) {
    const found = Map.groupBy(differences, (one) => regionAt(this.regions, one.start));
    const isNew = !this.pairs;
    for (const [i, some] of found) {
      const [from, to] = this.regions[i];
      if (from === start || to <= stop) this.answers.set(from, pairsOf(some));
    }
    if (isNew) this.explain();
    return isNew;
  }

  get pairs() {
    return this.answers.get(this.region?.[0]) ?? null;
  }

  explain(lane = null) {
    if (!this.pairs?.size) return;
    this.choosePair(pairFor(this.pairs, this.rows, this.chosenPair, lane));
  }

  // The pair by the numbers of its rows, as it is called in answers.
  get chosenPair() {
    return this.pair?.map((key) => this.rows.findIndex((row) => row.key === key)).join(" ");
  }

  choosePair(numbers) {
    this.pair = numbers.split(" ").map((i) => this.rows[i].key);
  }

  // --- what is drawn ---

  verdict() {
    if (!this.whole.n) return "Nothing to compare yet";
    if (this.rows.length < 2) return "Add a second tokenizer that can cut this text.";
    return this.regions.length
      ? `They disagree in ${quantity(this.regions.length, "place")}`
      : "They cut this text alike.";
  }

  walk(isPhone) {
    const { selected, regions } = this;
    const button = (label, short, key, way, isOff) => html`<button type="button" aria-label="${label} disagreement"
      aria-keyshortcuts=${way > 0 ? "N" : "Shift+N"} aria-disabled=${String(isOff)} @click=${() => this.step(way)}>${
        isPhone ? short : html`${label} <kbd aria-hidden="true">${key}</kbd>`
      }</button>`;
    return html`<div class="walk flow">${button("Previous", "‹", "⇧N", -1, selected === 0)}${button(
      "Next",
      "Next",
      "N",
      1,
      selected === regions.length - 1,
    )}</div>`;
  }

  // The finding, and the ways to the other places.
  head(isPhone) {
    return html`<div class="verdict flow ends"><h2>${this.verdict()}</h2>${this.region && this.walk(isPhone)}</div>`;
  }

  // The ruler beside the reasons; false without a text.
  template(isPhone) {
    const { region, whole, rows } = this;
    this.drawWhy();
    return (
      whole.n > 0 &&
      rows.length > 0 &&
      html`<div class=${region ? "ground halves" : "ground"}>${this.ruler.box}${isPhone && this.unfolder()}${region && this.why}</div>`
    );
  }

  unfolder() {
    if (this.isWhole) return false;
    const press = () => {
      this.isWhole = true;
      this.ruler.box.classList.add("unfolded");
      this.redraw();
    };
    return html`<button type="button" class="unfold" @click=${press}>Show the whole text</button>`;
  }

  legend() {
    if (this.rows.length < 2) return false;
    const all = this.rows.length === 2 ? "both" : "all";
    return html`<p class="flow legend quiet"><span>grey: ${all} agree</span> <span><b>①</b> a disagreement</span>
      <span>│ a token starts</span></p>`;
  }

  drawWhy() {
    const { whole, rows, selected, regions, region, pairs, chosenPair: pair } = this;
    if (!region) return;
    const place = `${figure(selected + 1)} of ${figure(regions.length)}`;
    const choose = (one) => {
      this.choosePair(one);
      this.redraw();
    };
    render(reason({ whole, rows, region, place, pairs, pair, choose }), this.why);
  }
}

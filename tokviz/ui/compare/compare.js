// The Compare page above its tabs: a workbench, and between its field and its boxes the ruler of boundaries, with the
// reason why the tokenizers disagree in the place that the reader is at. All of them point at the same bytes together.

import { isPageFocused, make, mount, seriesMark } from "../kit/elements.js";
import { html, keyed, nothing, render } from "../kit/html.js";
import { figure, listed, quantity } from "../kit/words.js";
import { Column } from "../tokenview/column.js";
import { typedIn } from "../tokenview/encoding.js";
import { sumOf } from "../tokenview/patches.js";
import { HOVER } from "../tokenview/token_box.js";
import { ALL, Workbench } from "../tokenview/workbench.js";
import { cutsOf, regionAt, regionFrom, regionsOf } from "./boundaries.js";
import { pairFor, pairsOf, reason } from "./reason.js";
import { Ruler } from "./ruler.js";

const REST = 300; // ms after a key, before Python is asked for reasons
const KNOWN = 1000; // ms after which Python hears where the reader is, if the reasons are here already
const AHEAD = 12; // disagreements whose reasons are asked for at once
const FIGURES = 800; // ms without a change, before the figures in the tabs follow

class Compare extends Workbench {
  title = "Compare";

  constructor(parent) {
    super(parent);
    this.root.classList.add("compare");
    this.ruler = new Ruler(
      (at) => this.point(at),
      (i, lane) => this.choose(i, lane),
    );
    this.why = make("section", "why");
    this.why.setAttribute("aria-label", "Why they disagree");
    Object.assign(this, { rows: [], regions: [], selected: -1, answers: new Map(), side: null });
    this.pair = null; // the keys of the two tokenizers whose difference is explained
    this.root.addEventListener("keydown", (event) => this.press(event));
    const { signal } = this.ears;
    const press = (event) => isPageFocused() && /^n$/i.test(event.key) && this.press(event);
    document.addEventListener("keydown", press, { signal });
    const hear = ({ detail: { source, text, start, end } }) => {
      if (source !== this && text === this.data?.view) this.ruler.mark(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, hear, { signal });
  }

  close() {
    super.close(); // which draws what waits
    clearTimeout(this.wondering);
    clearTimeout(this.figuring);
    this.ruler.close();
  }

  update(data, tell) {
    const isFirst = !this.data;
    if (isFirst) this.pair = data.opened.pair;
    super.update(data, tell);
    if (isFirst && data.opened.region !== null) this.selected = regionFrom(this.regions, data.opened.region);
    this.compare(0);
  }

  // A box has its head above it, and no choice: the chips have it.
  column() {
    return new Column({ emptied: () => this.drawPage(), pointed: (token) => this.inside.peek(token), isHeaded: true });
  }

  headOf(head) {
    return { ...head, isSole: true, opener: (inside) => html`<p class="who">${inside}</p>` };
  }

  linked(isWhole) {
    const region = this.regions[this.selected];
    const tab = document.querySelector('[role="tab"][aria-selected="true"]')?.textContent;
    const keys = [...this.panels.keys()];
    const pair = this.pair?.map((key) => keys.indexOf(key));
    return {
      region: isWhole && region ? region[0] : null,
      pair: pair && !pair.includes(-1) ? pair.join() : null,
      tab: tab ? tab.toLowerCase().replaceAll(" ", "-") : null,
    };
  }

  // --- what differs ---

  changed() {
    super.changed();
    this.compare(REST);
  }

  wasTyped() {
    super.wasTyped();
    this.renewFigures();
  }

  // Special tokens may be read in another way now.
  heard(said) {
    super.heard(said);
    if (said.hello && !said.same) this.renewFigures();
  }

  renewFigures() {
    clearTimeout(this.figuring);
    this.figuring = setTimeout(() => this.act("renew"), FIGURES);
  }

  // wait: ms before Python is asked why.
  compare(wait) {
    const before = this.regions[this.selected];
    const whole = this.shown;
    const panels = [...this.panels.values()].filter(
      ({ error, encoding }) => !error && typedIn(encoding) === whole.text,
    );
    this.rows = panels.map(({ data: { key, glyph, series }, encoding, heads }) => ({
      ...{ key, glyph, series, encoding },
      name: listed(heads.map(({ title }) => title)),
      cuts: cutsOf(encoding, whole.n),
    }));
    this.regions = regionsOf(
      this.rows.map(({ cuts }) => cuts),
      whole.n,
    );
    this.answers.clear();
    const last = this.regions.length - 1;
    this.selected = Math.min(last, before ? regionFrom(this.regions, before[0]) : Math.max(0, this.selected));
    this.ruler.selected = this.selected;
    this.ruler.load(whole, this.rows, this.regions);
    this.drawPage();
    this.wonder(wait);
  }

  // lane: the number of the tokenizer whose ticks were clicked; null for none.
  choose(i, lane = null, shows = false) {
    this.selected = i;
    this.ruler.choose(i, shows);
    this.explain(lane);
    this.wonder(this.pairs ? KNOWN : 0);
    this.drawPage();
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

  point(at) {
    const { start = null, end = null } = at || {};
    window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.data.view, start, end } }));
  }

  // --- why ---

  get pairs() {
    return this.answers.get(this.regions[this.selected]?.[0]) ?? null;
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

  // Ask Python for the reasons here and in the next few places, when the text is the same there.
  wonder(wait) {
    clearTimeout(this.wondering);
    const { rows, regions, selected } = this;
    const [start] = regions[selected] ?? [];
    if (start === undefined) return;
    const [, stop] = regions[Math.min(regions.length, selected + AHEAD) - 1];
    this.wondering = setTimeout(() => {
      if (this.open && (this.busy || this.frame || this.sent !== this.value)) return this.wonder(REST);
      const fields = { keys: rows.map(({ key }) => key), sum: sumOf(this.shown.text), start, stop };
      this.asker
        .ask("compare.why", fields)
        .then((answer) => rows === this.rows && this.take(answer, start)) // else the text has changed since
        .catch(this.asker.tell);
    }, wait);
  }

  // differences: all of the place at `start`, and of those that end at `stop` or before.
  take({ differences, stop }, start) {
    const found = Map.groupBy(differences, (one) => regionAt(this.regions, one.start));
    const isNew = !this.pairs;
    for (const [i, some] of found) {
      const [from, to] = this.regions[i];
      if (from === start || to <= stop) this.answers.set(from, pairsOf(some));
    }
    if (!isNew) return;
    this.explain();
    this.drawPage();
  }

  // --- what is drawn ---

  between(columns) {
    const { regions, selected, rows } = this;
    const isPhone = this.narrow.matches;
    const region = regions[selected];
    this.drawWhy();
    this.markBoxes(columns, isPhone);
    return html`${isPhone ? this.chooser() : this.chips()}
      <div class="verdict"><h2>${this.verdict()}</h2>${region && this.walk(isPhone)}</div>
      ${
        this.shown.n > 0 &&
        rows.length > 0 &&
        html`<div class=${region ? "ground" : "ground alone"}>${this.ruler.box}${isPhone && this.unfolder()}${region ? this.why : nothing}</div>
          ${!isPhone && rows.length > 1 && this.legend()}
          <h2>The text under each</h2>${isPhone && columns.length > 1 && this.sides(columns)}`
      }`;
  }

  chips() {
    const chip = ({ name, title, series, glyph }) =>
      keyed(
        name,
        html`<li>${seriesMark({ glyph, series })} <b>${title}</b>${
          this.heads.length > 1 &&
          html`<button type="button" class="away" aria-label="Take ${title} away" @click=${() => this.leaveOut(name)}>×</button>`
        }</li>`,
      );
    return html`<div class="chips"><ul aria-label="Tokenizers">${this.heads.map(chip)}</ul>${this.adder()}</div>`;
  }

  focusBeside() {
    this.root.querySelector(".chips .choose")?.focus();
  }

  // On a phone: one button, whose sheet has a tick for each that is compared.
  chooser() {
    const names = this.heads.map(
      ({ title, series, glyph }) => html`<span class="of">${seriesMark({ glyph, series })} <b>${title}</b></span> `,
    );
    const label = `Tokenizers: ${listed(this.heads.map(({ title }) => title))}`;
    return html`<div class="adds chooses">${this.opener(ALL, label, names)}</div>`;
  }

  verdict() {
    if (!this.shown.n) return "Nothing to compare yet";
    if (this.rows.length < 2) return "Add a second tokenizer to compare.";
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
    return html`<div class="walk">${button("Previous", "‹", "⇧N", -1, selected === 0)}${button(
      "Next",
      "Next",
      "N",
      1,
      selected === regions.length - 1,
    )}</div>`;
  }

  unfolder() {
    if (this.ruler.isWhole) return nothing;
    const press = () => {
      this.ruler.box.classList.add("unfolded");
      this.ruler.unfold();
      this.drawPage();
    };
    return html`<button type="button" class="unfold" @click=${press}>Show the whole text</button>`;
  }

  legend() {
    const all = this.rows.length === 2 ? "both" : "all";
    return html`<p class="legend quiet"><span><i class="agreed"></i>grey: ${all} agree</span><span><i class="differ"></i>a
      disagreement</span><span><i class="starts"></i>a token starts</span></p>`;
  }

  sides(columns) {
    const now = columns.find(({ data }) => data.key === this.side) ?? columns[0];
    const show = (key) => {
      this.side = key;
      this.drawPage();
    };
    return html`<div class="choice sides"><span role="group" aria-label="The text under">${columns.map(
      ({ data: { key, glyph, series }, heads }) => html`<button type="button" aria-pressed=${key === now.data.key}
        @click=${() => show(key)}>${seriesMark({ glyph, series })} ${listed(heads.map(({ title }) => title))}</button>`,
    )}</span></div>`;
  }

  // Waves under what differs; on a phone, one box at a time.
  markBoxes(columns, isPhone) {
    const now = columns.find(({ data }) => data.key === this.side) ?? columns[0];
    const [from, to] = this.regions[this.selected] ?? [];
    for (const column of columns) {
      column.root.classList.toggle("put-by", isPhone && column !== now);
      const { typed } = column.encoding;
      column.view.differ((start) => {
        const byte = typed ? typed[start] : start;
        return regionAt(this.regions, byte) < 0 ? "" : from <= byte && byte < to ? "differs here" : "differs";
      });
    }
  }

  drawWhy() {
    const { rows, selected, regions, pairs, chosenPair: pair } = this;
    const region = regions[selected];
    if (!region) return;
    const place = `${figure(selected + 1)} of ${figure(regions.length)}`;
    const choose = (one) => {
      this.choosePair(one);
      this.drawPage();
    };
    render(reason({ whole: this.shown, rows, region, place, pairs, pair, choose }), this.why);
  }
}

export default function (page) {
  return mount(Compare, page, (bench) => bench.update(page.data, page.setTriggerValue));
}

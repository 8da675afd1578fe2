// The Compare page above its tabs: a workbench, and between its field and its boxes the ruler of boundaries, with the
// reason why the tokenizers disagree in the place that the reader is at. All of them point at the same bytes together.

import { isPageFocused, mount, seriesMark } from "../kit/elements.js";
import { html, keyed } from "../kit/html.js";
import { listed } from "../kit/words.js";
import { Column } from "../tokenview/column.js";
import { typedIn } from "../tokenview/encoding.js";
import { sumOf } from "../tokenview/patches.js";
import { HOVER } from "../tokenview/token_box.js";
import { ALL, Workbench } from "../tokenview/workbench.js";
import { cutsOf, regionAt, regionFrom } from "./boundaries.js";
import { Places } from "./places.js";

const REST = 300; // ms after a key, before Python is asked for reasons
const KNOWN = 1000; // ms after which Python hears where the reader is, if the reasons are here already
const AHEAD = 12; // disagreements whose reasons are asked for at once
const FIGURES = 800; // ms without a change, before the figures in the tabs follow

class Compare extends Workbench {
  title = "Compare";

  constructor(parent) {
    super(parent);
    this.root.classList.add("compare");
    this.places = new Places({
      pointed: (at) => this.point(at),
      moved: () => {
        this.wonder(this.places.pairs ? KNOWN : 0);
        this.drawPage();
      },
      redraw: () => this.drawPage(),
    });
    this.side = null;
    this.root.addEventListener("keydown", (event) => this.places.press(event));
    const { signal } = this.ears;
    const press = (event) => isPageFocused() && /^n$/i.test(event.key) && this.places.press(event);
    document.addEventListener("keydown", press, { signal });
    const hear = ({ detail: { source, text, start, end } }) => {
      if (source !== this && text === this.data?.view) this.places.ruler.mark(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, hear, { signal });
  }

  close() {
    super.close(); // which draws what waits
    clearTimeout(this.wondering);
    clearTimeout(this.figuring);
    this.places.close();
  }

  update(data, tell) {
    const isFirst = !this.data;
    if (isFirst) this.places.pair = data.opened.pair;
    super.update(data, tell);
    const { places } = this;
    if (isFirst && data.opened.region !== null) places.selected = regionFrom(places.regions, data.opened.region);
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
    const { region, pair: explained } = this.places;
    const tab = document.querySelector('[role="tab"][aria-selected="true"]')?.textContent;
    const keys = [...this.panels.keys()];
    const pair = explained?.map((key) => keys.indexOf(key));
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
    const whole = this.shown;
    const panels = [...this.panels.values()].filter(
      ({ error, encoding }) => !error && typedIn(encoding) === whole.text,
    );
    const rows = panels.map(({ data: { key, glyph, series }, encoding, heads }) => ({
      ...{ key, glyph, series, encoding },
      name: listed(heads.map(({ title }) => title)),
      cuts: cutsOf(encoding, whole.n),
    }));
    this.places.load(whole, rows);
    this.drawPage();
    this.wonder(wait);
  }

  point(at) {
    const { start = null, end = null } = at || {};
    window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.data.view, start, end } }));
  }

  // --- why ---

  // Ask Python for the reasons here and in the next few places, when the text is the same there.
  wonder(wait) {
    clearTimeout(this.wondering);
    const { rows, regions, selected, region } = this.places;
    if (!region) return;
    const [start] = region;
    const [, stop] = regions[Math.min(regions.length, selected + AHEAD) - 1];
    this.wondering = setTimeout(() => {
      if (this.open && (this.busy || this.frame || this.sent !== this.value)) return this.wonder(REST);
      const fields = { keys: rows.map(({ key }) => key), sum: sumOf(this.shown.text), start, stop };
      this.asker
        .ask("compare.why", fields)
        .then((answer) => {
          if (rows !== this.places.rows) return; // the text has changed since
          if (this.places.take(answer.differences, start, answer.stop)) this.drawPage();
        })
        .catch(this.asker.tell);
    }, wait);
  }

  // --- what is drawn ---

  between(columns) {
    const { places } = this;
    const isPhone = this.narrow.matches;
    const ground = places.template(isPhone);
    this.markBoxes(columns, isPhone);
    return html`${isPhone ? this.chooser() : this.chips()}${places.head(isPhone)}
      ${
        ground &&
        html`${ground}${!isPhone && places.legend()}
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
    return html`<div class="chips flow"><ul class="flow" aria-label="Tokenizers">${this.heads.map(chip)}</ul>${this.adder()}</div>`;
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
    const { regions, region } = this.places;
    const [from, to] = region ?? [];
    for (const column of columns) {
      column.root.classList.toggle("put-by", isPhone && column !== now);
      const { typed } = column.encoding;
      column.view.differ((start) => {
        const byte = typed ? typed[start] : start;
        return regionAt(regions, byte) < 0 ? "" : from <= byte && byte < to ? "differs here" : "differs";
      });
    }
  }
}

export default function (page) {
  return mount(Compare, page, (bench) => bench.update(page.data, page.setTriggerValue));
}

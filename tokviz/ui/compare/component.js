// The ruler's component: ruler and switches, the reasons, and a panel of tokens for each tokenizer. All of them point
// at the same bytes together. Python hears where the reader came to rest, and what the reader asks for: another part of
// the text, special tokens read differently.

import { addressOf, copyText, SAID } from "../kit/copy_and_save.js";
import { asStatus, isPageFocused, make, makeButton, mount, themeOf } from "../kit/elements.js";
import { an, quantity } from "../kit/words.js";
import { cutAs, END, endOf, int32, read, textOf } from "../tokenview/encoding.js";
import { TokenPanel } from "../tokenview/panel.js";
import { fingerprint, HOVER } from "../tokenview/token_box.js";
import { BoundaryReasons } from "./boundary_reasons.js";
import { Choices } from "./choices.js";
import { Overview } from "./overview.js";
import { Ruler, specialsIn } from "./ruler.js";

const ASK_AGAIN = 4000; // ms without an answer, after which the next question is asked
const SETTLED = 250; // ms after the last move from one disagreement to the next
const COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight"];

class Boundaries {
  constructor(parent) {
    this.root = parent.appendChild(make("section", "tokviz boundaries"));
    this.root.setAttribute("aria-label", "Boundaries");
    this.choices = new Choices((question) => this.ask(question));
    this.root.append(this.choices.examples);
    const head = this.root.appendChild(make("div", "flow ends top"));
    this.title = head.appendChild(make("h2"));
    this.told = head.appendChild(asStatus(make("p", "told quiet")));
    const keys = head.appendChild(make("div", "walk"));
    this.back = this.button(keys, "Previous", "⇧N", () => this.step(-1));
    this.on = this.button(keys, "Next disagreement", "N", () => this.step(1));
    this.button(keys, "Copy link", "", () => this.copyLink());
    this.overview = new Overview(this.root, (at) => this.ask({ what: "place", at }));
    this.ruler = new Ruler(
      this.root,
      (at) => this.point(at),
      (i, row) => {
        this.select(i, row, false);
        this.rested();
      },
    );
    const below = this.root.appendChild(make("div", "flow ends below"));
    this.legend = below.appendChild(make("div", "flow legend"));
    below.append(this.choices.specials);
    this.reasons = new BoundaryReasons(this.root, (a, b) => this.explain(a, b));
    this.live = this.root.appendChild(asStatus(make("p", "unseen")));
    this.panelsBox = this.root.appendChild(make("div", "panels"));
    this.panels = new Map();
    this.selected = -1;
    this.root.addEventListener("keydown", (event) => this.key(event));
    // N works without a click on the ruler, while nothing but the page or a link has the focus.
    this.unheard = (event) => {
      if (isPageFocused() && /^n$/i.test(event.key)) this.key(event);
    };
    document.addEventListener("keydown", this.unheard);
    this.hear = ({ detail: { source, text, start, end } }) => {
      if (source !== this && this.id && text === this.id) this.ruler.mark(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, this.hear);
  }

  close() {
    window.removeEventListener(HOVER, this.hear);
    document.removeEventListener("keydown", this.unheard);
    for (const timer of [this.resting, this.silence, this.asking]) clearTimeout(timer);
    this.overview.close();
    this.ruler.close();
    for (const panel of this.panels.values()) panel.close();
    this.root.remove();
  }

  button(parent, label, key, press) {
    const button = parent.appendChild(makeButton("plain", "", press));
    button.append(make("span", "", label));
    if (key) {
      button.append(" ", make("kbd", "", key));
      button.lastChild.setAttribute("aria-hidden", "true");
      button.setAttribute("aria-keyshortcuts", key === "N" ? "N" : "Shift+N");
    }
    return button;
  }

  // --- what Python says ---

  update({ link, texts, ...data }, tell, settle) {
    Object.assign(this, { link, tell, settle });
    this.choices.drawExamples(texts);
    const theme = themeOf(this.root);
    this.root.dataset.theme = theme;
    for (const panel of this.panels.values()) panel.root.dataset.theme = theme;
    const sent = JSON.stringify(data);
    if (sent === this.sent) return;
    this.sent = sent;
    const before = this.data;
    const pair = before ? this.keysOf(this.pair) : data.pair;
    this.data = data;
    const text = textOf(data.text);
    const numbers = int32(data.regions);
    this.regions = Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
    this.rows = data.rows.map((row) => ({ ...row, encoding: read({ ...row, text: data.text }, text) }));
    this.pair = pair ? pair.map((key) => data.rows.findIndex((row) => row.key === key)).join(" ") : "";
    this.differences = data.why.map(([a, b, start, end, reasons]) => ({ a, b, start, end, reasons }));
    this.id = `compare:${data.start}:${text.n}:${fingerprint(text.bytes)}`;
    this.reasons.bytes = text.bytes;
    this.reasons.start = data.start;

    this.drawHead();
    this.choices.drawReading(data);
    this.drawPanels(theme, before); // before the ruler measures, so that the page is laid out only once
    this.ruler.box.hidden = this.ruler.part.hidden = !text.n;
    if (text.n) this.ruler.load(this.rows, this.regions, data.first, data.start);
    let selected = 0;
    if (data.select !== null) {
      const at = data.select - data.start;
      const found = this.regions.findIndex(([, end]) => end > at);
      selected = found < 0 ? this.regions.length - 1 : found;
    }
    this.select(Math.min(selected, this.regions.length - 1), null, Boolean(before) || data.select !== null);
    this.askNext();
  }

  drawHead() {
    const { rows, total, size } = this.data;
    const all = rows.length === 2 ? "both" : `all ${COUNTS[rows.length] || rows.length}`;
    this.title.textContent = !size
      ? "Nothing to compare yet"
      : rows.length < 2
        ? "Only one tokenizer: choose another to compare them"
        : total
          ? `Boundaries: they disagree in ${quantity(total, "place")}`
          : `No disagreement: ${all} have the same boundaries`;
    this.back.hidden = this.on.hidden = !total;
    this.overview.show(this.data, this.rows[0].encoding.n, this.regions.length);
    this.drawLegend(all);
  }

  drawLegend(all) {
    this.legend.replaceChildren();
    this.legend.hidden = this.rows.length < 2 || !this.data.size;
    const sign = (className, words) => {
      const item = this.legend.appendChild(make("span"));
      item.append(make("i", className), words);
    };
    sign("agreed", `${all} agree`);
    sign("differ", "they disagree");
    sign("tick", "a token starts");
    const kinds = this.rows.flatMap((row) => specialsIn(row).map((at) => cutAs(row.encoding, at)));
    if (kinds.length) sign("special", [...new Set(kinds)].map(an).join(" or "));
  }

  drawPanels(theme, before) {
    const { start } = this.data;
    for (const [key, panel] of this.panels) {
      if (this.rows.some((row) => row.key === key)) continue;
      panel.close();
      this.panels.delete(key);
    }
    const panels = new Map();
    this.rows.forEach((row, i) => {
      const there = this.panels.get(row.key);
      const panel = there || new TokenPanel(this.panelsBox, true);
      panel.root.dataset.theme = theme;
      const was = before?.rows.find(({ key }) => key === row.key);
      const now = this.data.rows[i];
      const settings = { ...row, start, header: true, compact: true, line_numbers: false };
      const same = (name) => JSON.stringify(was[name]) === JSON.stringify(now[name]);
      const sameText =
        was && before.text === this.data.text && before.start === start && same("seams") && same("whole");
      if (!there || !sameText) panel.show(settings, row.encoding, this.id);
      else if (!same("name") || !same("badge")) {
        panel.data = settings;
        panel.drawHead();
      }
      panels.set(row.key, panel);
      if (panel.root.parentNode.children[i] !== panel.root)
        this.panelsBox.insertBefore(panel.root, this.panelsBox.children[i] || null);
    });
    this.panels = panels;
    this.panelsBox.style.setProperty("--in-a-row", Math.min(4, this.rows.length));
  }

  // --- from one to the next ---

  step(way) {
    const { total, first, start } = this.data;
    const next = this.selected + way;
    if (next >= 0 && next < this.regions.length) {
      this.select(next, null, true);
      return this.rested();
    }
    const number = first + next;
    if (!total || number < 0 || number >= total) return null;
    const edge = way > 0 ? (this.regions.at(-1)?.[1] ?? this.rows[0].encoding.n) : (this.regions[0]?.[0] ?? 0);
    return this.ask({ what: way > 0 ? "next" : "previous", at: start + edge });
  }

  // Select a region. A row whose ticks were clicked is explained against the visitor's own tokenizer.
  select(i, row = null, show = true) {
    this.selected = i;
    const region = this.regions[i];
    this.ruler.choose(i, show);
    const { first, total } = this.data;
    const number = first + i + 1;
    const off = (button, end) => button.setAttribute("aria-disabled", String(!region || number === end));
    off(this.back, 1);
    off(this.on, total);
    this.pairs = new Map();
    for (const difference of region ? this.differences : []) {
      if (difference.start < region[0] || difference.start >= region[1]) continue;
      const key = `${difference.a} ${difference.b}`;
      this.pairs.set(key, [...(this.pairs.get(key) || []), difference]);
    }
    this.pair = this.pairFor(row);
    this.tellWhy();
    this.showInPanels(region, show);
  }

  // Outline the region's tokens in each panel, and scroll to them. All writing comes before all measuring, so that the
  // page is laid out only once.
  showInPanels(region, show) {
    const views = [...this.panels.values()].map((panel) => panel.view);
    for (const view of views) {
      const starts = [];
      for (let at = region?.[0]; at < region?.[1]; at = endOf(view.encoding, at, END)) starts.push(at);
      if (region && !view.spans.get(region[0])) view.dress(view.blockAt(region[0]));
      view.found(starts);
    }
    if (!region || !show) return;
    const moves = views.map(({ box, spans }) => {
      const here = spans.get(region[0]).getBoundingClientRect();
      const view = box.getBoundingClientRect();
      return here.top >= view.top && here.bottom <= view.bottom ? 0 : here.top - view.top - view.height / 3;
    });
    moves.forEach((move, i) => {
      if (move) views[i].box.scrollTop += move;
    });
  }

  // The pair to explain: the visitor's own tokenizer against the row that was clicked; else the pair explained before,
  // if it differs here; else the own one, or the first, against the next that differs from it.
  pairFor(row) {
    const there = (a, b) => (this.pairs.has(`${a} ${b}`) ? `${a} ${b}` : null);
    const own = Math.max(
      this.rows.findIndex(({ series }) => /^(yours|other)/.test(series)),
      0,
    );
    const either = (a, b) => there(a, b) || there(b, a);
    if (row !== null) {
      for (const other of [own, ...this.rows.keys()]) if (either(other, row)) return either(other, row);
    }
    if (this.pair && this.pairs.has(this.pair)) return this.pair;
    for (const other of this.rows.keys()) if (either(own, other)) return either(own, other);
    return this.pairs.keys().next().value ?? "";
  }

  explain(a, b) {
    this.pair = `${a} ${b}`;
    this.tellWhy();
    this.rested();
  }

  tellWhy() {
    const told = {
      rows: this.rows,
      region: this.regions[this.selected],
      number: this.data.first + this.selected + 1,
      total: this.data.total,
      pairs: this.pairs,
      pair: this.pair,
    };
    this.reasons.show(told);
    const said = this.reasons.said(told);
    if (this.live.textContent !== said) this.live.textContent = said;
  }

  point(at) {
    const { start = null, end = null } = at || {};
    window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.id, start, end } }));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.composedPath()[0];
    if (target.matches("input, select")) return;
    const inRuler = target === this.ruler.box;
    const way =
      event.key === "n" || (inRuler && event.key === "ArrowRight")
        ? 1
        : event.key === "N" || (inRuler && event.key === "ArrowLeft")
          ? -1
          : 0;
    if (!way) return;
    event.preventDefault();
    this.step(way);
  }

  // --- what Python is asked ---

  // One question at a time: of those that come meanwhile, the last is asked after the answer.
  ask(question) {
    if (this.asking && JSON.stringify(question) === this.asked) return;
    this.next = question;
    if (!this.asking) this.askNext();
  }

  askNext() {
    clearTimeout(this.asking);
    this.asking = null;
    if (!this.next) return;
    clearTimeout(this.resting);
    this.asked = JSON.stringify(this.next);
    this.tell(this.next);
    this.next = null;
    this.asking = setTimeout(() => this.askNext(), ASK_AGAIN);
  }

  // --- where the reader is, for the next visit and for a link ---

  // The first byte of the disagreement looked at; null if there is none.
  get lookedAt() {
    const region = this.regions[this.selected];
    return region ? this.data.start + region[0] : null;
  }

  // A pair by the keys of its tokenizers; null for none.
  keysOf(pair) {
    return pair ? pair.split(" ").map((i) => this.data.rows[i].key) : null;
  }

  rested() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.settle({ turn: this.data.turn, region: this.lookedAt, pair: this.keysOf(this.pair) });
    }, SETTLED);
  }

  // Python makes the link (tokviz/ui/frame/address.py), except for region and pair, which only the browser knows.
  async copyLink() {
    const { query, places, left_out: leftOut } = this.link;
    const said = [query];
    if (places && this.lookedAt !== null) said.push(`region=${this.lookedAt}`);
    if (this.pair) said.push(`pair=${this.pair.replace(" ", ",")}`);
    clearTimeout(this.silence);
    await copyText(addressOf(said.join("&")), this.told, `Link copied. ${leftOut}`);
    this.silence = setTimeout(() => {
      this.told.textContent = "";
    }, SAID);
  }
}

export default function ({ setStateValue, setTriggerValue, ...page }) {
  return mount(Boundaries, page, (here) =>
    here.update(
      page.data,
      (asked) => setTriggerValue("asked", asked),
      (place) => setStateValue("place", place),
    ),
  );
}

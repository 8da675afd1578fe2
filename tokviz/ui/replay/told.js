// Replay: what is said about the step in view: the merge that was just done, the one that comes next, the token that is
// pointed at.

import { byTouch, sign } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure, quantity, times } from "../kit/words.js";
import { chip } from "../tokenview/marks.js";
import { linkedChip, tokenLink } from "../tokenview/page_link.js";

const LETTERS = 10; // of a token in a heading, of the token made twice as many

export class Told {
  constructor(root, stage) {
    const find = (selector) => root.querySelector(selector);
    this.stage = stage;
    this.box = find(".moment");
    this.line = find(".happened");
    this.heading = find(".next h2");
    this.note = find(".next p");
    this.pointed = find(".pointed");
  }

  // "t + h → th". Each token leads to its card in Vocabulary.
  merge(k) {
    const { merges, vocabulary } = this.stage;
    const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => ids[k]);
    const [first, plus, second] = vocabulary.sum(left, right, LETTERS);
    const made = vocabulary.chip(id, undefined, 2 * LETTERS);
    return [this.linked(first, left), plus, this.linked(second, right), sign("→", "make"), this.linked(made, id)];
  }

  linked(drawn, id) {
    const { data, vocabulary } = this.stage;
    return linkedChip(drawn, data.called, id, vocabulary.spoken(id));
  }

  // "Merge 1: t + h → th, 23 places, 191 → 168 tokens". m: the merge, -1 if none was done.
  happened(m) {
    const { merges, k } = this.stage;
    const { replaced, tokens } = merges;
    const none = () => `No merge ${k ? "has fired here" : "is done"} yet: ${quantity(tokens[k], "token")}`;
    const done = () =>
      html`<b>Merge ${figure(merges.number(m))}:</b><span class="made">${this.merge(m)}</span><span>${quantity(
        replaced[m],
        "place",
      )}, ${figure(tokens[m])} → ${quantity(tokens[m + 1], "token")}</span>`;
    render(m < 0 ? none() : done(), this.line);
  }

  next() {
    const { k, last, merges, veiled } = this.stage;
    this.note.textContent = "";
    if (k === last)
      return render(last === 1 ? "The merge is done" : `All ${figure(last)} merges are done`, this.heading);
    const which = `Next, merge ${figure(merges.number(k))}:`;
    if (veiled) return render(`${which} which pair?`, this.heading);
    render([which, ...this.merge(k)], this.heading);
    this.note.textContent = `id ${figure(merges.id[k])}, ${this.firing(k)}${this.skipped(k)}`;
  }

  // The next merge in words, for a picture; "" if it is not to be seen.
  coming() {
    const { k, last, merges, vocabulary, veiled } = this.stage;
    if (k === last || veiled) return "";
    const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => vocabulary.spoken(ids[k]));
    return `Next, merge ${figure(merges.number(k))}: ${left} + ${right} → ${id}`;
  }

  // "in 9 places": in the corpus, and how many of them are in the window if it shows this merge.
  firing(k) {
    const { merges, view, encoding, data } = this.stage;
    const { count, replaced } = merges;
    const places = (number) => quantity(number, "place");
    const here = view.places(k).length;
    const corpus =
      count[k] === replaced[k]
        ? `in ${places(count[k])}`
        : `pair count ${figure(count[k])}, replaced in ${places(replaced[k])}`;
    if (!encoding.n || k >= encoding.drawnTo || (here === replaced[k] && data.corpus_here)) return corpus;
    return `${corpus}, ${here ? figure(here) : "none"} of them here`;
  }

  // How many merges were passed over on the way to this step.
  skipped(k) {
    const { stage } = this;
    const between = k - 1 - stage.made(k);
    if (stage.every || !between || k > stage.encoding.drawnTo) return "";
    return `; ${quantity(between, "merge")} before it ${between === 1 ? "fires" : "fire"} elsewhere`;
  }

  // Keep the token that starts at this byte (null: none) in the line below the text. entering: go to the link in it.
  hold(start, entering = false) {
    this.stage.view.pin(start);
    render(null, this.pointed);
    this.point(null);
    if (entering) this.pointed.querySelector("a")?.focus();
  }

  point(pointed) {
    const { view, encoding, data } = this.stage;
    const held = view.pinned === null ? null : view.token(view.pinned);
    if (!pointed && held && this.pointed.querySelector("a")) return; // it is shown already, with its link
    const token = pointed || held;
    const how = byTouch() ? "Tap a token to see its id" : "Point at a token, or press Enter and use the arrows";
    if (!token) return render(how, this.pointed);
    const { start, end, id } = token;
    render(
      html`${chip(encoding.bytes.subarray(start, end), view.hueOf(start, end))}<b>${id === null ? "no id" : `id ${figure(id)}`}</b>${times(
        view.counted().often.get(id),
      )} in this window${start === held?.start && data.called && id !== null && tokenLink("to-vocabulary", data.called, id)}`,
      this.pointed,
    );
  }

  // The last merge, for screen readers.
  sentence() {
    const { k, merges, vocabulary } = this.stage;
    const left = `${figure(merges.tokens[k])} tokens`;
    if (!k) return `No merge done, ${left}`;
    return (
      `Merge ${figure(merges.number(k - 1))} done: ${vocabulary.spoken(merges.left[k - 1])} and ` +
      `${vocabulary.spoken(merges.right[k - 1])} make ${vocabulary.spoken(merges.id[k - 1])}, ${left}`
    );
  }
}

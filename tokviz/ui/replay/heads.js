// Replay: what is said about the step in view: the merge that was just done, the one that comes next, the token that is
// pointed at.

import { byTouch, sign } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { figure, quantity, times } from "../kit/words.js";
import { chip } from "../tokenview/marks.js";
import { linkedChip, tokenLink } from "../tokenview/page_link.js";

const LETTERS = 10; // of a token, of the token made twice as many

export const heads = (stage) => html`<div class="heads">${done(stage)}${next(stage)}</div>`;

// said: words or a merge. more: what a phone has no room for.
const head = (className, lead, said, note = "", more = "") =>
  html`<h2 class=${className}><b>${lead}</b><span class="said">${said}</span><span class="quiet">${note}<span class="aside">${more}</span></span></h2>`;

// "Done, merge 2: th + e → the, 16 places, 152 tokens left".
function done(stage) {
  const { merges, k } = stage;
  const m = stage.made(k);
  const left = quantity(merges.tokens[m + 1], "token");
  if (m < 0)
    return head("done-head", "Done:", k ? "nothing here yet" : "nothing yet", quantity(merges.tokens[k], "token"));
  const places = quantity(merges.replaced[m], "place");
  return head("done-head", `Done, merge ${figure(merges.number(m))}:`, mergeOf(stage, m), places, `, ${left} left`);
}

// "Next, merge 3: e + a → ea, 11 times".
function next(stage) {
  const { k, last, merges, veiled } = stage;
  const all = last === 1 ? "the only merge is done" : `all ${figure(last)} merges are done`;
  if (k === last) return head("next-head", "Next:", `none, ${all}`);
  const which = `Next, merge ${figure(merges.number(k))}:`;
  if (veiled) return head("next-head", which, "choose it below");
  return head("next-head", which, mergeOf(stage, k), times(merges.count[k]), firing(stage));
}

// "t + h → th". Each token leads to its card in Vocabulary.
function mergeOf({ merges, vocabulary, data }, k) {
  const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => ids[k]);
  const linked = (drawn, id) => linkedChip(drawn, data.called, id, vocabulary.spoken(id));
  const [first, plus, second] = vocabulary.sum(left, right, LETTERS);
  const made = vocabulary.chip(id, undefined, 2 * LETTERS);
  return [linked(first, left), plus, linked(second, right), sign("→", "make"), linked(made, id)];
}

// How often the next merge fires: in the corpus, if it overlaps with itself, and in the window, if that shows a part.
function firing({ k, merges: { count, replaced }, view, encoding, data }) {
  const here = view.places(k).length;
  const isAll = !encoding.n || k >= encoding.drawnTo || (here === replaced[k] && data.corpus_here);
  const places = count[k] === replaced[k] ? "" : `, replaced in ${quantity(replaced[k], "place")}`;
  return isAll ? places : `${places}, ${here ? figure(here) : "none"} of them here`;
}

// token: the one that is pointed at, if any; else it is the one that is kept, with its link.
export function pointedAt({ view, encoding, data }, pointed) {
  const token = pointed ?? (view.pinned === null ? null : view.token(view.pinned));
  if (!token) return byTouch() ? "Tap a token to see its id" : "Point at a token, or press Enter and use the arrows";
  const { start, end, id } = token;
  const link = start === view.pinned && data.called && id !== null && tokenLink(data.called, id);
  return html`${chip(encoding.bytes.subarray(start, end), view.hueOf(start, end))}<b>${id === null ? "no id" : `id ${figure(id)}`}</b>
    <span>${times(view.counted().often.get(id))} in this window</span>${link}`;
}

// "merge 2: th and e make the"
export function inWords({ merges, vocabulary }, k) {
  const [left, right, id] = [merges.left, merges.right, merges.id].map((ids) => vocabulary.spoken(ids[k]));
  return `merge ${figure(merges.number(k))}: ${left} and ${right} make ${id}`;
}

// The step in view, for screen readers.
export function spoken(stage) {
  const { k, merges } = stage;
  return `${k ? `Done, ${inWords(stage, k - 1)}` : "No merge done"}, ${quantity(merges.tokens[k], "token")} left`;
}

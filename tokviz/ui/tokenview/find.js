// Find: the places of a text in the text, or of the tokens with an id, and the walk from one place to the next.
//
// A place may begin and end anywhere, also inside a character's token, and span several tokens. It runs on what the
// views hold: one pass over the text, and no call to Python. Capitals count only if there is one in what is looked for.
// A newline, a tab and a space are also found by the marks that the page shows for them, and as \n and \t.

import { make } from "../kit/elements.js";
import { keepSought, sought } from "../kit/field.js";
import { html, live, render } from "../kit/html.js";
import { keys } from "../kit/keys.js";
import { figure } from "../kit/words.js";

const AS_SHOWN = { "·": "(?:·| )", "↵": "(?:↵|\\n)", "→": "(?:→|\\t)", "\\n": "(?:\\\\n|\\n)", "\\t": "(?:\\\\t|\\t)" };

// What is looked for as a regular expression, which finds whole characters only.
function patternOf(query) {
  const parts = query.match(/\\[nt]|./gsu) || [];
  const source = parts.map((part) => AS_SHOWN[part] || part.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")).join("");
  return new RegExp(source, /\p{Lu}/u.test(query) ? "gu" : "giu");
}

// The places of this text, and of the tokens with this id, in their order: { from, to, starts }, the last of its tokens.
function placesOf({ view, encoding }, query) {
  const { text, units, n } = encoding;
  const { starts, ids } = view.counted();
  let byte = 0;
  const byteAt = (unit) => {
    while (byte < n && units[byte] < unit) byte++;
    return byte;
  };
  let token = 0;
  const placeOf = (from, to) => {
    while (starts[token + 1] <= from) token++;
    let last = token;
    while (starts[last + 1] < to) last++;
    return { from, to, starts: [...starts.slice(token, last + 1)] };
  };
  const found = [...text.matchAll(patternOf(query))].map((match) =>
    placeOf(byteAt(match.index), byteAt(match.index + match[0].length)),
  );
  if (/^\d+$/.test(query)) {
    const known = new Set(found.map((place) => place.starts[0]));
    ids.forEach((id, i) => {
      const to = starts[i + 1] ?? n;
      if (id === Number(query) && !known.has(starts[i])) found.push({ from: starts[i], to, starts: [starts[i]] });
    });
    found.sort((a, b) => a.from - b.from);
  }
  return found;
}

export class Find {
  // `panels()` are the panels of the same text to look in, `drawn()` draws what waits to be drawn in them, and `close()`
  // takes the row away.
  constructor(panels, drawn, close) {
    Object.assign(this, { panels, drawn, close });
    this.query = sought("text");
    this.found = null; // the places in each panel, while there is something to look for
    this.hit = null; // the number of the current place
    this.root = make("div", "find");
    this.root.setAttribute("role", "search");
    this.draw();
  }

  draw(said = "", places = []) {
    const press = keys({ Enter: ({ shiftKey }) => this.look(shiftKey ? -1 : 1), Escape: () => this.close() });
    const type = ({ target }) => this.seek(target.value);
    const step = (sign, words, by) => html`<button type="button" class="square" aria-label=${words} title=${words}
      ?disabled=${!places.length} @click=${() => this.look(by)}>${sign}</button>`;
    render(
      html`<input id="find" type="search" aria-label="Find a token" placeholder="Find text or id" maxlength="1000"
          title="A capital letter finds capitals only. ↵ finds a newline, → a tab." spellcheck="false"
          autocapitalize="off" autocorrect="off" autocomplete="off" .value=${live(this.query)} @keydown=${press}
          @input=${type}>
        <p class="quiet" role="status">${said}</p>
        ${step("‹", "Previous place", -1)}${step("›", "Next place", 1)}
        <button type="button" class="away" aria-label="Close Find" @click=${this.close}>×</button>`,
      this.root,
    );
  }

  focus() {
    const field = this.root.querySelector("input");
    field.focus();
    field.select();
    if (this.query && !this.found) this.look();
  }

  seek(query) {
    this.query = query;
    keepSought("text", query);
    this.look();
  }

  clear() {
    this.seek("");
  }

  // The text or the tokens have changed.
  again() {
    if (this.found || this.query) this.mark();
  }

  look(step = 0) {
    this.drawn();
    this.mark(step);
  }

  // Mark all places, and go to the next (1) or the previous one (-1).
  mark(step = 0) {
    const { query } = this;
    const panels = this.panels();
    const found = panels.map((panel) => (query ? placesOf(panel, query) : []));
    this.found = query ? found : null;
    const first = found.findIndex((places) => places.length);
    const places = found[first] || [];
    if (step) this.hit = ((this.hit ?? (step > 0 ? -1 : 0)) + step + places.length) % (places.length || 1);
    else this.hit = null;
    const here = places[this.hit];
    panels.forEach(({ view }, i) => {
      const there = here && found[i].find(({ from, to }) => from === here.from && to === here.to);
      const starts = found[i].flatMap((place) => place.starts);
      view.found(starts, there?.starts);
    });
    this.draw(query ? said(places, this.hit) : "", places);
  }
}

// "5 found", "2 of 5, in 2 tokens together"
function said(places, hit) {
  if (!places.length) return "not found";
  const count = hit === null ? `${figure(places.length)} found` : `${figure(hit + 1)} of ${figure(places.length)}`;
  const { starts } = places[hit ?? 0];
  const isOne = hit !== null || places.length === 1;
  return isOne && starts.length > 1 ? `${count}, in ${figure(starts.length)} tokens together` : count;
}

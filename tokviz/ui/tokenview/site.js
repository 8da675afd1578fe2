// The first page of a site that needs no server: a text in tokens, how to run the app, and the ways to all other pages.
//
// data = {text, pinned, run, replays, lessons}: as tokviz/offline/site.py makes them. pinned: the byte of a token. A way is {file, title, about}; that of a replay
// has tokens too, whose bytes are in hexadecimal.

import { html } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { fromHex } from "./encoding.js";
import { chip } from "./marks.js";
import { TokenPanel } from "./token_panel.js";

const way = ({ file, title, about, tokens = [] }) =>
  html`<li><a href=${file}>${title}</a><p class="small quiet">${about}</p>${
    tokens.length > 0 && html`<p class="made" aria-hidden="true">${tokens.map((token) => chip(fromHex(token)))}</p>`
  }</li>`;

export default component(
  "site",
  ({ text, pinned, run, replays, lessons }, { state }) => {
    queueMicrotask(() => {
      const { panel } = state; // it is on the page now, and knows the theme
      panel.update(text);
      if (!state.isPinned) panel.inside.pin(text.name, pinned);
      state.isPinned = true;
    });
    return html`${state.box}
      <h2>Try it on your own text</h2>
      <p>This line starts the app on your machine. Nothing that you type leaves it.</p>
      <pre tabindex="0">${run}</pre>
      <h2>Watch how tokens are made</h2>
      <ul class="ways">${replays.map(way)}</ul>
      <h2>Learn it, from letters to prices</h2>
      <ol class="ways lessons">${lessons.map(way)}</ol>`;
  },
  ({ state }) => {
    state.box = document.createElement("div");
    state.panel = new TokenPanel(state.box);
    return () => state.panel.close();
  },
);

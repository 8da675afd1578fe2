// The first page of a site that needs no server: a text in tokens, how to run the app, and the ways to all other pages.
//
// data = {text, pinned, run, blocks}: as tokviz/offline/site.py makes them. pinned: the byte of a token.

import { drawer } from "../kit/blocks.js";
import { html } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { TOKEN_KINDS } from "./token_kinds.js";
import { TokenPanel } from "./token_panel.js";

const draw = drawer(...TOKEN_KINDS);

export default component(
  "site",
  ({ text, pinned, run, blocks }, { state }) => {
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
      <section class="blocks">${draw(blocks, {})}</section>`;
  },
  ({ state }) => {
    state.box = document.createElement("div");
    state.panel = new TokenPanel(state.box);
    return () => state.panel.close();
  },
);

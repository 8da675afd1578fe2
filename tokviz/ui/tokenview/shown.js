// Shows blocks on a page. data = {label, blocks, leads}; leads: whether a press leads to another view, which begins at
// the top of the page. What is pressed or typed is the trigger `pressed` = [{name, value}]: what was typed comes first.

import { drawer } from "../kit/blocks.js";
import { html, nothing } from "../kit/html.js";
import { component, keepFocus } from "../kit/kit.js";
import { Parts } from "../kit/parts.js";
import { TOKEN_KINDS } from "./token_kinds.js";
import { showWhole } from "./whole.js";

const REST = 400; // ms without another letter
const draw = drawer(...TOKEN_KINDS);

const shown = component(
  "shown",
  ({ label, blocks, leads }, { root, state, redraw, rested, tell }) => {
    keepFocus(root, "table :is(a, button)");
    state.send = () => {
      const said = Object.entries(state.said).map(([name, value]) => ({ name, value }));
      if (said.length) tell("pressed", said);
      state.said = {};
    };
    const change = (inputs, typing) => {
      Object.assign(state.said, inputs);
      if (leads && !typing) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
      rested(typing ? REST : 0, state.send);
    };
    const on = {
      kept: state.kept,
      change,
      part: (name, make) => state.parts.of(name, make),
      redraw,
    };
    const drawn = draw(blocks, on);
    state.parts.drawn();
    return html`<section class="blocks" aria-label=${label || nothing}>${drawn}</section>`;
  },
  ({ root, state }) => {
    Object.assign(state, { kept: new Map(), parts: new Parts(), said: {} });
    const hide = showWhole(root);
    return () => {
      state.send();
      hide();
      state.parts.close();
    };
  },
);

export default function (page) {
  return shown(page);
}

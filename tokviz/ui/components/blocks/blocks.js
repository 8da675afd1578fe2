// Shows blocks on a page. data = {label, blocks, leads}; leads: whether a press leads to another view, which begins at
// the top of the page. What is pressed or typed is the trigger `pressed` = [{name, value}]: what was typed comes first.

import { drawer } from "../../kit/blocks.js";
import { html, nothing } from "../../kit/html.js";
import { component } from "../../kit/kit.js";
import { Parts } from "../../kit/parts.js";
import { TOKEN_KINDS } from "../token_view/token_kinds.js";
import { showWhole } from "../token_view/whole.js";

const REST = 400; // ms without another letter
const draw = drawer(...TOKEN_KINDS);

const shown = component(
  "shown",
  ({ label, blocks, leads }, { state, redraw, rested, tell }) => {
    const send = (inputs) => {
      tell(
        "pressed",
        Object.entries(inputs).map(([name, value]) => ({ name, value })),
      );
      state.typed = {};
    };
    const change = (inputs, typing) => {
      if (!typing) {
        if (leads) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
        return rested(0, () => send({ ...state.typed, ...inputs }));
      }
      Object.assign(state.typed, inputs);
      rested(REST, () => send(state.typed));
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
    Object.assign(state, { kept: new Map(), parts: new Parts(), typed: {} });
    const hide = showWhole(root);
    return () => {
      hide();
      state.parts.close();
    };
  },
);

export default function (page) {
  return shown(page);
}

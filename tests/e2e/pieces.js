// A component of the tests: rows with a button each, a menu, and what the kit has to choose with.

import { choice, select } from "../../tokviz/ui/kit/choices.js";
import { html, keyed } from "../../tokviz/ui/kit/html.js";
import { walk } from "../../tokviz/ui/kit/keys.js";
import { component, keepFocus } from "../../tokviz/ui/kit/kit.js";
import { menu } from "../../tokviz/ui/kit/menu.js";

export default component(
  "pieces",
  ({ title, rows, size }, { root, state, redraw, tell, keep, rested }) => {
    keepFocus(root, "li button");
    return html`<h2>${title}</h2>
      <ul @keydown=${walk("li button")} @focusout=${() => redraw({ said: "left" })}>
        ${rows.map((row) => keyed(row, html`<li><button @click=${() => redraw({ pressed: row })}>${row}</button></li>`))}
      </ul><p>${state.pressed} ${state.said}</p>
      ${menu({ label: "More", items: () => [{ label: "First", act: () => tell("menu", 1) }, null, { label: "Second", act() {} }] })}
      ${select({ label: "Size", options: [[0, "any"], [7, "seven"]], value: size, choose: (value) => tell("size", value) })}
      ${choice({ label: "Face", options: { text: "Text", ids: "Ids" }, value: state.face, choose: (face) => redraw({ face }) })}
      <input @input=${({ target }) => rested(50, () => keep("typed", target.value))}>`;
  },
  () => () => window.heard.push("ended"),
);

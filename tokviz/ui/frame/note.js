// A note on a page. data = {blocks}: the note, as kit/blocks.js draws it.

import { drawer } from "../kit/blocks.js";
import { html } from "../kit/html.js";
import { component } from "../kit/kit.js";

const draw = drawer();

export default component("note-of", ({ blocks }, on) => html`<div class="blocks">${draw(blocks, on)}</div>`);

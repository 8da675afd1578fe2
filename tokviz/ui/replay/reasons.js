// Replay: why this pair? The candidates of the step in view, with their exact counts over the whole corpus, and the
// rule that decided. Python counts and explains (tokviz/training/why.py); it is asked when the step has come to rest.

import { drawer } from "../kit/blocks.js";
import { html } from "../kit/html.js";
import { TOKEN_KINDS } from "../tokenview/token_kinds.js";

const draw = drawer(...TOKEN_KINDS);

export class Reasons {
  constructor(stage) {
    this.stage = stage;
  }

  load() {
    this.answered = this.shown = null; // the step of the last answer, and what is drawn of it
  }

  // Ask about the step in view.
  ask() {
    const { stage } = this;
    const { k } = stage;
    if (this.answered === k || !stage.data.can_predict) return;
    stage.ask("why", { step: k }, ({ blocks }) => {
      if (k !== stage.k) return;
      Object.assign(this, { answered: k, shown: draw(blocks, { kept: new Map(), change: null }) });
      stage.draw();
    });
  }

  // While the reader moves on, what was said of another step is greyed.
  template() {
    const { answered, shown, stage } = this;
    return html`<section class=${answered === stage.k ? "why" : "why waits"} data-answered=${answered}><h2>Why this pair</h2>
      <div class="blocks">${shown}</div></section>`;
  }
}

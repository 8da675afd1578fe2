// Replay: why this pair? The candidates of the step in view, with their exact counts over the whole corpus, and the
// rule that decided. Python counts and explains (tokviz/training/why.py); it is asked when the step has come to rest.

import { drawer } from "../kit/blocks.js";
import { html } from "../kit/html.js";
import { TOKEN_KINDS } from "../tokenview/token_kinds.js";

const REMEMBERED = 200; // answers
const draw = drawer(...TOKEN_KINDS);

export class Reasons {
  constructor(stage) {
    this.stage = stage;
    this.answers = new Map(); // step -> what is drawn
  }

  load() {
    this.answers.clear();
    this.shown = null;
  }

  // Ask about the step in view.
  ask() {
    const { stage, answers } = this;
    const { k, data } = stage;
    if (answers.has(k) || !data.live || data.others) return;
    const keep = (blocks) => {
      if (answers.size >= REMEMBERED) answers.delete(answers.keys().next().value);
      answers.set(k, draw(blocks, { kept: new Map(), change: null }));
      if (k === stage.k) stage.draw();
    };
    const fail = ({ message }) => keep([{ kind: "line", cells: [message], tone: "" }]);
    stage.ask("why", { step: k }).then(({ blocks }) => keep(blocks), fail);
  }

  // While the reader moves on, what was said of another step is greyed.
  template() {
    const { k, data } = this.stage;
    if (!data.live || data.others) return false;
    const known = this.answers.get(k);
    if (known) Object.assign(this, { shown: known, answered: k });
    return html`<section class=${known ? "why" : "why waits"} data-answered=${this.answered}><h2>Why this pair</h2>
      <div class="blocks">${this.shown}</div></section>`;
  }
}

// Replay: the reader's own text, which goes through the same steps in a strip of its own.

import { make } from "../kit/elements.js";
import { keepsText, keptText } from "../kit/field.js";
import { html, live } from "../kit/html.js";
import { quantity, rate } from "../kit/words.js";
import { read } from "../tokenview/encoding.js";
import { Strip } from "../tokenview/strip.js";

export class OwnText {
  constructor(stage) {
    this.stage = stage;
    this.view = new Strip(make("div", "strip own-strip"), "Your text at this step");
    Object.assign(this, { text: keptText("own")?.text ?? "", wrong: "", encoding: null });
    const fields = () => ({ text: this.text });
    this.stopKeeping = keepsText("own", fields, () => !this.text || this.encoding); // asked about when it is unfolded
  }

  close() {
    this.stopKeeping();
    this.view.close();
  }

  // A merge list plays on this text already.
  get isHere() {
    const { live, others, text } = this.stage.data;
    return live ? !others : Boolean(text);
  }

  load(data) {
    this.encoding = null;
    if (data.text) this.show(data.text);
    else if (this.isHere && this.stage.folds.own) this.ask(this.text || null);
    else this.stage.textChanged();
  }

  // Ask for the seams of a text; null asks for the text typed on an earlier visit to the page.
  ask(text) {
    const { stage } = this;
    const heard = (answer) => {
      if (text === null) this.text ||= answer.text;
      this.show(answer);
      if (text === null) return;
      stage.at.texts = (stage.at.texts ?? 0) + 1; // the page below follows it
      stage.rest();
    };
    const fail = ({ message }) => {
      this.wrong = message;
      stage.draw();
    };
    stage.ask("text", { text }, heard, "text", fail);
  }

  show(payload) {
    this.wrong = "";
    this.encoding = payload.text ? read(payload) : null;
    if (this.encoding) this.view.load(this.encoding, this.stage.k);
    this.stage.textChanged();
  }

  typed(text) {
    this.text = text;
    this.ask(text); // at once, so that no key is lost with the page
  }

  template() {
    const { encoding, view, wrong, text, stage } = this;
    const tokens = encoding && view.count();
    const said = () =>
      `${quantity(encoding.n, "byte")}: ${quantity(tokens, "token")}, ${rate(encoding.n / tokens)} bytes per token`;
    return html`${
      stage.data.live &&
      html`<textarea class="area" rows="1" aria-label="Your own text" spellcheck="false" autocapitalize="off" autocomplete="off"
        placeholder="Type or paste up to 4,000 bytes" .value=${live(text)} @input=${({ target }) => this.typed(target.value)}></textarea>`
    }${encoding && view.box}<p class="own-said quiet" role="status">${wrong || (encoding && said())}</p>`;
  }
}

// Predict, then reveal: the tokens at a step, and the pairs of which one merges next. The chosen pair is marked in the
// text. Whether the guess was right is known only when Python has answered.
//
// The question is always about the player's step. The event "tokviz:predict" tells the player to hide what merges next,
// except at the step already revealed (-1: none is; null: it may show all). "tokviz:go" tells it to which step to move.

import { keepFromPage, make, sign, themeOf } from "../elements.js";
import { fromHex, read, SPLIT, startsAt } from "../encoding.js";
import { replayHues } from "../hues.js";
import { chip } from "../token_view/marks.js";
import { TokenView } from "../token_view/pointing.js";
import { figure } from "../words.js";

class Predict {
  constructor(parent) {
    this.root = parent.appendChild(make("section", "tokviz predict"));
    this.root.setAttribute("aria-label", "Predict the next merge");
    this.title = this.root.appendChild(make("h2"));
    const columns = this.root.appendChild(make("div", "columns"));
    this.strip = columns.appendChild(make("div", "strip"));
    this.view = new TokenView(this.strip, "Tokens at this step");
    this.form = columns.appendChild(make("form", "question"));
    this.said = this.root.appendChild(make("p", "unseen"));
    this.said.setAttribute("role", "status");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.form.addEventListener("change", () => this.choose(Number(new FormData(this.form).get("pair"))));
    this.root.addEventListener("keydown", keepFromPage);
  }

  close() {
    this.veil(null);
    this.view.close();
    this.root.remove();
  }

  update(data, tell) {
    this.tell = tell;
    this.root.dataset.theme = themeOf(this.root);
    const asked = JSON.stringify({ ...data, window: data.window?.seams });
    if (asked === this.asked) return; // only the theme changed
    this.asked = asked;
    const held = this.root.contains(this.root.getRootNode().activeElement);
    const moved = this.data?.step !== data.step || this.data?.window?.seams !== data.window?.seams;
    this.data = data;
    this.waiting = false;
    this.root.dataset.step = data.step;
    this.root.classList.toggle("no-text", !data.window);
    this.strip.hidden = !data.window;
    if (moved && data.window) {
      this.encoding = read(data.window);
      this.view.load(this.encoding, replayHues(this.encoding), data.step);
    }
    this.title.textContent =
      data.step < data.last ? `Which pair is merge ${figure(data.step + 1)}?` : "All merges are done";
    this.veil(data.answer ? data.step : -1);
    this.draw();
    if (held) this.form.querySelector("input:enabled, button")?.focus({ preventScroll: true });
  }

  draw() {
    const { options, answer, step, last, score } = this.data;
    this.chosen = answer ? answer.guess : null;
    const table = make("fieldset", answer ? "options answered" : "options");
    table.append(make("legend", "unseen", "Pairs that could merge next"));
    const most = answer ? Math.max(...answer.counts) : 0;
    options.forEach(({ left, right }, i) => {
      const label = table.appendChild(make("label", "option"));
      const radio = label.appendChild(make("input"));
      Object.assign(radio, {
        type: "radio",
        name: "pair",
        value: i,
        disabled: Boolean(answer),
        checked: i === this.chosen,
      });
      const pair = label.appendChild(make("span", "pair-of"));
      pair.append(chip(fromHex(left), undefined, 12), sign("+", "and"), chip(fromHex(right), undefined, 12));
      if (!answer) return;
      const count = answer.counts[i];
      label.classList.toggle("winner", i === answer.winner);
      const bar = label.appendChild(make("span", "bar"));
      bar.style.setProperty("--share", most ? count / most : 0);
      label.append(make("span", "count", figure(count)));
      const tags = label.appendChild(make("span", "tags"));
      if (i === answer.winner) tags.append(make("span", "tag", "merges next"));
      else if (count === answer.counts[answer.winner]) tags.append(make("span", "tag", "= tie"));
      if (i === answer.guess) tags.append(make("span", "tag mine", "your guess"));
    });
    const parts = options.length ? [table] : [make("p", "quiet", "No merge is left to guess.")];
    if (answer) {
      const told = make("p", "verdict");
      told.append(make("b", "", answer.verdict), " ", answer.why);
      parts.push(told);
    }
    const row = make("div", "row");
    this.button = row.appendChild(
      make("button", "act", answer ? "Next merge" : step < last ? "Commit" : "Begin again"),
    );
    this.button.type = "submit";
    this.button.setAttribute("aria-disabled", !answer && options.length > 0);
    row.append(make("span", "quiet small", score));
    parts.push(row);
    this.form.replaceChildren(...parts);
    this.said.textContent = answer ? `${answer.verdict} ${answer.why} ${score}` : "";
    this.mark(answer ? answer.winner : null);
  }

  choose(option) {
    this.chosen = option;
    this.button.setAttribute("aria-disabled", "false");
    this.mark(option);
  }

  submit() {
    const { of, answer, step, last } = this.data;
    if (answer || step === last) {
      window.dispatchEvent(new CustomEvent("tokviz:go", { detail: { of, step: answer ? step + 1 : 0 } }));
    } else if (!this.waiting && this.chosen !== null) {
      this.waiting = true;
      this.tell?.("guessed", { step, option: this.chosen });
    }
  }

  veil(told) {
    window.dispatchEvent(new CustomEvent("tokviz:predict", { detail: { of: this.data?.of, told } }));
  }

  // Underline where this pair stands (null: no pair): two neighbours in one chunk with these bytes.
  mark(option) {
    for (const element of this.marked || []) element.classList.remove("here");
    this.marked = [];
    if (option === null || !this.data.window) return;
    const [left, right] = ["left", "right"].map((side) => fromHex(this.data.options[option][side]));
    const { bytes, seams } = this.encoding;
    const k = this.data.step;
    const is = (start, end, token) =>
      end - start === token.length && token.every((byte, i) => bytes[start + i] === byte);
    const starts = startsAt(this.encoding, k);
    starts.push(this.encoding.n);
    for (let i = 0; i + 2 < starts.length; i++) {
      if (seams[starts[i + 1]] === SPLIT || !is(starts[i], starts[i + 1], left)) continue;
      if (!is(starts[i + 1], starts[i + 2], right)) continue;
      this.marked.push(this.view.spans.get(starts[i]), this.view.spans.get(starts[i + 1]));
    }
    this.marked = this.marked.filter(Boolean);
    for (const element of this.marked) element.classList.add("here");
  }
}

const predictions = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!predictions.has(parentElement)) predictions.set(parentElement, new Predict(parentElement));
  const predict = predictions.get(parentElement);
  predict.update(data, setTriggerValue);
  return () => {
    predict.close();
    predictions.delete(parentElement);
  };
}

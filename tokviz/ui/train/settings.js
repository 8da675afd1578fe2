// The settings of a training, in a line below the corpus.

import { asTyped, make, makeButton, unspoken } from "../kit/elements.js";
import { figure, quantity } from "../kit/words.js";

const BYTES = 256; // tokens that are in every vocabulary
const MOST = 20_000; // merges; a corpus that can be written here never has so many
const LEAST = [1, 2, 3, 4, 5, 10, 20, 50, 100];

// A select that shows what it is for before its value. It lies unseen over the words, so that all of them open it.
// choices: pairs of a value and its words.
class Pick {
  constructor(label, choices, changed) {
    this.root = make("span", "pick");
    const words = this.root.appendChild(unspoken(make("span", "", `${label}: `)));
    this.shown = words.appendChild(make("b"));
    this.select = this.root.appendChild(make("select"));
    this.select.setAttribute("aria-label", label);
    for (const [value, words] of choices) this.add(value, words);
    this.select.addEventListener("change", () => changed(this.select.value));
  }

  add(value, words) {
    this.select.add(new Option(words, value));
  }

  show(value) {
    if (this.select.value !== value) this.select.value = value;
    this.shown.textContent = this.select.selectedOptions[0]?.textContent ?? value;
  }
}

export class Settings {
  // patterns, ties: what there is to choose, as pairs of a value and its words; the pattern `own` is the writer's own.
  // changed(settings): they are other ones now.
  constructor(patterns, ties, own, changed) {
    Object.assign(this, { own, changed });
    this.root = make("div", "settings");
    const line = this.root.appendChild(make("div", "setting-line"));
    line.append(this.stepper());
    this.pattern = new Pick("Split pattern", patterns, (pattern) => this.set({ pattern }));
    this.ties = new Pick("Ties", ties, (tie) => this.set({ tie }));
    const least = LEAST.map((count) => [count, figure(count)]);
    this.least = new Pick("Least pair count", least, (count) => this.set({ min_count: Number(count) }));
    this.more = makeButton("pick unfolds", "", () => this.unfold(this.special.hidden));
    line.append(this.pattern.root, this.ties.root, this.least.root, this.more);
    this.custom = this.field("input", "Your split pattern, a regular expression", (custom) => this.set({ custom }));
    this.special = this.field("textarea", "Special tokens, one in each line", (special) => this.set({ special }));
    this.special.id = "special-tokens";
    this.special.hidden = true;
    this.more.setAttribute("aria-controls", this.special.id);
  }

  stepper() {
    const root = make("span", "stepping");
    const label = root.appendChild(make("label", "", "Merges"));
    const frame = root.appendChild(make("span", "stepper"));
    this.merges = asTyped(make("input"));
    this.merges.id = label.htmlFor = "merges";
    this.merges.inputMode = "numeric";
    const by = (many) => this.ask(this.settings.vocab_size - BYTES + many);
    frame.append(
      makeButton("", "−", () => by(-1), "One merge fewer"),
      this.merges,
      makeButton("", "+", () => by(1), "One merge more"),
    );
    this.merges.addEventListener("input", () => {
      if (/^[\d,\s]+$/.test(this.merges.value)) this.ask(Number(this.merges.value.replace(/\D/g, "")), false);
    });
    this.merges.addEventListener("change", () => this.show(this.settings));
    return root;
  }

  field(kind, label, typed) {
    const root = this.root.appendChild(make("label", "setting-field"));
    root.append(make("span", "label", label));
    root.input = root.appendChild(asTyped(make(kind, "code")));
    root.input.addEventListener("input", () => typed(root.input.value));
    return root;
  }

  // Ask for so many merges.
  ask(merges, shown = true) {
    this.set({ vocab_size: BYTES + Math.max(0, Math.min(MOST, merges)) }, shown);
  }

  set(some, shown = true) {
    this.settings = { ...this.settings, ...some };
    if (shown) this.show(this.settings);
    this.changed(this.settings);
  }

  show(settings) {
    this.settings = settings;
    const { pattern, custom, special, tie, min_count: least } = settings;
    const put = (input, value) => {
      if (input.value !== value) input.value = value;
    };
    put(this.merges, figure(settings.vocab_size - BYTES));
    this.pattern.show(pattern);
    this.ties.show(tie);
    if (![...this.least.select.options].some(({ value }) => value === String(least)))
      this.least.add(least, figure(least));
    this.least.show(String(least));
    put(this.custom.input, custom);
    this.custom.hidden = pattern !== this.own;
    put(this.special.input, special);
    const many = special.split("\n").filter(Boolean).length;
    this.more.replaceChildren("Special tokens: ", make("b", "", many ? figure(many) : "none"));
    this.more.title = many ? quantity(many, "special token") : "";
    this.unfold(!this.special.hidden);
  }

  unfold(open) {
    this.special.hidden = !open;
    this.more.setAttribute("aria-expanded", String(open));
  }

  get asked() {
    return this.settings.vocab_size - BYTES;
  }
}

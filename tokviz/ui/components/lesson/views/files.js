// A tokenizer as files in one of several formats: the first lines of each file, and what the format loses.

import { make, makeButton, setAttributes } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";

export class FilesView {
  constructor(box, change) {
    this.change = change;
    this.choice = make("div", "choice asks");
    this.files = make("div", "files");
    this.loses = make("div", "loses");
    box.append(this.choice, this.files, this.loses);
  }

  show(data) {
    this.choice.hidden = data.formats.length < 2;
    const buttons = make("span");
    setAttributes(buttons, { role: "group", "aria-label": "File format" });
    buttons.append(
      ...data.formats.map(({ key, title }) => {
        const button = makeButton("", title, () => this.change({ format: key }));
        button.setAttribute("aria-pressed", String(key === data.format));
        return button;
      }),
    );
    const held = this.choice.contains(this.choice.getRootNode().activeElement);
    this.choice.replaceChildren(buttons);
    if (held) buttons.querySelector('[aria-pressed="true"]')?.focus();
    this.files.replaceChildren(...data.files.map(drawFile));
    this.loses.hidden = !data.loses;
    const items = make("ul");
    items.append(...(data.loses || []).map((what) => make("li", "", what)));
    this.loses.replaceChildren(
      make("b", "", data.loses?.length ? "What it loses" : "It loses nothing."),
      ...(data.loses?.length ? [items] : []),
    );
  }
}

function drawFile({ name, bytes, lines, more }) {
  const block = make("div", "file");
  const head = make("p", "row-head");
  head.append(make("b", "", name), make("span", "quiet", quantity(bytes, "byte")));
  const text = make("pre", "", lines.map((line) => line || "(an empty line)").join("\n"));
  text.tabIndex = 0;
  setAttributes(text, { role: "region", "aria-label": `The first lines of ${name}` });
  block.append(head, text);
  if (more) block.append(make("p", "quiet", `and ${figure(more)} more ${more === 1 ? "line" : "lines"}`));
  return block;
}

// A token view in its panel: name and figures above the view, a status line and switches below it.
// Views of the same text on a page hear of each other's pointer through an event of the window; nothing goes to Python.


const HOVER = "tokviz:hover";

class TokenPanel {
  constructor(parent) {
    this.root = make("section", "tokviz panel");
    this.head = make("div", "head");
    this.note = make("p", "note");
    this.box = make("div");
    this.empty = make("div", "empty");
    this.empty.append(make("h2", "", "No text yet"), make("p", "", "Its tokens appear here as soon as there is some."));
    this.status = make("div", "status");
    this.named = make("p", "named");
    this.more = make("p", "more quiet");
    this.status.append(this.named, this.more, this.choices());
    this.root.append(this.head, this.note, this.empty, this.box, this.status);
    parent.append(this.root);
    this.view = new TokenView(this.box, "Tokens", (token, others) => this.say(token, others));
    this.root.addEventListener("keydown", keepFromPage);
    this.hear = (event) => {
      const { source, text, start, end } = event.detail;
      if (source !== this && this.key && text === this.key) this.view.reflect(start === null ? null : [start, end]);
    };
    window.addEventListener(HOVER, this.hear);
  }

  close() {
    window.removeEventListener(HOVER, this.hear);
    this.view.close();
    this.root.remove();
  }

  choices() {
    const choice = make("div", "choice");
    const group = choice.appendChild(make("span"));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Show");
    const button = (label, pressed, change) => {
      const element = group.appendChild(make("button", label.toLowerCase(), label));
      element.type = "button";
      element.setAttribute("aria-pressed", pressed);
      element.addEventListener("click", () => {
        const on = element.getAttribute("aria-pressed") !== "true";
        element.setAttribute("aria-pressed", on);
        change(on);
      });
    };
    button("Whitespace", true, (on) => this.box.classList.toggle("unmarked", !on));
    const instead = (label, mode, other) => button(label, false, (on) => {
      this.view[mode] = on;
      this.view[other] = false;
      group.querySelector(`.${other === "hex" ? "bytes" : "ids"}`).setAttribute("aria-pressed", false);
      this.view.redraw();
    });
    instead("Ids", "ids", "hex");
    instead("Bytes", "hex", "ids");
    button("Chunks", true, (on) => this.box.classList.toggle("chunks", on));
    return choice;
  }

  update(data) {
    this.root.dataset.theme = themeOf(this.root);
    const same = this.data && Object.keys({ ...data, ...this.data }).every(
      (name) => JSON.stringify(data[name]) === JSON.stringify(this.data[name]));
    if (same) return;                                    // only the theme changed: what is pointed at stays
    this.show(data, read(data));
  }

  // `data` names the tokenizer and how to draw; `key` is the text's own, by which views of the same text know it.
  show(data, encoding, key = `${encoding.n}:${data.start}:${fingerprint(encoding.bytes)}`) {
    this.data = data;
    this.encoding = encoding;
    this.key = key;
    this.root.classList.toggle("compact", data.compact);
    this.root.setAttribute("aria-label", `Tokens of ${data.name}`);
    this.box.setAttribute("aria-label", `Text as tokens of ${data.name}`);
    this.box.classList.toggle("numbered", data.line_numbers && !data.compact && data.start === 0);
    this.view.load(encoding, null, END, data.special_ids ? new Set(data.special_ids) : null);
    this.drawHead();
    this.say(null);
  }

  // The bytes from start to stop became `count` bytes, or have other seams.
  patch(encoding, start, stop, count) {
    this.view.patch(encoding, start, stop, count);
    this.encoding = encoding;
  }

  drawHead(counted = null) {
    const { name, glyph, series, header, badge, totals, start, compact } = this.data;
    const { tokens, bytes, characters } = totals || counted || figuresOf(this.encoding, this.view.k);
    this.box.hidden = this.status.hidden = this.encoding.n === 0;
    this.empty.hidden = this.encoding.n > 0;
    this.head.replaceChildren();
    if (header) {
      const title = this.head.appendChild(make("h2", "title"));
      const mark = title.appendChild(make("span", "mark", glyph));
      mark.setAttribute("aria-hidden", "true");
      mark.style.color = `var(--k-${series})`;
      title.append(name);
    }
    const stats = this.head.appendChild(make("p", "stats"));
    const stat = (number, unit) => {
      const pair = stats.appendChild(make("span"));
      pair.append(make("b", "", number), " ", make("span", "quiet", unit));
      stats.append(" ");
    };
    stat(figure(tokens), tokens === 1 ? "token" : "tokens");
    if (!compact) {
      stat(figure(bytes), bytes === 1 ? "byte" : "bytes");
      stat(figure(characters), characters === 1 ? "character" : "characters");
    }
    stat(tokens ? rate(bytes / tokens) : "–", "bytes per token");
    if (badge && this.view.k >= END) {                   // tiktoken speaks of the whole vocabulary
      const kind = badge.good === null ? "waits" : badge.good ? "good" : "bad";
      const pill = this.head.appendChild(make("p", `badge ${kind}`));
      const mark = pill.appendChild(make("span", "", { waits: "…", good: "✓", bad: "×" }[kind]));
      mark.setAttribute("aria-hidden", "true");
      pill.append(" ", badge.text);
    }
    const range = `Showing bytes ${figure(start)} to ${figure(start + this.encoding.n)} of ${figure(bytes)}.`;
    const all = make("span");
    if (this.error) all.append(make("b", "", this.error));
    else all.append(make("b", "", range), ` All are counted: ${figure(tokens)} tokens.`);
    this.note.hidden = !this.error && (!totals || totals.bytes <= this.encoding.n);
    this.note.replaceChildren(all);
  }

  // Name the token in the status line; `others` are the tokens that cover what another view points at.
  say(token, others = null) {
    if (token || !others) {
      const { start = null, end = null } = token || {};
      const said = token !== null || this.said;
      this.said = token !== null;
      if (said) window.dispatchEvent(new CustomEvent(HOVER, { detail: { source: this, text: this.key, start, end } }));
    }
    const { bytes } = this.encoding;
    const chipOf = ({ start, end }) => chip(bytes.subarray(start, end), this.view.hueOf(start, end));
    const idText = ({ id }) => make("b", "", id === null ? "no id" : `id ${figure(id)}`);
    if (!token && others) {
      this.named.replaceChildren(...others.slice(0, 4).flatMap((other) => [chipOf(other), idText(other)]));
      this.more.textContent = others.length === 1 ? "the same bytes, one token here"
        : `the same bytes, ${figure(others.length)} tokens here`;
      return;
    }
    if (!token) {
      this.named.replaceChildren(make("span", "quiet", "Point at a token, or press Tab"));
      this.more.textContent = "";
      return;
    }
    const { starts, often } = this.view.counted();
    const count = make("span", "quiet");
    count.append(make("b", "", times(often.get(token.id))), " in this text");
    this.named.replaceChildren(chipOf(token), idText(token), count);
    const place = rankIn(starts, token.start) + 1;
    const from = this.data.start + token.start, length = token.end - token.start;
    const where = length === 1 ? `byte ${figure(from)}` : `bytes ${figure(from)} to ${figure(from + length)}`;
    const hex = hexOf(bytes.subarray(token.start, Math.min(token.end, token.start + 16))) + (length > 16 ? " …" : "");
    this.more.replaceChildren(
      make("span", "", `token ${figure(place)} of ${figure(starts.length)}`),
      make("span", "", `${where}: ${hex}`),
      ...this.unseenIn(token).map((name) => make("span", "", name)),
      make("span", "", this.origin(token)));
    this.more.title = this.more.textContent;
  }

  unseenIn({ start, end }) {
    const points = new Set(this.encoding.text.slice(this.encoding.units[start], this.encoding.units[end]));
    return [...points].filter((char) => UNSEEN.test(char) && (char !== " " || end - start === 1)).slice(0, 3)
      .map((char) => `${codePoint(char)} ${INVISIBLE.get(char.codePointAt(0))?.[1] || ""}`.trim());
  }

  origin({ start, end, id }) {
    const top = topSeam(this.encoding, start, end);
    if (top >= 0) return `made by merge ${figure(this.encoding.seams[top] + 1)}`;
    if (id === null) return "no token covers these bytes";
    if (this.view.isSpecial(start, end)) return "special token";
    return end - start === 1 ? "one byte, no merge" : "no pair of tokens makes this one";
  }
}

// Tokens, bytes and characters of an encoding.
function figuresOf({ n, seams, bytes, whole }, k = END) {
  let tokens = 0, characters = 0;
  for (let i = 0; i < n; i++) {
    if (seams[i] >= k) tokens++;
    if ((bytes[i] & 0xc0) !== 0x80) characters++;
  }
  for (const id of whole.values()) if (id === null) tokens--;
  return { tokens, bytes: n, characters };
}

// Where a number stands in ascending numbers.
function rankIn(numbers, number) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fingerprint(bytes) {
  let h = 0x811c9dc5;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

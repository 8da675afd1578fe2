// Everything around the text area: examples, Back, Clear and Copy link, notes on the text, how special tokens are read,
// and Find.

import { copyText } from "../kit/copy_and_save.js";
import { asStatus, asTyped, make, makeButton } from "../kit/elements.js";
import { figure, listed, quantity } from "../kit/words.js";
import { exampleChoice } from "../tokenview/examples.js";
import { SAID } from "../tokenview/panel.js";
import { placeWithEnds, plain } from "../tokenview/patches.js";
import { ReadingChoice } from "../tokenview/reading_choice.js";
import { Find } from "./find.js";

const READ = { text: "as text", special: "as special", refuse: "refused" };
const UNDOABLE = 20_000; // UTF-16 units; to insert a longer text as an edit takes the browser too long

// Subclasses have data, panels, shown and value, and the methods act(what, name), readAs(reading), typed(), drawn()
// and link().
export class TextTools {
  constructor() {
    this.side = make("div", "side");
    const over = this.side.appendChild(make("div", "over"));
    this.label = over.appendChild(make("label", "label", "Text"));
    this.linkSaid = over.appendChild(asStatus(make("p", "link-said quiet")));
    this.others = over.appendChild(make("div", "others"));
    this.linkButton = makeButton("", "Copy link", () => this.copyLink());
    this.area = this.side.appendChild(make("textarea", "text"));
    this.area.id = this.label.htmlFor = "text";
    asTyped(this.area);
    this.area.placeholder = "Type or paste some text";
    this.foreignEnds = this.side.appendChild(this.lineEndsNote());
    this.area.addEventListener("paste", (event) => this.pasted(event));
    this.beyond = this.side.appendChild(make("div", "note"));
    this.beyond.append(make("span"));
    this.beyond.hidden = true;
    this.refusal = this.side.appendChild(asStatus(make("div", "note")));
    this.tools = this.side.appendChild(make("div", "tools"));
    this.line = this.side.appendChild(asStatus(make("p", "line-status quiet")));
    this.extras = this.side.appendChild(make("div", "extras"));
    this.fold = this.foldOf(this.readingChoice());
    this.finder = new Find(
      () => [...this.panels.values()],
      () => this.drawn(),
    );
  }

  say(words) {
    if (this.line.textContent !== words) this.line.textContent = words;
  }

  // A text area has no carriage returns, so a paste with them is kept beside it.
  pasted(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const { selectionStart, selectionEnd, readOnly } = this.area;
    const [from, to] = [selectionStart, selectionEnd].map((place) => placeWithEnds(this.value, place));
    const text = this.value.slice(0, from) + pasted + this.value.slice(to);
    if (!pasted.includes("\r") || readOnly || text.length > this.data.limit) return;
    event.preventDefault();
    this.keep(text);
    this.area.setRangeText(plain(pasted), selectionStart, selectionEnd, "end");
    this.typed();
  }

  keep(text) {
    const returns = text.split("\r").length - 1;
    this.kept = returns || this.data.length ? text : null;
    this.foreignEnds.hidden = !returns || Boolean(this.data.length);
    this.foreignEnds.returns.textContent = `This text has ${quantity(returns, "carriage return")}, which the field does not show. `;
  }

  lineEndsNote() {
    const note = make("div", "note");
    note.returns = make("b");
    note.appendChild(make("span")).append(
      note.returns,
      "Its tokens are right, and what you type leaves them as they are. ",
      makeButton("", "Convert line ends", () => {
        this.keep(this.area.value);
        this.area.focus();
        this.typed();
      }),
    );
    note.hidden = true;
    return note;
  }

  // --- examples, back, clear ---

  drawTools(active = this.data.example) {
    this.shownExample = active;
    const { activeElement } = this.root.getRootNode();
    const { examples } = this.data;
    const choice = exampleChoice(examples, active, (name) => this.act("example", name));
    const shown = examples.find(({ name }) => name === active);
    const look = make("p", "look quiet");
    if (shown) look.append(make("b", "", `${shown.name}: `), shown.look);
    this.clearButton = makeButton("", "Clear", () => this.act("clear"));
    this.clearButton.disabled = !this.value;
    const back = this.data.back ? [makeButton("", "Back to your text", () => this.act("back"))] : [];
    if (this.data.back > 1) back[0].title = `${figure(this.data.back)} of your texts are kept; the latest comes first`;
    const rows = [
      [this.tools, [...choice, look]],
      [this.others, [...back, this.clearButton, this.linkButton]],
    ];
    for (const [place, parts] of rows) {
      const held = place.contains(activeElement) ? activeElement.textContent : null;
      place.replaceChildren(...parts);
      if (held === null) continue; // the focus stays on the button pressed, or goes to the text
      const again = [...place.querySelectorAll("button:enabled")].find((button) => button.textContent === held);
      (again || this.area).focus();
    }
  }

  // Put a text into the area. If the visitor asked for it here, it goes in as the browser's own edit, so Ctrl+Z brings
  // back the text before, provided that the area had the whole of it.
  put(text, whole) {
    const { area } = this;
    const held = area.getRootNode().activeElement;
    if (held && whole && text.length <= UNDOABLE && area.value !== text) {
      this.putting = true;
      area.focus({ preventScroll: true });
      area.select();
      document.execCommand(text ? "insertText" : "delete", false, text);
      held.focus({ preventScroll: true });
      this.putting = false;
    }
    if (area.value !== text) area.value = text;
  }

  // Copy a link to the page as it stands, and show the outcome for a while.
  async copyLink() {
    clearTimeout(this.silence);
    const address = await this.link();
    if (address) await copyText(address, this.linkSaid, "Link copied.");
    this.silence = setTimeout(() => {
      this.linkSaid.textContent = "";
    }, SAID);
  }

  // --- special tokens ---

  // A button that shows and hides how special tokens are read, and what the owner adds.
  foldOf(choice) {
    const body = make("div", "fold");
    body.id = "fold";
    body.append(choice);
    const button = makeButton("fold-button", "", () => this.unfold(body.hidden));
    button.setAttribute("aria-controls", body.id);
    return { button, body };
  }

  unfold(open) {
    this.fold.body.hidden = !open;
    this.fold.button.setAttribute("aria-expanded", open);
  }

  showReading(reading) {
    this.readings.show(reading);
    this.fold.button.textContent = `Special tokens: ${READ[reading]}. Sources`;
  }

  readingChoice() {
    const row = make("div", "tools");
    const caption = row.appendChild(make("span", "quiet", "Special tokens"));
    caption.id = "specials";
    const choice = row.appendChild(make("div", "choice"));
    this.readings = new ReadingChoice((reading) => this.readAs(reading));
    this.readings.group.setAttribute("aria-labelledby", "specials");
    choice.append(this.readings.group);
    return row;
  }

  // If special tokens are refused: which ones are in the text, and what to do. They are drawn as text meanwhile.
  drawRefusal() {
    const refused = new Map();
    for (const { data, encoding } of this.panels.values()) {
      if (!encoding.refused) continue;
      const [token, at] = encoding.refused;
      const place = JSON.stringify([token, at]);
      refused.set(place, { names: [...(refused.get(place)?.names || []), data.name], token, at });
    }
    const said = JSON.stringify([...refused]);
    if (said === this.refusalSaid) return;
    this.refusalSaid = said;
    this.refusal.hidden = !refused.size;
    const words = make("span");
    for (const { names, token, at } of refused.values()) {
      let line = 1;
      for (let i = 0; i < at; i++) if (this.shown.bytes[i] === 10) line++;
      words.append(
        make("b", "", `${listed(names)} ${names.length > 1 ? "refuse" : "refuses"} this text. `),
        make("code", "", token),
        ` is at byte ${figure(at)}, line ${figure(line)}. `,
      );
    }
    words.append("Take it out, or read it as text or as special. Until then it is drawn as text.");
    this.refusal.replaceChildren(words);
  }
}

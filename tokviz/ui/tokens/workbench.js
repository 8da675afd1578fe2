// The workbench: a text area, and beside it the text as tokens under each chosen tokenizer.
//
// Python decides on the tokenizers and sends the first text; live_text.js keeps text and tokens in step. The text area
// is written only when Python sends another text, never because of an answer of the socket.

import { addressOf } from "../kit/copy_and_save.js";
import { make, mount, themeOf } from "../kit/elements.js";
import { figure } from "../kit/words.js";
import { onFocus } from "../tokenview/blocks.js";
import { placeIn, read, textOf, typedIn } from "../tokenview/encoding.js";
import { goesAlong, queryOf } from "../tokenview/link.js";
import { TokenPanel } from "../tokenview/panel.js";
import { byteAt, placeWithEnds, plain, sharedEnds } from "../tokenview/patches.js";
import { Inside } from "./inside.js";
import { LiveText } from "./live_text.js";
import { Numbers } from "./numbers.js";

const HELD = new Map(); // by view: the state of a workbench that left the page, for when it comes back

class Workbench extends LiveText {
  constructor(parent) {
    super();
    this.root = make("section", "tokviz workbench");
    this.root.setAttribute("aria-label", "Text and its tokens");
    this.bench = this.root.appendChild(make("div", "bench"));
    this.bench.append(this.side);
    this.numbers = new Numbers(this.extras, this.fold);
    this.unfold(false);
    this.read = this.bench.appendChild(make("div", "read"));
    this.none = this.read.appendChild(make("div", "empty"));
    this.none.append(make("h2", "", "No tokenizer chosen"), make("p", "", "Choose one above to see its tokens here."));
    parent.append(this.root);
    this.sized = new ResizeObserver(() => this.arrange());
    this.sized.observe(this.root);
    this.sized.observe(this.side);
    this.inside = new Inside(this.root, {
      ask: (key, start, size) => this.look(key, start, size),
      sized: () => {
        for (const panel of this.panels.values()) panel.drawHead();
        this.finder.again();
        this.resized();
      },
    });

    this.panels = new Map(); // by the tokenizer's key, in the order shown
    for (const type of ["focus", "blur"]) this.area.addEventListener(type, onFocus);
    this.area.addEventListener("focus", () => this.follow());
    this.area.addEventListener("blur", () => this.follow());
    this.moved = () => {
      // while busy the answer's frame does; one before it could delay it
      if (!this.busy && this.showsOther(this.caret)) this.draw(() => this.follow());
    };
    // The frame of a key itself draws where it takes the caret: while a long text is selected, each frame takes long.
    this.area.addEventListener("keydown", () => {
      if (this.showsOther(null)) requestAnimationFrame(() => this.follow());
    });
    for (const place of [document, this.area]) place.addEventListener("selectionchange", this.moved);
  }

  close() {
    this.drawn();
    HELD.clear();
    if (this.data) {
      HELD.set(this.data.view, {
        stamp: this.data.stamp,
        text: this.value,
        shown: this.shown,
        encodings: new Map([...this.panels].map(([key, panel]) => [key, panel.encoding])),
        reading: this.shownReading,
        inside: this.inside.state(),
      });
    }
    this.sized.disconnect();
    document.removeEventListener("selectionchange", this.moved);
    for (const panel of this.panels.values()) panel.close();
    this.inside.close();
    this.root.remove();
    super.close();
  }

  // Place the extras: below the text if the tokens stand beside it, else below the tokens. So Tab and screen readers
  // follow the order on the page. If there is room, the text stays in sight while the tokens scroll.
  arrange() {
    const beside = getComputedStyle(this.side).position === "sticky";
    const place = beside ? this.side : this.bench;
    if (this.extras.parentElement !== place) {
      const held = this.root.getRootNode().activeElement;
      place.append(this.extras);
      if (this.extras.contains(held)) held.focus({ preventScroll: true });
    }
    this.side.style.setProperty("--height", `${this.side.offsetHeight}px`);
  }

  // --- what Python says ---

  update(data, tell) {
    this.tell = tell;
    this.drawn();
    const theme = themeOf(this.root);
    this.root.dataset.theme = theme;
    const before = this.data;
    this.data = data;
    if (before && JSON.stringify(before) === JSON.stringify(data)) {
      for (const panel of this.panels.values()) panel.root.dataset.theme = theme;
      return;
    }
    // A server that was restarted does not know this text yet, and must not replace it.
    const forgot = before && data.server !== before.server;
    const held = before ? null : HELD.get(data.view);
    if (!forgot) this.reading = data.specials;
    if (!before && this.reading !== "text") this.unfold(true);
    let encodings = new Map([...this.panels].map(([key, panel]) => [key, panel.encoding]));
    let sameText = Boolean(before) && ((data.stamp === before.stamp && data.view === before.view) || forgot);
    if (held && held.stamp === data.stamp) {
      encodings = held.encodings;
      this.shown = held.shown;
      this.shownReading = held.reading;
      this.write(held.text);
      sameText = true;
    } else if (!sameText) {
      encodings = new Map();
      this.shown = textOf(data.text);
      this.write(data.text);
    }
    if (sameText && !this.open && data.text === this.value && data.text !== this.shown.text) {
      // the answer to ask(): Python has this text now
      this.shown = textOf(data.text);
      this.sent = data.text;
    }
    const fromPython = this.shown.text === data.text && this.reading === data.specials;
    if (fromPython) this.shownReading = data.specials;
    for (const [key, panel] of this.panels) {
      if (data.blocks.some((block) => block.key === key)) continue;
      panel.close();
      this.panels.delete(key);
    }
    const panels = new Map();
    for (const block of data.blocks) {
      const there = this.panels.get(block.key);
      const panel = there || new TokenPanel(this.read);
      panel.root.dataset.theme = theme;
      panel.error = block.error;
      const known = encodings.get(block.key);
      const encoding =
        fromPython || !known || typedIn(known) !== this.shown.text
          ? {
              ...(block.typed ? read(block) : read(block, fromPython ? this.shown : textOf(data.text))),
              source: data.text,
              refused: block.refused,
            }
          : known;
      const settings = {
        ...block,
        line_numbers: true,
        compact: false,
        header: data.blocks.length > 1, // alone, its name is on the pill
        totals: null,
        start: 0,
      };
      if (
        !there ||
        JSON.stringify(there.alphabet) !== JSON.stringify(block.alphabet) ||
        there.data.name !== block.name
      ) {
        panel.alphabet = block.alphabet;
        panel.show(settings, encoding, data.view);
      } else {
        panel.data = settings;
        this.adopt(panel, encoding);
        panel.drawHead();
      }
      panels.set(block.key, panel);
      this.read.append(panel.root);
    }
    this.panels = panels;
    this.placeTools();
    this.none.hidden = panels.size > 0;
    this.root.classList.toggle("several", panels.size > 1);
    this.inside.views([...panels].map(([key, panel]) => ({ ...panel.data, key, view: panel.view })));
    if (!before && panels.size) {
      const { view, size, pinned } = data.opened; // what the link asks for
      const [side, start] = pinned || [];
      this.inside.restore(held?.inside || { key: data.blocks[side]?.key, start, size });
      if (view && !held) for (const panel of panels.values()) panel.turn?.(view[0].toUpperCase() + view.slice(1));
    } else if (!sameText) this.inside.pin(null);
    this.drawTools();
    this.showReading(this.reading);
    this.drawRefusal();
    const whole = this.inside.slider.size === null; // Python's figures are those of whole vocabularies
    if (fromPython && (whole || !before)) this.numbers.show(data.numbers, [...panels.values()], data.heads);
    if (!fromPython || !(whole || (before && sameText))) this.numbers.wait();
    this.proof = null;
    this.finder.again();
    const keys = [this.reading, ...data.blocks.map((block) => block.key)].join();
    if (keys !== this.keys || !sameText || forgot) {
      this.keys = keys;
      this.connect();
    } else {
      this.pump();
      this.settle();
    }
    this.follow();
  }

  // Put a text into the area.
  write(text) {
    const whole = this.kept === null; // was all of the text before in the area?
    this.sent = text;
    this.keep(text);
    this.beyond.hidden = !this.data.length;
    if (this.data.length) {
      const [has, fit] = [this.data.length, this.data.limit].map(figure);
      this.beyond.lastChild.replaceChildren(
        make("b", "", `This text has ${has} characters, and ${fit} fit here. `),
        "You can read its beginning, but not change it. Compare counts all of it; Clear makes room for another text.",
      );
    }
    this.area.readOnly = Boolean(this.data.length);
    this.put(plain(text), whole && this.kept === null);
  }

  // Find belongs to the first panel's toolbar. The size slider stands under the tokens: those of a panel that is alone,
  // or else those of all panels.
  placeTools() {
    const [first] = this.panels.values();
    if (!first) return;
    const slider = this.inside.slider.root;
    if (!first.tools.contains(this.finder.field)) first.tools.querySelector(".menu").before(this.finder.field);
    if (!first.outcomes.contains(this.finder.hits)) first.outcomes.prepend(this.finder.hits);
    if (this.panels.size > 1) {
      if (this.read.lastChild !== slider) this.read.append(slider);
    } else if (slider.parentElement !== first.root) first.status.before(slider);
  }

  // Show another encoding in a panel, drawing only what differs.
  adopt(panel, encoding) {
    const [head, tail] = sharedEnds(panel.encoding, encoding);
    panel.patch(encoding, head, panel.encoding.n - tail, encoding.n - tail - head);
  }

  // --- the caret ---

  // The byte at the caret. null: there is no caret; undefined: an answer is on its way.
  get caret() {
    const { selectionStart, selectionEnd } = this.area;
    if (this.area.getRootNode().activeElement !== this.area || selectionStart !== selectionEnd) return null;
    if (this.busy || this.sent !== this.value) return undefined;
    return byteAt(this.shown, placeWithEnds(this.value, selectionEnd));
  }

  // Where a view has a byte of the typed text.
  placeOf({ encoding: { typed } }, byte) {
    return byte && typed ? placeIn(typed, byte) : byte;
  }

  // Do the views show the caret elsewhere?
  showsOther(caret) {
    return [...this.panels.values()].some(({ view }) => view.caret !== this.placeOf(view, caret));
  }

  follow(edit = null, panels = [...this.panels.values()]) {
    if (this.changes.length) return; // the last of them calls this
    const byte = this.caret;
    if (byte === undefined) return;
    const views = panels
      .filter((panel) => !this.late.has(panel)) // once they are drawn, this is called again
      .map((panel) => panel.view)
      .filter((view) => edit || view.caret !== this.placeOf(view, byte));
    for (const view of views) view.follow(this.placeOf(view, byte));
    const ways = views.map((view) => view.toCaret());
    for (const [i, view] of views.entries()) view.followed(ways[i]);
  }

  // --- what is asked for ---

  // Change how special tokens are read: a new connection gets the whole text again.
  readAs(reading) {
    if (reading === this.reading) return;
    this.reading = reading;
    this.showReading(this.reading);
    if (this.live) this.connect();
    else this.tell("asked", { what: "specials", name: reading });
  }

  // The address of a link to the page as it stands.
  async link() {
    const [first] = this.panels.values();
    const { key, start, size } = this.inside.state();
    const { bytes, text } = this.shown;
    const { data } = this;
    const link = { ...data.link, sample: text === data.text ? data.link.sample : null };
    this.say(
      goesAlong(link, bytes)
        ? ""
        : `The text stays out of the link: it has ${figure(bytes.length)} bytes, and a link carries ${figure(link.limit)}.`,
    );
    const view = !first || first.face === "Text" ? null : first.face.toLowerCase();
    const side = [...this.panels.keys()].indexOf(key);
    const query = await queryOf(link, bytes, { specials: this.reading, side, view, size, pinned: start });
    return addressOf(query);
  }

  // Ask Python to change the text. The request waits until Python has all that was typed, or carries the text itself.
  act(what, name = "") {
    const unheard = this.sent !== this.value;
    clearTimeout(this.acting);
    if (this.open && (this.busy || unheard)) {
      this.acting = setTimeout(() => this.act(what, name), 20);
      return;
    }
    clearTimeout(this.asking);
    this.tell("asked", { what, name, text: unheard ? this.value : "" });
  }
}

export default function (page) {
  return mount(Workbench, page, (workbench) => workbench.update(page.data, page.setTriggerValue));
}

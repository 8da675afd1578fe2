// The sheet by which students join: the code, the address, and both as a QR code.

import { make, makeButton, setAttributes, shape } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";

const QUIET_ZONE = 4; // modules around a QR code that stay white, as its standard asks

export class JoinSheet {
  constructor(teacher) {
    this.teacher = teacher;
  }

  draw(bar, stage, state, data) {
    const shown = JSON.stringify([state.code, data, state.phase, state.number, state.kept, state.let_in]);
    this.asking = this.asking && bar.contains(this.asking) ? this.asking : null;
    if (shown !== this.shown || !stage.contains(this.count)) {
      this.shown = shown;
      this.drawBar(bar, state);
      stage.replaceChildren(this.words(state, data), ...(data.qr.length ? [qrCode(data.qr)] : []));
    }
    this.count.textContent = figure(state.joined);
    this.unit.textContent = state.joined === 1 ? "has joined" : "have joined";
  }

  drawBar(bar, state) {
    const { room } = this.teacher;
    const back = makeButton("press small", "Back to the question", () => room.say({ show_code: false }));
    const end = makeButton("press small", "Close the room", () => this.ask(bar, state));
    bar.replaceChildren(make("h1", "", "Join with this code"), ...(state.phase === "join" ? [end] : [back, end]));
  }

  // Closing the room takes it away from everyone, so it asks first.
  ask(bar, state) {
    const { room } = this.teacher;
    const end = makeButton("press small", "Close it for everyone", () => room.say({ end: true }));
    const keep = makeButton("press small bold", "Keep it open", () => this.drawBar(bar, state));
    bar.replaceChildren(make("h1", "", "Close the room? Its votes are deleted."), keep, end);
    keep.focus();
  }

  words(state, data) {
    const words = make("div", "join-words");
    const code = make("p", "room-code", state.code);
    setAttributes(code, { role: "img", "aria-label": `Room code ${[...state.code].join(" ")}` });
    const address = make("p", "url");
    address.append(make("span", "quiet", "at "), make("span", "mono", data.address));
    const joined = make("p", "url count-line");
    this.count = make("b", "count");
    this.unit = make("span");
    joined.append(this.count, this.unit);
    words.append(code, address, joined);
    if (data.trouble) {
      const note = make("p", "warn-note");
      note.append(make("b", "", data.trouble), ` ${data.wayOut}`);
      words.append(note);
    }
    if (!state.let_in) {
      const note = make("p", "warn-note");
      note.append(make("b", "", "Nobody else can join now."), " “New students can join” below is off.");
      words.append(note);
    }
    const kept = state.kept ? "" : " If the server stops, the room is gone.";
    if (!state.number) words.append(make("p", "", "No question is ready. Choose one below."));
    words.append(
      make("p", "quiet", `No name is asked for. Votes are kept without names, until the room is closed.${kept}`),
    );
    return words;
  }
}

// A QR code from its rows of "0" and "1". It is black on white in both themes, because cameras expect it so.
function qrCode(rows) {
  const size = rows.length + 2 * QUIET_ZONE;
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  const picture = shape("svg", {
    class: "qr",
    viewBox: `${-QUIET_ZONE} ${-QUIET_ZONE} ${size} ${size}`,
    "shape-rendering": "crispEdges",
    role: "img",
    "aria-label": "QR code of the address at which students join",
  });
  picture.append(shape("path", { fill: "#000", d: dark.join("") }));
  return picture;
}

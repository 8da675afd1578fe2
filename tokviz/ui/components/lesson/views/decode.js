// Tokens one after the other, each with its id, its bytes, what it is alone, and what a decoder that waits gives.

import { make } from "../../../kit/elements.js";
import { fromHex } from "../../encoding.js";
import { chip, drawPieces, piecesOf } from "../../token_view/marks.js";
import { Field } from "./field.js";

const DECODED_LINES = { id: "Id", bytes: "Bytes", alone: "Decoded alone", streamed: "Comes out" };

export class DecodeView {
  constructor(box, change) {
    this.field = new Field(box, ({ text }) => change({ [this.given]: text }), "Text or ids", 1);
    this.list = make("ol", "decoded");
    this.text = make("p", "decoded-text");
    this.named = make("p", "quiet named");
    box.append(this.list, this.text, this.named);
  }

  show(data) {
    this.given = data.given;
    this.named.textContent = `Tokenizer: ${data.name}`;
    this.field.area.name = data.given;
    this.field.area.setAttribute("aria-label", data.given === "ids" ? `Ids of ${data.name}` : "Text");
    this.field.show({ text: data.value, typing: data.typing });
    const names = make("li", "names");
    names.append(make("span", "", "Token"), ...data.lines.map((line) => make("span", "", DECODED_LINES[line])));
    this.list.replaceChildren(names, ...data.tokens.map((token) => this.drawToken(token, data.lines)));
    this.text.hidden = data.given !== "ids";
    const bytes = new TextEncoder().encode(data.text);
    const text = make("span", "as-text");
    text.append(...drawPieces(piecesOf(bytes, 0, bytes.length)));
    this.text.replaceChildren(make("span", "quiet", "The text: "), text);
  }

  drawToken(token, lines) {
    const item = make("li");
    item.append(chip(fromHex(token.token.hex)));
    for (const line of lines) {
      const row = make("span", line);
      row.append(make("span", "unseen", `${DECODED_LINES[line]}: `), ...this.drawLine(token, line));
      item.append(row);
    }
    return item;
  }

  drawLine(token, line) {
    const value = token[line];
    if (line === "id" || line === "bytes") return [document.createTextNode(String(value))];
    if (value === "") return [make("span", "quiet", "waits")];
    const bytes = new TextEncoder().encode(value);
    return drawPieces(piecesOf(bytes, 0, bytes.length));
  }
}

// A text, character by character, each with its code point and its bytes.

import { make } from "../../../kit/elements.js";
import { figure, quantity } from "../../../kit/words.js";
import { fromHex } from "../../encoding.js";
import { chip, codePoint } from "../../token_view/marks.js";
import { Field } from "./field.js";

export class BytesView {
  constructor(box, change) {
    this.field = new Field(box, change, "Text", 1);
    this.counts = box.appendChild(make("p", "row-head"));
    this.list = box.appendChild(make("ul", "utf8"));
    this.rest = box.appendChild(make("p", "quiet rest"));
  }

  show(data) {
    this.field.show(data);
    this.counts.replaceChildren(
      make("b", "", quantity(data.count, "character")),
      data.hidden
        ? make("span", "quiet veil", "The bytes are hidden until you answer")
        : make("b", "", quantity(data.bytes, "byte")),
    );
    this.list.replaceChildren(
      ...data.characters.map(({ code, character, bytes }) => {
        const item = make("li");
        const values = make("span", "values");
        values.append(...bytes.map((byte) => make("span", "byte", String(byte))));
        if (data.hidden) values.append(make("span", "byte unseen", "?"));
        item.append(
          chip(fromHex(character.hex)),
          make("span", "point quiet", codePoint(String.fromCodePoint(code))),
          values,
        );
        return item;
      }),
    );
    const more = data.count - data.characters.length;
    this.rest.textContent = more ? `and ${figure(more)} more` : "";
  }
}

// How Unigram chooses: the best cuts of a word, each token with the logarithm of its probability.

import { make, makeArea } from "../../../kit/elements.js";
import { fromHex } from "../../encoding.js";
import { chip } from "../../token_view/marks.js";

export class UnigramView {
  constructor(box, change) {
    this.area = box.appendChild(makeArea("Word", () => change({ text: this.area.value })));
    this.area.name = "text";
    this.list = box.appendChild(make("div", "text-rows"));
    this.list.setAttribute("role", "list");
    this.none = box.appendChild(make("p", "quiet"));
  }

  show(data) {
    if (!this.data) this.area.value = data.text;
    this.data = data;
    this.none.textContent = data.rows.length
      ? ""
      : data.word
        ? "No tokens of the vocabulary make this word."
        : "Type a word.";
    this.list.replaceChildren(
      ...data.rows.map((row, i) => {
        const line = make("div", `text-row cut-row${i ? "" : " best"}`);
        line.setAttribute("role", "listitem");
        const body = make("span", "chips");
        for (const { token, score } of row.tokens) {
          const each = make("span", "scored");
          each.append(chip(fromHex(token.hex)), make("span", "quiet", score));
          body.append(each);
        }
        const sum = make("span", "cells");
        sum.append(make("b", "", row.sum));
        line.append(make("span", "of", i ? `${i + 1}.` : "✓ chosen"), body, sum);
        return line;
      }),
    );
  }
}

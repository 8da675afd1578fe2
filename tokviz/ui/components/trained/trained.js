// Draws data = {title, corpus, facts: [[what, figure]], merges: [{left, right, count}], longest: [{token, id, bytes}],
// called}. called: what links call the tokenizer, "" if its tokens lead nowhere.

import { make, putIn } from "../../kit/elements.js";
import { figure, times } from "../../kit/words.js";
import { fromHex } from "../encoding.js";
import { linkedChip } from "../page_link.js";
import { chip, spoken } from "../token_view/marks.js";

function factsOf(rows) {
  const list = make("dl", "facts");
  for (const [what, value] of rows) {
    const row = make("div");
    row.append(make("dt", "", what), make("dd", "", value));
    list.append(row);
  }
  return list;
}

function chips(className, items, draw) {
  const list = make("ul", className);
  for (const item of items) {
    const row = make("li");
    row.append(...draw(item));
    list.append(row);
  }
  return list;
}

export default function ({ data, parentElement }) {
  const card = make("section", "tokviz card");
  const linked = (hex, id, letters) => {
    const bytes = fromHex(hex);
    return linkedChip(chip(bytes, undefined, letters), data.called, id, spoken(bytes, 0, bytes.length));
  };
  card.setAttribute("aria-label", data.title);
  card.append(make("h2", "", data.title));
  if (data.corpus) card.append(make("p", "quiet small", data.corpus));
  card.append(factsOf(data.facts));
  if (data.merges.length) {
    card.append(
      make("h3", "", "First merges"),
      chips("chip-list", data.merges, ({ left, right, ids, count }) => [
        linked(left, ids[0]),
        " + ",
        linked(right, ids[1]),
        make("span", "quiet small", ` ${times(count)}`),
      ]),
    );
  }
  if (data.longest.length) {
    card.append(
      make("h3", "", "Longest tokens"),
      chips("chip-list", data.longest, ({ token, id, bytes }) => [
        linked(token, id, 40),
        make("span", "quiet small", ` id ${figure(id)}, ${figure(bytes)} bytes`),
      ]),
    );
  }
  putIn(parentElement, card);
}

// The biography of the token that is pinned in the list. Python's answer (tokviz/ui/vocabulary/biography.py) has all of it.

import { make } from "../elements.js";
import { fromHex } from "../encoding.js";
import { chip } from "../token_view/marks.js";
import { figure } from "../words.js";

// Draw the biography into `host`. data: what Python answered. actions: pin(id) shows another token, ask(question) is a
// Promise of what the socket answers.
export function drawBiography(host, data, _actions) {
  const head = make("p");
  head.append(chip(fromHex(data.bytes)), ` id ${figure(data.id)}`);
  host.replaceChildren(head);
}

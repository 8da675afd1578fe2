// A copy of a view, for a page or a picture made from it.

import { make } from "../kit/elements.js";
import { TokenView } from "./pointing.js";

// A copy with all tokens drawn (or about the first `most`), without the marks of pointer and keys.
export function copyOfView(view, most = Infinity) {
  const copy = new TokenView(make("div"), "");
  Object.assign(copy, { ids: view.ids, hex: view.hex });
  copy.load(view.encoding, view.hueOf, view.k);
  copy.close();
  const box = make("div", view.box.className);
  let tokens = 0;
  for (const block of copy.blocks) {
    if (tokens >= most) break;
    if (!block.isDrawn) copy.dress(block);
    for (const element of [...block.element.children]) {
      if (tokens >= most) break;
      tokens += element.querySelectorAll(".t").length;
      box.append(element);
    }
  }
  for (const element of box.querySelectorAll("[role]")) {
    for (const name of ["role", "tabindex", "aria-label", "aria-roledescription"]) element.removeAttribute(name);
  }
  for (const element of box.querySelectorAll(".t")) {
    element.dataset.start = element.start;
    element.dataset.end = element.end;
    element.title = element.id_ === null ? "no id" : `id ${element.id_}`;
  }
  return { box, copy };
}

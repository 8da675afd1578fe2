// Draws data = {tone, what, wayOut}.

import { make, themeOf, unspoken } from "../../kit/elements.js";

const MARKS = { info: "i", good: "✓", warn: "!", bad: "×" };

export default function ({ data, parentElement }) {
  const note = make("div", `note ${data.tone}`);
  // A screen reader speaks an error at once; anything else when the reader comes to it.
  note.setAttribute("role", data.tone === "bad" ? "alert" : "note");
  const mark = unspoken(make("span", "mark", MARKS[data.tone]));
  const body = make("p", "body", "");
  body.append(make("b", "", data.what));
  if (data.wayOut) body.append(" ", make("span", "way-out", data.wayOut));
  note.append(mark, body);
  parentElement.querySelector(".note")?.remove();
  parentElement.append(note);
  note.style.colorScheme = themeOf(note); // a popover stands outside the app and inherits no colour scheme
}

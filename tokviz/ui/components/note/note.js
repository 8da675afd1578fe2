// Draws data = {kind, what, wayOut}. All text goes in through textContent.
const MARKS = { info: "i", good: "✓", warn: "!", bad: "×" };

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

export default function ({ data, parentElement }) {
  const note = element("div", `note ${data.kind}`, "");
  // A fault is read out at once; anything else waits until the reader comes to it.
  note.setAttribute("role", data.kind === "bad" ? "alert" : "note");
  const mark = element("span", "mark", MARKS[data.kind]);
  mark.setAttribute("aria-hidden", "true");
  const body = element("p", "body", "");
  body.append(element("b", "", data.what));
  if (data.wayOut) body.append(" ", element("span", "way-out", data.wayOut));
  note.append(mark, body);
  parentElement.querySelector(".note")?.remove();
  parentElement.append(note);
}

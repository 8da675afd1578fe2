// Draws data = {chosen, rows, others, refused}. A row is {key, name, what, loss, words, share, bar}; bar is its length, 1
// for the whole width, and null for a row that saves nothing. A refused one is {name, why}. A press sends the trigger
// `picked`, the key.

import { make, makeButton, themeOf } from "../elements.js";

function keepsOrLoses(loss) {
  const line = make("span", loss ? "loses" : "keeps");
  const mark = line.appendChild(make("span", "mark", loss ? "!" : "✓"));
  mark.setAttribute("aria-hidden", "true");
  line.append(make("b", "", loss ? "Lost: " : "Lossless"), loss);
  return line;
}

function rowOf({ key, name, what, loss, words, share, bar }, chosen, pick) {
  const row = makeButton(bar === null ? "row" : "row saves", "", () => pick(key));
  row.setAttribute("aria-pressed", String(key === chosen));
  const told = row.appendChild(make("span", "told"));
  told.append(make("b", "name", name), make("span", "quiet", what), keepsOrLoses(loss));
  const amount = row.appendChild(make("span", "amount"));
  amount.append(make("b", "", words));
  if (share) amount.append(" ", make("span", "quiet", share));
  if (bar !== null) amount.appendChild(make("span", "bar")).style.width = `${100 * bar}%`;
  const item = make("li");
  item.append(row);
  return item;
}

function listOf(title, rows) {
  const list = make("ul");
  list.setAttribute("aria-label", title);
  list.append(...rows);
  return list;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { chosen, rows, others, refused } = data;
  const drawn = (some) => some.map((row) => rowOf(row, chosen, (key) => setTriggerValue("picked", key)));
  const old = parentElement.querySelector(".rewrites");
  const held = [...(old?.querySelectorAll(".row") ?? [])].findIndex((row) => row.matches(":focus"));
  const root = make("div", "tokviz rewrites");
  if (rows.length) root.append(listOf("Rewrites that save tokens", drawn(rows)));
  if (others.length) {
    root.append(
      make("h3", "quiet", "Rewrites that save nothing here"),
      listOf("Rewrites that save nothing", drawn(others)),
    );
  }
  if (refused.length) {
    const lines = refused.map(({ name, why }) => {
      const item = make("li", "refused quiet");
      item.append(make("b", "", `${name}: `), why);
      return item;
    });
    root.append(make("h3", "quiet", "Not possible here"), listOf("Not possible", lines));
  }
  old?.remove();
  parentElement.append(root);
  root.dataset.theme = themeOf(root);
  root.querySelectorAll(".row")[held]?.focus(); // a new list has the focus where the old one had it
}

// Draws data = {choices: [{key, title, files, keeps, loses, remarks, refused}], chosen}. A press sets the state "format".

import { make, putIn } from "../../kit/elements.js";

let drawn = 0; // radio buttons of one group share a name, and no other group may have it

function line(word, text, className) {
  const row = make("span", "line");
  row.append(make("b", className, word), ` ${text}`);
  return row;
}

function option({ key, title, files, keeps, loses, remarks, refused }, chosen, name, press) {
  const label = make("label", key === chosen ? "option chosen" : "option");
  const radio = label.appendChild(make("input"));
  Object.assign(radio, { type: "radio", name, value: key, checked: key === chosen, disabled: Boolean(refused) });
  radio.addEventListener("change", () => press(key));
  const words = label.appendChild(make("span", "words"));
  const head = words.appendChild(make("span", "line"));
  head.append(make("b", "", title), " ", make("span", "quiet", files));
  if (refused) {
    label.classList.add("refused");
    words.append(line("refused", refused, "bad"));
  } else {
    words.append(line("keeps", keeps, "good"));
    words.append(loses ? line("loses", loses, "warn") : make("span", "line quiet", "loses nothing"));
    if (remarks && key === chosen) words.append(make("span", "line quiet", remarks));
  }
  return label;
}

export default function ({ data, parentElement, setStateValue }) {
  const { choices, chosen } = data;
  const before = parentElement.querySelector("fieldset");
  const focused = before?.querySelector("input:focus")?.value; // the redrawn group keeps the focus
  const group = make("fieldset", "tokviz");
  const name = before?.dataset.name ?? `format${++drawn}`;
  group.dataset.name = name;
  group.append(make("legend", "unseen", "Format"));
  group.append(...choices.map((choice) => option(choice, chosen, name, (key) => setStateValue("format", key))));
  putIn(parentElement, group);
  if (focused) group.querySelector(`input[value="${chosen}"]`)?.focus();
}

// Draws data = {parts: [{key, n, of: {name, series, glyph} or null, pressed}], remarks: [sentence], query}: the parts as
// buttons in a row, and below them the remarks and Copy link. A press on a part sends the trigger `asked`, its key.

import { copyText } from "../copy_and_save.js";
import { keepFromPage, make, makeButton, seriesMark, themeOf } from "../elements.js";
import { figure } from "../words.js";

function partOf({ key, n, of, pressed }, ask) {
  const button = makeButton(`part ${of ? "one" : "both"}`, "", () => ask(key));
  button.dataset.key = key;
  button.setAttribute("aria-pressed", String(pressed));
  button.style.flexGrow = n;
  const words = make("span", "words", of ? "only " : "shared");
  if (of) {
    button.style.setProperty("--of", `var(--k-${of.series})`);
    const name = make("bdi", "", of.name);
    words.append(seriesMark(of), " ", name);
    button.title = of.name;
  }
  button.append(make("b", "", figure(n)), " ", words);
  return button;
}

function footOf({ remarks, query }) {
  const foot = make("div", "foot");
  const words = foot.appendChild(make("div", "remarks quiet"));
  words.append(...remarks.map((remark) => make("p", "", remark)));
  const status = make("span", "quiet");
  status.setAttribute("role", "status");
  const address = () => `${location.origin}${location.pathname}?${query}`;
  const copy = makeButton("copy", "Copy link", () => copyText(address(), status, "The link is copied."));
  foot.append(status, copy);
  return foot;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const old = parentElement.querySelector(".overlay-bar");
  const held = old?.getRootNode().activeElement?.dataset.key;
  const root = make("div", "tokviz overlay-bar");
  const row = root.appendChild(make("div", "parts"));
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Which tokens are shown");
  row.append(...data.parts.map((part) => partOf(part, (key) => setTriggerValue("asked", key))));
  root.append(footOf(data));
  root.addEventListener("keydown", keepFromPage);
  old?.remove();
  parentElement.append(root);
  root.dataset.theme = themeOf(root);
  if (held) root.querySelector(`[data-key="${held}"]`)?.focus();
}

// Draws data = {title, words, tokens: [{hex, bytes, id, words}]} as chips in lines. A press on one sends the trigger
// `asked`, its id. One chip is in the tab order; the arrow keys lead to the others.

import { keepFromPage, make, makeButton, themeOf } from "../elements.js";
import { fromHex } from "../encoding.js";
import { home } from "../hues.js";
import { bytesInWords, chip, spoken } from "../token_view/marks.js";
import { showWhole } from "../token_view/whole.js";

const LETTERS = 24;

function chipOf({ hex, bytes, id, words }, ask) {
  const data = fromHex(hex);
  const drawn = chip(data, home(data), LETTERS);
  const written = bytesInWords(data, bytes);
  const button = makeButton("token", "", () => ask(id), `${spoken(data, 0, data.length)}, ${words}, ${written}`);
  button.tabIndex = -1;
  button.title = `${words}; ${written}`;
  drawn.setAttribute("aria-hidden", "true");
  button.append(drawn);
  return button;
}

// The chip that a key leads to: up and down to the nearest in the next line.
function nextOf(chips, from, key) {
  const place = chips.indexOf(from);
  const steps = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: chips.length - 1 };
  if (key in steps) return chips[steps[key]];
  const down = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!down) return undefined;
  const [here, far] = [from.getBoundingClientRect(), (chip) => Math.abs(chip.getBoundingClientRect().left - here.left)];
  const beyond = chips.filter((chip) => down * (chip.getBoundingClientRect().top - here.top) > 4);
  const line = beyond.at(down > 0 ? 0 : -1)?.getBoundingClientRect().top;
  const near = beyond.filter((chip) => Math.abs(chip.getBoundingClientRect().top - line) < 4);
  return near.sort((one, other) => far(one) - far(other))[0];
}

function walk(event, chips) {
  keepFromPage(event);
  const next = nextOf(chips, event.target, event.key);
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  for (const one of chips) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = make("section", "tokviz overlay-tokens");
  root.setAttribute("aria-label", data.title);
  root.append(make("h3", "", data.title));
  if (data.words) root.append(make("p", "quiet", data.words));
  const ask = (id) => {
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // a press leads to another view
    setTriggerValue("asked", id);
  };
  const chips = data.tokens.map((token) => chipOf(token, ask));
  if (chips.length) chips[0].tabIndex = 0;
  const list = root.appendChild(make("ul"));
  for (const one of chips) list.appendChild(make("li")).append(one);
  list.addEventListener("keydown", (event) => walk(event, chips));
  parentElement.querySelector(".overlay-tokens")?.remove();
  parentElement.append(root);
  const hideWhole = showWhole(root);
  root.dataset.theme = themeOf(root);
  return hideWhole;
}

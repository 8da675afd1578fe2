// Draws data = {across, level, called, cards: [{key, title, words, framed, button, groups}]}. A group is {heading, none,
// rows}, a row {tokens: [{hex, bytes}], words, strong, id, sum, ids}. A press sends the trigger `asked` = {card, id};
// the id is null for the button of a card.

import { make, makeButton, putIn, sign } from "../../kit/elements.js";
import { fromHex } from "../encoding.js";
import { home, pairHues } from "../hues.js";
import { linkedChip } from "../page_link.js";
import { bytesInWords, chip, spoken } from "../token_view/marks.js";
import { showWhole } from "../token_view/whole.js";

const LETTERS = 100; // of a token, before the style cuts it to the room that there is

// The chips of a row, with a plus between them if they are a sum. Only links to tokens go on to another line.
// Screen readers hear the words beside them, because a mark or a byte has no text of its own, and those of links.
function chipsOf({ tokens, sum, ids }, called) {
  const bytes = tokens.map(({ hex }) => fromHex(hex));
  const hues = bytes.length === 2 ? pairHues(...bytes) : bytes.map((token) => home(token));
  const box = make("span", "tokens");
  for (const [i, token] of bytes.entries()) {
    if (i && sum) box.append(hidden(sign("+", "and")));
    const drawn = chip(token, hues[i], LETTERS);
    drawn.dataset.bytes = bytesInWords(token, tokens[i].bytes);
    box.append(linkedChip(hidden(drawn), called, ids[i] ?? null, spoken(token, 0, token.length)));
  }
  return box;
}

function hidden(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

function rowOf(row, called, ask) {
  const { tokens, words, strong, id } = row;
  const item = make("li");
  const line = item.appendChild(id === null ? make("div", "row") : makeButton("row", "", () => ask(id)));
  const told = make("span", strong ? "told quiet" : "told", words);
  if (strong) told.append(make("b", "", strong));
  const names = tokens.map(({ hex }) => fromHex(hex)).map((token) => spoken(token, 0, token.length));
  const said = make("span", "unseen", `${names.join(" and ")}${words || strong ? ", " : ""}`);
  line.append(chipsOf(row, called), said, told);
  const described = tokens.map(({ hex, bytes }) => bytesInWords(fromHex(hex), bytes));
  line.setAttribute("aria-description", described.join("; "));
  return item;
}

function groupOf({ heading, none, rows }, level, draw) {
  const group = make("div", "group");
  if (heading) group.append(make(`h${level + 1}`, "heading quiet", heading));
  if (rows.length) group.appendChild(make("ul")).append(...rows.map(draw));
  else if (none) group.append(make("p", "none", none));
  return group;
}

function cardOf(card, { level, called }, ask) {
  const { key, title, words, framed, button, groups } = card;
  const element = make("section", framed ? "card" : "card bare");
  if (title) element.setAttribute("aria-label", title);
  const head = element.appendChild(make("div", "head"));
  if (title) head.appendChild(make(`h${level}`, "title", title)).dir = "auto";
  if (words) head.append(make("p", "quiet", words));
  const draw = (row) => rowOf(row, called, (id) => ask(key, id));
  element.append(...groups.map((group) => groupOf(group, level, draw)));
  if (button) {
    const foot = element.appendChild(make("div", "foot"));
    foot.append(makeButton("more", button, () => ask(key, null), `${button}: ${title}`));
  }
  return element;
}

// How many parts of a card stand in line with those of its neighbours.
const partsOf = ({ groups, button }) => 1 + groups.length + (button ? 1 : 0);

// A chip that is cut shows the whole of it in a sheet; any other shows its bytes as a title.
function nameBytes({ target }) {
  const near = target.closest?.(".chip");
  if (near) near.title = near.cut || near.scrollWidth > near.clientWidth + 1 ? "" : near.dataset.bytes;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const ask = (card, id) => {
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // a press leads to another view
    setTriggerValue("asked", { card, id });
  };
  const root = make("div", "tokviz token-rows");
  const grid = root.appendChild(make("div", "grid"));
  grid.style.setProperty("--across", data.across);
  grid.style.setProperty("--parts", Math.max(1, ...data.cards.map(partsOf)));
  grid.append(...data.cards.map((card) => cardOf(card, data, ask)));
  grid.addEventListener("pointerover", nameBytes);
  putIn(parentElement, root);
  return showWhole(root);
}

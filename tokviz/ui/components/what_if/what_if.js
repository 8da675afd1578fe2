// Draws data = {merge}, one merge in a line, or {headline, histories, rows, lists, shared}, two histories where they part.
// A merge is {left, right, merge, count, tied}, tokens as hex; `histories` are their names.

import { make, putIn, setAttributes, sign } from "../../kit/elements.js";
import { figure, quantity } from "../../kit/words.js";
import { fromHex } from "../encoding.js";
import { pairHues } from "../hues.js";
import { chip } from "../token_view/marks.js";
import { showWhole } from "../token_view/whole.js";

// "l + l → ll"
function made({ left, right }) {
  const line = make("span", "made");
  const hues = pairHues(fromHex(left), fromHex(right));
  line.append(
    chip(fromHex(left), hues[0]),
    sign("+", "and"),
    chip(fromHex(right), hues[1]),
    sign("→", "make"),
    chip(fromHex(left + right)),
  );
  return line;
}

function oneMerge(merge) {
  const line = make("p", "one");
  line.append(
    make("b", "", `Merge ${figure(merge.merge)}:`),
    made(merge),
    make("span", "quiet", `pair count ${figure(merge.count)}`),
  );
  return line;
}

function cell(row, text, className = "") {
  const element = row.appendChild(make("td", className));
  element.append(text);
  return element;
}

function historyCells(row, merge) {
  if (!merge) {
    cell(row, "no more merges", "quiet").colSpan = 2;
    return;
  }
  cell(row, made(merge));
  const count = cell(row, figure(merge.count), "figure");
  if (merge.tied > 1) count.append(make("span", "tied", `, ${figure(merge.tied)} tied`));
}

function historiesOf({ rows, histories }) {
  const box = make("div", "scroll");
  box.tabIndex = 0;
  setAttributes(box, { role: "group", "aria-label": "The merges around the first that differs" });
  const table = box.appendChild(make("table"));
  const head = table.appendChild(make("thead")).appendChild(make("tr"));
  const title = (text, className = "") => {
    head.appendChild(make("th", className, text)).scope = "col";
  };
  title("Merge", "figure");
  for (const history of histories) {
    title(history);
    title("Count", "figure");
  }
  const body = table.appendChild(make("tbody"));
  for (const { merge, same, parts, before, after } of rows) {
    const row = body.appendChild(make("tr", parts ? "parts" : same ? "same" : ""));
    const number = row.appendChild(make("th", "figure", figure(merge)));
    number.scope = "row";
    if (parts) number.append(make("span", "unseen", ", here they part"));
    historyCells(row, before);
    historyCells(row, after);
  }
  return box;
}

function listOf({ title, n, tokens }) {
  const part = make("div", "alone");
  part.append(make("h3", "", `${title}: ${quantity(n, "token")}`));
  if (!n) part.append(make("p", "quiet small", "None."));
  const list = part.appendChild(make("ul", "chip-list"));
  for (const { token, merge } of tokens) {
    const item = list.appendChild(make("li"));
    item.append(chip(fromHex(token), undefined, 40), make("span", "quiet small", ` merge ${figure(merge)}`));
  }
  if (n > tokens.length) part.append(make("p", "quiet small", `And ${figure(n - tokens.length)} more, in the CSV.`));
  return part;
}

export default function ({ data, parentElement }) {
  const root = make("section", "tokviz what-if");
  if (data.merge) {
    root.append(oneMerge(data.merge));
  } else {
    root.setAttribute("aria-label", data.headline);
    root.append(make("h2", "", data.headline));
    if (data.rows.length) {
      root.append(historiesOf(data));
      const shared = `${figure(data.shared)} ${data.shared === 1 ? "token is" : "tokens are"} in both, some under another number.`;
      root.append(make("p", "quiet small shared", shared));
      const lists = root.appendChild(make("div", "lists"));
      lists.append(...data.lists.map(listOf));
    }
  }
  putIn(parentElement, root);
  return showWhole(root);
}

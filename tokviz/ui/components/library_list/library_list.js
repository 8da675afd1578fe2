// Draws data = {groups: [{title, word, empty, rows}]}. A row is {key, name, kind, size, pattern, origin, under, mark,
// fault, button: {what, label}, command, remarks}; under is shown below the name on a phone. A press sends the trigger
// `asked` = {what, key}.

import { copyText } from "../../kit/copy_and_save.js";
import { asStatus, make, makeButton, putIn, seriesMark } from "../../kit/elements.js";

const HEADS = ["Name", "Kind", "Size", "Pattern", "Origin", "Action"];
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

function head() {
  const row = make("tr");
  for (const title of HEADS) {
    const cell = row.appendChild(make("th", title.toLowerCase()));
    cell.scope = "col";
    cell.append(title === "Action" ? make("span", "unseen", title) : title);
  }
  const table = make("thead");
  table.append(row);
  return table;
}

function across(tag, className, ...content) {
  const row = make("tr", className);
  const cell = row.appendChild(make(tag));
  cell.colSpan = HEADS.length;
  cell.append(...content);
  return row;
}

// A name can be in any script, so its direction is its own.
function named(row, ask) {
  const name = make(row.command || row.fault ? "span" : "a", "called", row.name);
  name.dir = "auto";
  name.title = row.name;
  if (name.matches("a")) {
    name.href = `?open=${encodeURIComponent(row.address)}`;
    name.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window
      event.preventDefault();
      ask("open", row.key);
    });
  }
  return name;
}

function nameCell(row, ask) {
  const cell = make("th", "name");
  cell.scope = "row";
  const mark = row.mark ? seriesMark(row.mark) : make("span", "mark");
  const origin = make("span", row.fault ? "under fault" : "under", row.fault || row.under);
  origin.dir = "auto";
  cell.append(mark, named(row, ask), origin);
  return cell;
}

// The command that installs a package, in a row of its own below.
function commandRow({ name, command, remarks }) {
  const status = asStatus(make("span", "quiet"));
  const copy = makeButton("", "Copy", () => copyText(command, status), `Copy the command for ${name}`);
  const told = remarks.map((remark) => make("p", "quiet", remark));
  const row = across("td", "how", make("code", "", command), copy, status, ...told);
  row.hidden = true;
  return row;
}

function rowsOf(row, ask) {
  const line = make("tr", row.fault ? "damaged" : "");
  line.append(nameCell(row, ask));
  for (const part of ["kind", "size", "pattern", "origin"]) {
    const shown = part === "origin" && row.fault ? row.fault : row[part];
    line.appendChild(make("td", part, shown)).dir = part === "origin" ? "auto" : "ltr";
  }
  const action = line.appendChild(make("td", "action"));
  if (row.command) {
    const below = commandRow(row);
    const how = makeButton("", "How to", () => show(below.hidden), `How to install ${row.name}`);
    const show = (shown) => {
      below.hidden = !shown;
      how.setAttribute("aria-expanded", String(shown));
    };
    show(false);
    action.append(how);
    return [line, below];
  }
  if (row.button) {
    const { what, label } = row.button;
    action.append(makeButton("", label, () => ask(what, row.key), `${label} ${row.name}`));
  }
  return [line];
}

function groupOf({ title, word, empty, rows }, ask) {
  const group = make("tbody");
  const heading = across("th", "group", title);
  heading.firstChild.scope = "rowgroup";
  if (word) heading.firstChild.append(make("span", "quiet", word));
  group.append(heading, ...rows.flatMap((row) => rowsOf(row, ask)));
  if (!rows.length) group.append(across("td", "none quiet", empty));
  return group;
}

// Up and down go to the same place of the next row, Home and End to the first and the last.
function walk(event, table) {
  const step = STEPS[event.key];
  const kind = event.target.matches("a") ? ".called" : ".action button";
  if (!step || !event.target.matches(kind)) return;
  const places = [...table.querySelectorAll(kind)].filter((place) => place.matches("a, button"));
  const next = places.indexOf(event.target) + step;
  event.preventDefault();
  places[Math.max(0, Math.min(places.length - 1, next))].focus();
}

// A new table has the focus where the old one had it. If that row is gone, the row in its place gets it.
function focusOf(table) {
  const held = table?.getRootNode().activeElement;
  const all = (root) => [...root.querySelectorAll("a, button")];
  const label = (element) => `${element.localName} ${element.getAttribute("aria-label") || element.textContent}`;
  if (!held || !table.contains(held)) return () => {};
  const place = all(table).indexOf(held);
  return (next) => {
    const found = all(next);
    (found.find((one) => label(one) === label(held)) ?? found[Math.min(place, found.length - 1)])?.focus();
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const ask = (what, key) => {
    if (what === "open") document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    setTriggerValue("asked", { what, key });
  };
  const table = make("table");
  table.setAttribute("aria-label", "Tokenizers");
  table.append(head(), ...data.groups.map((group) => groupOf(group, ask)));
  table.addEventListener("keydown", (event) => walk(event, table));
  const focus = focusOf(parentElement.querySelector(".library"));
  const root = make("div", "tokviz library");
  root.append(table);
  putIn(parentElement, root);
  focus(root);
}

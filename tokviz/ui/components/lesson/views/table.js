// A small table: a heading for each column, and in a cell a text, a figure, a bar with its figure, or an element.

import { make, seriesMark } from "../../../kit/elements.js";
import { figure } from "../../../kit/words.js";

// columns: [{title, figure: is it a number, bar: the largest number of the column, narrow: false where a phone leaves it
// out}]. rows: [[cell]], the first one the name of the row: {name, glyph, series, note}.
export function drawTable(columns, rows) {
  const table = make("table", "figures");
  const head = table.appendChild(make("thead")).appendChild(make("tr"));
  for (const column of columns) {
    const cell = head.appendChild(make("th", classOf(column), column.title));
    cell.scope = "col";
  }
  const body = table.appendChild(make("tbody"));
  for (const row of rows) {
    const line = body.appendChild(make("tr"));
    row.forEach((value, i) => {
      line.append(i ? drawCell(value, columns[i]) : drawName(value));
    });
  }
  return table;
}

const classOf = ({ figure: number, narrow }) =>
  `${number ? "amount" : ""}${narrow === false ? " wide-only" : ""}`.trim();

function drawName({ name, glyph, series, note }) {
  const cell = make("th");
  cell.scope = "row";
  if (glyph) cell.append(seriesMark({ glyph, series }));
  cell.append(make("span", "", name));
  if (note) cell.title = note;
  return cell;
}

function drawCell(value, column) {
  const cell = make("td", classOf(column));
  if (value instanceof Element) cell.append(value);
  else if (value === null || value === undefined || value === "") cell.append(make("span", "quiet", "–"));
  else if (typeof value === "number" && column.bar) {
    const bar = make("span", "bar");
    bar.style.width = `${Math.max(1, (100 * value) / column.bar)}%`;
    const room = make("span", "bar-room");
    room.append(bar);
    cell.classList.add("with-bar");
    cell.append(room, make("span", "", figure(value)));
  } else cell.append(typeof value === "number" ? figure(value) : value);
  return cell;
}

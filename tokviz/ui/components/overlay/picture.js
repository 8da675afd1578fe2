// Draws data = {title, across, up, bins: [[column, row, count, step]], chosen: [column, row] or null, scale: [[step, least,
// most]]}. An axis is {of: {name, series, glyph}, bins: [words], ticks: [[rank, place]]}, and a place is from 0 to 1.
// A press on a bin sends the trigger `asked` = [column, row]. Only bins with merges in them are drawn.

import { byTouch, keepFromPage, make, seriesMark, shape, themeOf } from "../elements.js";
import { figure, quantity } from "../words.js";

const NEAR = 24; // px from a bin within which a press counts as meant for it
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const partOfAxis = (share) => `${100 * share}%`;

// A bin in words, for the line below the picture and for screen readers.
function saidOf({ across, up }, [column, row, count]) {
  const ranks = [across.bins[column], up.bins[row]].map((words) =>
    words.includes(" ") ? `ranks ${words}` : `rank ${words}`,
  );
  return `${quantity(count, "merge")}: ${ranks[0]} in ${across.of.name}, ${ranks[1]} in ${up.of.name}`;
}

function cellOf(data, bin) {
  const [column, row, , step] = bin;
  const cell = make("span", `bin s${step}`);
  cell.setAttribute("role", "button");
  cell.setAttribute("aria-label", saidOf(data, bin));
  cell.setAttribute("aria-pressed", String(data.chosen?.[0] === column && data.chosen?.[1] === row));
  cell.tabIndex = -1;
  cell.bin = bin;
  cell.style.left = partOfAxis(column / data.across.bins.length);
  cell.style.bottom = partOfAxis(row / data.up.bins.length);
  return cell;
}

function ticksOf({ ticks }, className, side) {
  return ticks.map(([rank, place]) => {
    const tick = make("span", `tick ${className}`, figure(rank));
    tick.style[side] = partOfAxis(place);
    return tick;
  });
}

function lineOfEqualRank({ across, up }) {
  const [columns, rows] = [across.bins.length, up.bins.length];
  const end = Math.min(columns, rows);
  const drawing = shape("svg", {
    viewBox: `0 0 ${columns} ${rows}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  drawing.append(shape("line", { x1: 0, y1: rows, x2: end, y2: rows - end, "vector-effect": "non-scaling-stroke" }));
  return drawing;
}

// The bin that an arrow leads to: in this direction, and the nearest; a step to the side counts as much as three ahead.
function nextOf(cells, [column, row], [right, up]) {
  const far = ({ bin }) => {
    const [dx, dy] = [bin[0] - column, bin[1] - row];
    const ahead = dx * right + dy * up;
    return ahead > 0 ? ahead + 3 * Math.abs(right ? dy : dx) : Infinity;
  };
  const best = cells.reduce((near, cell) => (far(cell) < far(near) ? cell : near));
  return far(best) === Infinity ? null : best;
}

// The bin at a place of the window, or the nearest within NEAR.
function binAt(cells, { clientX, clientY }) {
  let [best, least] = [null, NEAR];
  for (const cell of cells) {
    const box = cell.getBoundingClientRect();
    const dx = Math.max(box.left - clientX, 0, clientX - box.right);
    const dy = Math.max(box.top - clientY, 0, clientY - box.bottom);
    if (Math.hypot(dx, dy) < least) [best, least] = [cell, Math.hypot(dx, dy)];
  }
  return best;
}

function plotOf(data, ask, tell) {
  const plot = make("div", "plot");
  const [columns, rows] = [data.across.bins.length, data.up.bins.length];
  for (const [name, value] of Object.entries({ columns, rows })) plot.style.setProperty(`--${name}`, value);
  const cells = data.bins.map((bin) => cellOf(data, bin));
  const grid = data.up.ticks.map(([, place]) => {
    const rule = make("span", "rule");
    rule.style.bottom = partOfAxis(place);
    return rule;
  });
  plot.append(...grid, ...cells, lineOfEqualRank(data));
  plot.append(...ticksOf(data.across, "below", "left"), ...ticksOf(data.up, "beside", "bottom"));
  const stop = cells.find((cell) => cell.getAttribute("aria-pressed") === "true") ?? cells.at(-1);
  if (stop) stop.tabIndex = 0;
  const go = (cell) => {
    for (const one of cells) one.tabIndex = one === cell ? 0 : -1;
    cell.focus({ preventScroll: true });
  };
  plot.addEventListener("keydown", (event) => {
    keepFromPage(event);
    const from = event.target;
    if (!from.bin || event.ctrlKey || event.altKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    const end = { Home: cells[0], End: cells.at(-1) }[event.key];
    const next = arrow ? nextOf(cells, from.bin, arrow) : end;
    if (event.key === "Enter" || event.key === " ") ask(from.bin);
    else if (next) go(next);
    else if (!arrow) return;
    event.preventDefault();
  });
  plot.addEventListener("click", (event) => {
    const cell = binAt(cells, event);
    if (!cell) return;
    go(cell);
    ask(cell.bin);
  });
  const hover = (cell) => {
    for (const one of cells) one.classList.toggle("near", one === cell);
    tell(cell ? saidOf(data, cell.bin) : "");
  };
  plot.addEventListener("focusin", ({ target }) => target.bin && tell(saidOf(data, target.bin)));
  plot.addEventListener("focusout", () => tell(""));
  plot.addEventListener("pointermove", (event) => hover(binAt(cells, event)));
  plot.addEventListener("pointerleave", () => hover(null));
  return plot;
}

function scaleOf(scale) {
  const line = make("div", "scale");
  line.append(make("span", "quiet", "Merges in a bin:"));
  for (const [step, least, most] of scale) {
    const item = line.appendChild(make("span", "shade"));
    item.append(
      make("span", `swatch s${step}`),
      least === most ? figure(least) : `${figure(least)} to ${figure(most)}`,
    );
  }
  return line;
}

function nameOf({ of }) {
  const name = make("span", "name");
  name.append("rank in ", seriesMark(of), " ", make("bdi", "", of.name));
  return name;
}

function wordsOf({ across, up }) {
  const words = make("p", "quiet words");
  const [right, above] = [nameOf(across), nameOf(up)];
  words.append("The ", above, " goes up, the ", right, " to the right, both on log scales. ");
  words.append("The stronger the colour, the more merges. On the line, the ranks are equal.");
  return words;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const old = parentElement.querySelector(".overlay-picture");
  const held = old?.getRootNode().activeElement?.bin;
  const root = make("section", "tokviz overlay-picture");
  root.setAttribute("aria-label", data.title);
  const usual = byTouch() ? "Tap a bin for its tokens" : "Click a bin for its tokens, or go to it with the arrow keys";
  const said = make("p", "said quiet", usual);
  const tell = (words) => {
    said.textContent = words || usual;
  };
  const across = make("p", "quiet across");
  across.append(nameOf(data.across));
  const up = make("p", "quiet up");
  up.append(nameOf(data.up));
  root.append(
    make("h3", "", data.title),
    wordsOf(data),
    up,
    plotOf(data, ([column, row]) => setTriggerValue("asked", [column, row]), tell),
    across,
    said,
    scaleOf(data.scale),
  );
  old?.remove();
  parentElement.append(root);
  root.dataset.theme = themeOf(root);
  if (held) {
    const cell = [...root.querySelectorAll(".bin")].find(({ bin }) => bin[0] === held[0] && bin[1] === held[1]);
    cell?.focus({ preventScroll: true });
  }
}

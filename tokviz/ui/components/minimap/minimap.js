// Draws data = {name, bytes, at, window, rows: [{name, series, glyph, values}]}: the tokens per byte in each stretch
// of a file. A click or a key chooses a stretch; when the choice has rested, Python is told the byte.

import { byTouch, make, putIn, shape } from "../../kit/elements.js";
import { figure, rate } from "../../kit/words.js";

const REST = 250; // ms without another choice
const TALL = 30; // px of a row
const states = new WeakMap(); // parentElement -> {at, timer, tell, data}

function areaOf(values, highest) {
  const points = values.map((value, i) => `L${i} ${TALL - (TALL * value) / highest}H${i + 1}`);
  return shape("path", { d: `M0 ${TALL}${points.join("")}V${TALL}Z` });
}

function rowOf({ name, series, glyph, values }, highest) {
  const row = make("div", "row");
  const who = make("span", "who");
  const mark = make("span", "", `${glyph} `);
  mark.style.color = `var(--k-${series})`;
  who.append(mark, make("b", "", name));
  const viewBox = `0 0 ${values.length} ${TALL}`;
  const drawing = shape("svg", { viewBox, preserveAspectRatio: "none", "aria-hidden": "true" });
  const area = areaOf(values, highest);
  area.style.fill = `var(--k-${series})`;
  drawing.append(area);
  row.append(who, drawing, make("span", "value"));
  return row;
}

// Show the chosen place in the map, in words, and to a screen reader.
function showPlace(state) {
  const { data, places, map, at } = state;
  const stretches = data.rows[0].values.length;
  const stretch = Math.min(Math.floor((at * stretches) / data.bytes), stretches - 1);
  const lines = map.querySelectorAll(".row");
  const frame = lines[0].querySelector("svg").getBoundingClientRect();
  const outer = places.parentElement.getBoundingClientRect();
  places.style.left = `${frame.left - outer.left}px`;
  places.style.width = `${frame.width}px`;
  const here = map.querySelector(".here");
  here.style.left = `${frame.left - outer.left + (frame.width * (stretch + 0.5)) / stretches}px`;
  here.style.width = `${Math.max(frame.width / stretches, 6)}px`;
  data.rows.forEach((row, i) => {
    const value = lines[i].querySelector(".value");
    value.replaceChildren(rate(row.values[stretch]), make("span", "unit", " tokens/byte"));
  });
  const said = data.rows.map((row) => `${row.name} ${rate(row.values[stretch])}`).join(", ");
  places.setAttribute("aria-valuenow", String(at));
  places.setAttribute(
    "aria-valuetext",
    `byte ${figure(Math.round(at))} of ${figure(data.bytes)}; tokens per byte: ${said}`,
  );
  map.querySelector(".place").textContent = `Byte ${figure(Math.round(at))} of ${figure(data.bytes)}`;
}

function go(state, at) {
  state.at = Math.max(0, Math.min(Math.floor(at), state.data.bytes - 1));
  showPlace(state);
  clearTimeout(state.timer);
  state.timer = setTimeout(() => state.tell("looked", state.at), REST);
}

function onKey(event, state) {
  const step = state.data.bytes / state.data.rows[0].values.length;
  const to = {
    ArrowLeft: state.at - step,
    ArrowDown: state.at - step,
    ArrowRight: state.at + step,
    ArrowUp: state.at + step,
    PageDown: state.at - 10 * step,
    PageUp: state.at + 10 * step,
    Home: 0,
    End: state.data.bytes - 1,
  }[event.key];
  if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  go(state, to);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const state = states.get(parentElement) ?? { at: data.at, timer: 0 };
  states.set(parentElement, state);
  if (state.data?.name !== data.name || state.data?.at !== data.at) state.at = data.at;
  Object.assign(state, { data, tell: setTriggerValue });

  const map = make("section", "tokviz map");
  map.setAttribute("aria-label", `Tokens per byte along ${data.name}`);
  const highest = Math.max(...data.rows.flatMap((row) => row.values), 0.01);
  const rows = make("div", "rows");
  rows.append(...data.rows.map((row) => rowOf(row, highest)));
  const places = make("div", "places");
  places.tabIndex = 0;
  places.setAttribute("role", "slider");
  places.setAttribute("aria-label", "Place in the file");
  places.setAttribute("aria-valuemin", "0");
  places.setAttribute("aria-valuemax", String(data.bytes - 1));
  places.addEventListener("keydown", (event) => onKey(event, state));
  places.addEventListener("pointerdown", (event) => {
    const box = places.getBoundingClientRect();
    go(state, ((event.clientX - box.left) / box.width) * data.bytes);
  });
  const said = make("p", "said");
  said.append(
    make("span", "place"),
    make("span", "", `${byTouch() ? "Tap" : "Click or use the arrow keys"} to see the text of that place below`),
  );
  rows.append(places, make("div", "here"));
  map.append(rows, said);

  const old = parentElement.querySelector(".map");
  const focused = parentElement.activeElement ?? old?.getRootNode().activeElement;
  const keep = focused?.classList?.contains("places");
  putIn(parentElement, map);
  Object.assign(state, { map, places });
  showPlace(state);
  if (keep) places.focus({ preventScroll: true });
  state.sizes?.disconnect();
  state.sizes = new ResizeObserver(() => showPlace(state));
  state.sizes.observe(map);
  return () => {
    clearTimeout(state.timer);
    state.sizes.disconnect();
  };
}

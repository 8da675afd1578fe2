// Room for numbers: where disagreements stand close together, the text is widened until each has room for its number.

// How much wider graphemes have to be. stops: where each stands without additional room, as measured_text.js measures
// them; regions: [start, end] in bytes; least(i): the least width of region i in px. Returns first byte of the grapheme
// -> {extra, edges}: the px to add to it, and [byte, share of its width] of each boundary of a region inside it.
export function roomFor(stops, regions, least) {
  const cells = new Map(); // place of the grapheme -> its parts in regions: {from, to, width, extra}
  let first = 0;
  regions.forEach(([start, end], i) => {
    while (first < stops.length && stops[first].end <= start) first++;
    const runs = []; // of parts that stand side by side; the number stands below the widest run
    for (let at = first; at < stops.length && stops[at].start < end; at++) {
      const stop = stops[at];
      const [from, to] = [Math.max(start, stop.start), Math.min(end, stop.end)];
      const cell = { from, to, width: widthOf(stop, from, to), extra: 0 };
      if (isBeside(stops[at - 1], stop) && runs.length) runs.at(-1).push(cell);
      else runs.push([cell]);
      cells.set(at, [...(cells.get(at) || []), cell]);
    }
    if (!runs.length) return;
    const widths = runs.map((run) => run.reduce((sum, { width }) => sum + width, 0));
    const widest = runs[widths.indexOf(Math.max(...widths))];
    const missing = least(i) - Math.max(...widths);
    if (missing > 0) for (const cell of widest) cell.extra = missing / widest.length;
  });
  const room = new Map();
  for (const [at, parts] of cells) {
    const extra = parts.reduce((sum, part) => sum + part.extra, 0);
    if (extra) room.set(stops[at].start, { extra, edges: edgesOf(stops[at], parts, extra) });
  }
  return room;
}

// A word that is read from right to left can stand elsewhere than beside the word before it.
const isBeside = (before, stop) =>
  before?.row === stop.row && (Math.abs(before.right - stop.left) < 2 || Math.abs(stop.right - before.left) < 2);

const widthOf = ({ start, end, left, right }, from, to) => ((to - from) / (end - start)) * (right - left);

// [byte, share] from the first byte of the grapheme to its end.
function edgesOf(stop, parts, extra) {
  const whole = widthOf(stop, stop.start, stop.end) + extra;
  const edges = [[stop.start, 0]];
  let x = 0;
  const goTo = (byte, width) => {
    x += width;
    if (byte > edges.at(-1)[0]) edges.push([byte, x / whole]);
  };
  for (const part of parts) {
    goTo(part.from, widthOf(stop, edges.at(-1)[0], part.from));
    goTo(part.to, part.width + part.extra);
  }
  goTo(stop.end, widthOf(stop, edges.at(-1)[0], stop.end));
  return edges;
}

// The share of a grapheme's width at which a byte stands. Between two edges it is in proportion to the byte's place.
export function shareAt({ start, end, edges }, byte) {
  const known = edges || straight(start, end);
  const after = known.findIndex(([edge]) => edge >= byte);
  if (after < 0) return 1;
  if (after === 0) return 0;
  const [[a, from], [b, to]] = [known[after - 1], known[after]];
  return from + ((byte - a) / (b - a)) * (to - from);
}

// The byte that stands at this share of a grapheme's width.
export function byteAt({ start, end, edges }, share) {
  const known = edges || straight(start, end);
  const after = Math.max(
    1,
    known.findIndex(([, to]) => to > share),
  );
  const [[a, from], [b, to]] = [known[after - 1], known[after]];
  return Math.min(end - 1, a + Math.floor(Math.max(0, (share - from) / (to - from)) * (b - a)));
}

const straight = (start, end) => [
  [start, 0],
  [end, 1],
];

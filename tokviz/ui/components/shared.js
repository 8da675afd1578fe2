// How a component reads an encoding.
//
// The truth is tokviz/encoding.py; this file mirrors the few lines of it that read seams: the boundaries, the tokens
// and the ids at a step, and a token's merge tree. Nothing here merges or splits. A test runs both on the same random
// seams and demands equality. The hues mirror the rules that palette.json spells out.
//
// An *encoding* here is what read() makes of the payload that tokviz/ui/components/__init__.py sends:
//   text, bytes, n     the text, its UTF-8, and how many bytes that is; every offset is in bytes
//   units              for each byte, where its character starts in `text`, in UTF-16 units; units[n] is text.length
//   seams              one integer a byte: the rank of the merge that closed the seam before it, or one of three below
//   mintedBy           Map: rank -> the id that merge mints
//   alphabet           byte -> id
//   whole              Map: start byte -> id, or null where no token covers the bytes (special tokens, look-ups)

export const WHOLE = -1; // inside a token that no merge made
export const OPEN = 2 ** 31 - 2; // no merge ever closed it
export const SPLIT = 2 ** 31 - 1; // the split pattern forbids it
export const END = OPEN; // the step at which every merge is done: only OPEN and SPLIT are left

function rawBytes(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export function int32(base64) {
  return new Int32Array(rawBytes(base64).buffer);
}

// A text with its bytes and units.
export function textOf(text) {
  const bytes = new TextEncoder().encode(text);
  const n = bytes.length;
  const units = new Int32Array(n + 1);
  let unit = 0;
  let next = 0; // a character of four bytes is two UTF-16 units, else one
  for (let i = 0; i < n; i++) {
    if ((bytes[i] & 0xc0) !== 0x80) {
      unit = next;
      next += bytes[i] >= 0xf0 ? 2 : 1;
    }
    units[i] = unit;
  }
  units[n] = text.length;
  return { text, bytes, n, units };
}

// The same of bytes that are not UTF-8: in the text stands one U+FFFD for each byte that is of no character.
function brokenTextOf(text, bytes) {
  const n = bytes.length;
  const units = new Int32Array(n + 1);
  const written = (i) => bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd;
  let i = 0;
  let unit = 0;
  for (const char of text) {
    const point = char.codePointAt(0);
    const size = point < 0x80 || (point === 0xfffd && !written(i)) ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    units.fill(unit, i, (i += size));
    unit += char.length;
  }
  units[n] = text.length;
  return { text, bytes, n, units };
}

export function read(
  payload,
  text = payload.bytes ? brokenTextOf(payload.text, rawBytes(payload.bytes)) : textOf(payload.text),
) {
  const ranks = int32(payload.ranks);
  const ids = int32(payload.ids);
  const mintedBy = new Map();
  ranks.forEach((rank, i) => mintedBy.set(rank, ids[i]));
  const whole = new Map(Object.entries(payload.whole).map(([start, id]) => [Number(start), id]));
  return { ...text, seams: int32(payload.seams), mintedBy, alphabet: int32(payload.alphabet), whole };
}

// A typed array with `gone` numbers from `at` on replaced.
export function splice(numbers, at, gone, fresh) {
  const spliced = new numbers.constructor(numbers.length - gone + fresh.length);
  spliced.set(numbers.subarray(0, at));
  spliced.set(fresh, at);
  spliced.set(numbers.subarray(at + gone), at + fresh.length);
  return spliced;
}

// Where the tokens start at step k, as bytes.
export function startsAt(encoding, k) {
  const starts = [];
  for (let i = 0; i < encoding.n; i++) if (encoding.seams[i] >= k) starts.push(i);
  return starts;
}

// The end of the token that starts at `start` at step k.
export function endOf(encoding, start, k) {
  let end = start + 1;
  while (end < encoding.n && encoding.seams[end] < k) end++;
  return end;
}

// The start of the token that byte i is in at step k.
export function startOf(encoding, i, k) {
  while (encoding.seams[i] < k) i--;
  return i;
}

// The seam of the merge that made the bytes from start to end one token: the highest inside; -1 if no merge did.
export function topSeam(encoding, start, end) {
  let top = -1;
  let rank = WHOLE;
  for (let i = start + 1; i < end; i++) if (encoding.seams[i] > rank) rank = encoding.seams[(top = i)];
  return top;
}

export function idOf(encoding, start, end) {
  if (encoding.whole.has(start)) return encoding.whole.get(start);
  const top = topSeam(encoding, start, end);
  return top < 0 ? encoding.alphabet[encoding.bytes[start]] : encoding.mintedBy.get(encoding.seams[top]);
}

export function tokensAt(encoding, k) {
  const starts = startsAt(encoding, k);
  return starts.map((start, i) => {
    const end = i + 1 < starts.length ? starts[i + 1] : encoding.n;
    return { start, end, id: idOf(encoding, start, end) };
  });
}

// The merge tree of a token: split at its highest seam, and again on each side. A leaf has no parts, and no rank.
export function treeOf(encoding, start, end) {
  const top = encoding.whole.has(start) ? -1 : topSeam(encoding, start, end);
  return {
    start,
    end,
    id: idOf(encoding, start, end),
    rank: top < 0 ? null : encoding.seams[top],
    parts: top < 0 ? [] : [treeOf(encoding, start, top), treeOf(encoding, top, end)],
  };
}

// Where the lines of a view start. A token belongs to the line it starts in, at the last step; so a line never cuts a
// token at any step, and stepping never moves one from line to line.
export function lineStarts(encoding) {
  const starts = encoding.n ? [0] : [];
  let broken = false;
  for (let i = 0; i < encoding.n; i++) {
    if (broken && encoding.seams[i] >= END) {
      starts.push(i);
      broken = false;
    }
    if (encoding.bytes[i] === 10) broken = true;
  }
  return starts;
}

// --- hues: an index 0..6 into the palette ---------------------------------------------------------------------------

export const CLASHES = [
  [0, 1, 4],
  [0, 1, 2, 3],
  [1, 2, 3],
  [1, 2, 3],
  [0, 4, 5],
  [4, 5, 6],
  [5, 6],
]; // palette.json
const TURNS = [0, 2, 4, 6, 1, 3, 5];

const mayStand = (hue, neighbour) => neighbour === null || !CLASHES[neighbour].includes(hue);

// The hue that bytes have wherever they can: FNV-1a, mixed once, modulo 7.
export function home(bytes, start = 0, end = bytes.length) {
  let h = 0x811c9dc5;
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return ((h ^ (h >>> 16)) >>> 0) % 7;
}

// The home hue, or the next in turn that does not clash with the hue on the left (null: nothing stands there).
export function choose(homeHue, before) {
  return TURNS.map((turn) => (homeHue + turn) % 7).find((hue) => mayStand(hue, before));
}

// The tokens of step k coloured from left to right, each line afresh: an array by start byte.
export function lineHues(encoding, k) {
  const hues = new Uint8Array(encoding.n);
  const lines = new Set(lineStarts(encoding));
  let before = null;
  for (const start of startsAt(encoding, k)) {
    if (lines.has(start)) before = null;
    before = hues[start] = choose(home(encoding.bytes, start, endOf(encoding, start, k)), before);
  }
  return hues;
}

// Hues for the two halves of a token that a step back opens: the pair nearest their homes that clashes with neither
// neighbour nor each other. One always exists.
const halves = new Map();
export function splitHues(leftHome, rightHome, before, after) {
  const key = [leftHome, rightHome, before, after].join();
  if (!halves.has(key)) {
    const turns = (hue, homeHue) => ((((hue - homeHue) * 4) % 7) + 7) % 7; // 4 undoes the turn of 2
    let best = null;
    let cost = Infinity;
    for (let left = 0; left < 7; left++) {
      for (let right = 0; right < 7; right++) {
        const sum = turns(left, leftHome) + turns(right, rightHome);
        if (sum < cost && mayStand(right, left) && mayStand(left, before) && mayStand(right, after)) {
          best = [left, right];
          cost = sum;
        }
      }
    }
    halves.set(key, best);
  }
  return halves.get(key);
}

// The hue of every token of the whole history, as a function of its span. The final tokens are coloured from left to
// right, then the merges are walked backwards, so a token keeps its hue from the merge that makes it to the one that
// takes it. `now` gives the final tokens other hues to begin with, by start byte.
export function replayHues(encoding, now = lineHues(encoding, END)) {
  const { n, bytes, seams } = encoding;
  const lines = new Set(lineStarts(encoding));
  const low = new Int32Array(n);
  const high = new Int32Array(n).fill(n); // the span that the merge at this seam makes
  const waiting = [];
  for (let i = 0; i < n; i++) {
    while (waiting.length && seams[waiting.at(-1)] < seams[i]) high[waiting.pop()] = i;
    low[i] = waiting.length ? waiting.at(-1) : 0;
    waiting.push(i);
  }
  const startBefore = new Int32Array(n + 1); // start of the token that ends here
  for (const start of startsAt(encoding, END)) startBefore[endOf(encoding, start, END)] = start;
  const made = new Uint8Array(n); // hue of the token that the merge at this seam makes
  const closed = [];
  for (let i = 0; i < n; i++) if (seams[i] > WHOLE && seams[i] < OPEN) closed.push(i);
  closed.sort((a, b) => seams[b] - seams[a] || a - b);
  for (const seam of closed) {
    const start = low[seam];
    const end = high[seam];
    made[seam] = now[start];
    const before = lines.has(start) ? null : now[startBefore[start]];
    const after = end === n || lines.has(end) ? null : now[end];
    [now[start], now[seam]] = splitHues(home(bytes, start, seam), home(bytes, seam, end), before, after);
    startBefore[seam] = start;
    startBefore[end] = seam;
  }
  return (start, end) => {
    const top = topSeam(encoding, start, end);
    return top < 0 ? now[start] : made[top];
  };
}

// --- small things ---------------------------------------------------------------------------------------------------

// "light" or "dark", from the luminance of the page that the element stands on.
export function themeOf(element) {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})/i.exec(colour);
  const parts = hex
    ? (hex[1].length === 3 ? [...hex[1]].map((d) => d + d) : hex[1].match(/../g)).map((pair) => parseInt(pair, 16))
    : (colour.match(/[\d.]+/g) || [255, 255, 255]).slice(0, 3).map(Number);
  const [r, g, b] = parts.map((part) => (part / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.18 ? "dark" : "light";
}

export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

const grouped = new Intl.NumberFormat("en-US");
export const figure = (number) => grouped.format(number);
const hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
export const rate = (number) => hundredths.format(number);
export const times = (number) => (number === 1 ? "once" : `${figure(number)} times`);

// R and C are Streamlit's own keys (rerun, clear cache): inside a component they do nothing.
export function keepFromPage(event) {
  if (/^[rc]$/i.test(event.key)) event.stopPropagation();
}

// --- what leaves the page -------------------------------------------------------------------------------------------

// Put a text on the clipboard and say in `status` (an element with role=status) how that went; true if it is there.
// navigator.clipboard exists only on localhost and over https, so elsewhere the browser is made to copy a selection. It
// copies what the event is given: a text area would lose carriage returns.
export async function copyText(text, status, done = "Copied.") {
  status.textContent = ""; // so that the same words are news again
  let copied = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : false;
  if (!copied) {
    const held = status.getRootNode().activeElement;
    const selected = make("textarea", "unseen", "-");
    const give = (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
      event.stopImmediatePropagation();
      copied = true;
    };
    status.after(selected); // beside it: of a modal dialog, nothing outside takes the focus
    selected.focus({ preventScroll: true });
    selected.select();
    window.addEventListener("copy", give, true);
    document.execCommand("copy");
    window.removeEventListener("copy", give, true);
    selected.remove();
    held?.focus({ preventScroll: true });
  }
  status.textContent = copied ? done : "The browser did not let this page copy. Select the text and copy it by key.";
  return copied;
}

// Hand over a file to keep; content is text (written as UTF-8) or a Blob.
export function saveFile(name, mime, content) {
  const address = URL.createObjectURL(new Blob([content], { type: mime }));
  const link = make("a");
  link.href = address;
  link.download = fileName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // a large file is still being read when click() returns
}

// A name that every system takes: letters, digits, and "._-", none of them in front.
const fileName = (name) =>
  name
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, "-")
    .replace(/^[-._]+/, "")
    .slice(-100) || "tokviz";

// A view as a picture: SVG with real text, and PNG made from it.
//
// The browser lays the tokens out once more, out of sight, and the picture takes the place of every box and every piece
// of text from there. So lines wrap as on the page, and marks, joined letters and right-to-left text look the same.
// Each text has a fixed width: in another font it is stretched to fit, and stays inside its token.

import { make } from "../kit/elements.js";
import { html, render, svg } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { CODE_FONT, measured, onCircle } from "./marks.js";
import { copyOfView } from "./view_copy.js";

export const PICTURE_TOKENS = 2000; // only the lines that begin with these are drawn
const PICTURE_HEIGHT = 7500; // px; tokens further down are left out: twice this nearly fills a canvas
const PICTURE_SCALE = 2; // of the PNG
const PICTURE_MARGIN = 24; // px
const PICTURE_SANS = '"Source Sans", "Source Sans 3", system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const JOINING_LETTER = /(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Mand}]/u;

// The picture of a view: { svg, tokens, width, height }; `tokens` is how many tokens are on it. `mark` is called with the
// copy of the tokens and may mark some (.born, .pair), as Replay does.
export function pictureOf(view, title, caption, mark = () => {}) {
  const root = view.box.closest(".tokviz");
  const { box } = copyOfView(view, PICTURE_TOKENS);
  const width = Math.min(960, Math.max(320, view.box.clientWidth || root.clientWidth));
  const stage = make("div", "stage");
  stage.style.width = `${width}px`;
  mark(box);
  box.style.cssText = "max-height:none;overflow:visible;border:0;padding:0";
  stage.append(box);
  root.append(stage);
  try {
    return drawPicture(box, { root, width, title, caption, all: view.counted().tokens });
  } finally {
    stage.remove();
  }
}

function drawPicture(box, { root, width, title, caption, all }) {
  const style = getComputedStyle(root);
  const origin = box.getBoundingClientRect();
  const colour = (name) => style.getPropertyValue(name).trim();
  const heading = [
    [title, 20, 600, "--ink"],
    [caption, 14, 400, "--quiet"],
  ].flatMap(([words, size, weight, fill]) =>
    wrapped(words, width, `${weight} ${size}px sans-serif`).map((line) => [line, size, weight, colour(fill)]),
  );
  const top = PICTURE_MARGIN + heading.length * 24 + 14;
  const place = ({ left, top: y, width, height }) => ({
    x: left - origin.left + PICTURE_MARGIN,
    y: y - origin.top + top,
    width,
    height,
  });
  const say = (y, words, size, weight, fill) =>
    svg`<text x=${PICTURE_MARGIN} y=${n(y)} font-size=${size} font-weight=${weight} font-family=${PICTURE_SANS}
      fill=${fill}>${words}</text>`;
  const drawn = [];
  const spans = [...box.querySelectorAll(".t")];
  let bottom = top;
  let tokens = 0;
  for (const [i, span] of spans.entries()) {
    const rects = [...span.getClientRects()].map(place);
    const low = Math.max(...rects.map(({ y, height }) => y + height));
    if (low > PICTURE_HEIGHT) break;
    bottom = Math.max(bottom, low);
    drawn.push(drawToken(span, rects, place, spans[i - 1], spans[i + 1]));
    if (!span.classList.contains("none")) tokens++;
    if (!span.classList.contains("born")) continue;
    for (const rect of rects)
      drawn.push(boxOf({ ...rect, y: rect.y + rect.height, height: 4 }, { fill: colour("--merge_done") }));
  }
  for (const pair of box.querySelectorAll(".pair"))
    for (const { x, y, width, height } of [...pair.getClientRects()].map(place))
      if (y + height <= bottom + 8) {
        const around = { x: x - 2, y: y - 2, width: width + 4, height: height + 4 };
        drawn.push(boxOf(around, { stroke: colour("--merge_next"), thick: 2, dashes: "5 3", rx: 4 }));
      }
  const isPart = tokens < all;
  if (isPart) bottom += 26;
  const high = Math.ceil(bottom + PICTURE_MARGIN);
  const wide = Math.ceil(width + 2 * PICTURE_MARGIN);
  const holder = make("div");
  render(
    html`<svg width=${wide} height=${high} viewBox="0 0 ${wide} ${high}" role="img"><title>${title}: ${caption}</title>
      <rect width="100%" height="100%" fill=${colour("--page")}></rect>${heading.map((line, i) =>
        say(PICTURE_MARGIN + 18 + 24 * i, ...line),
      )}<g font-family=${CODE_FONT} xml:space="preserve">${drawn}</g>${
        isPart && say(bottom, `The first ${figure(tokens)} of ${figure(all)} tokens.`, 14, 400, colour("--quiet"))
      }</svg>`,
    holder,
  );
  const text = new XMLSerializer().serializeToString(holder.firstElementChild).replaceAll("<!---->", "");
  return { svg: text, tokens, width: wide, height: high };
}

const n = (number) => Math.round(100 * number) / 100;

const boxOf = ({ x, y, width, height }, { rx, fill = "none", stroke, thick, dashes }) =>
  svg`<rect x=${n(x)} y=${n(y)} width=${n(width)} height=${n(height)} rx=${rx} fill=${fill} stroke=${stroke}
    stroke-width=${thick} stroke-dasharray=${dashes}></rect>`;

// Words as the lines that they fill at this width.
function wrapped(words, width, font) {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && measured(longer, font).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// One token: a box for each row it stands in, the edge where it starts, and its texts.
function drawToken(span, rects, place, before, after) {
  const style = getComputedStyle(span);
  const edge = style.getPropertyValue("--e").trim();
  const [rtl, special, none] = ["rtl", "sp", "none"].map((name) => span.classList.contains(name));
  const boxes = none
    ? []
    : rects.map((rect) =>
        boxOf(rect, { rx: special ? Math.min(rect.height / 2, 14) : 3, fill: style.backgroundColor }),
      );
  const [{ x, y, width, height }] = rects;
  if (!none && !special) boxes.push(boxOf({ x: rtl ? x + width - 2 : x, y, width: 2, height }, { fill: edge }));
  const texts = textsOf(span, rtl);
  joinLetters(texts, span, before, after);
  const textOf = ({ string, rect, size, ascent, mark, turned, boxed, dotted }) => {
    let { x, y, width } = place(rect);
    const base = y + ascent;
    const frame = { x: x + 1.5, y: base - size, width: width - 3, height: 1.3 * size };
    if (boxed) [x, width] = [x + 4, width - 8];
    return svg`${boxed && boxOf(frame, { rx: 3, stroke: edge })}${
      dotted &&
      svg`<line x1=${n(x)} x2=${n(x + width)} y1=${n(base + 4)} y2=${n(base + 4)} stroke=${edge} stroke-width="1.5"
        stroke-dasharray="1.5 2"></line>`
    }<text x=${n(turned ? x + width : x)} y=${n(base)} font-size=${n(size)} fill=${mark === "faint" ? edge : style.color}
      textLength=${n(width)} lengthAdjust="spacingAndGlyphs" direction=${turned ? "rtl" : null}
      aria-hidden=${mark ? "true" : null}>${string}</text>`;
  };
  return svg`<g data-start=${span.start} data-end=${span.end}><title>${span.title}</title>${boxes}${texts.map(textOf)}</g>`;
}

// The texts of a token, piece by piece and row by row. A piece with `mark` is no text but what the page draws for an
// invisible character.
function textsOf(span, rtl) {
  const texts = [];
  const add = (element, string, rect, more = { turned: rtl }) => {
    const { fontSize, fontFamily } = getComputedStyle(element);
    const size = parseFloat(fontSize);
    if (rect.width) texts.push({ string, rect, size, ascent: ascentOf(size, fontFamily), ...more });
  };
  if (span.classList.contains("sp")) {
    const [{ left, top, height }] = span.getClientRects();
    const size = parseFloat(getComputedStyle(span).fontSize);
    add(span, "◆", new DOMRect(left + 12, top + 4, 0.6 * size, height), { mark: "plain" });
  }
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      for (const [string, rect] of rowsOf(node)) add(node.parentNode, string, rect);
      return;
    }
    const has = (name) => node.classList.contains(name);
    if (has("real")) return;
    if (has("cm")) {
      const { left, width } = node.getBoundingClientRect(); // the circle is no part of the text
      const [[, { top, height }]] = rowsOf(node.firstChild);
      return add(node, onCircle(node.textContent), new DOMRect(left, top, width, height));
    }
    const before = getComputedStyle(node, "::before");
    if (node !== span && before.content !== "none" && before.visibility !== "hidden") {
      const sign = node.dataset.m ?? (has("wide") ? "□" : "·");
      const rects = [...node.getClientRects()];
      const room = rects.reduce((sum, { width }) => sum + width, 0);
      let at = 0;
      let filled = 0;
      for (const rect of rects) {
        // all letters of a mark have the same width
        filled += rect.width;
        const to = Math.round((sign.length * filled) / room);
        add(node, sign.slice(at, to), rect, {
          mark: has("w") ? "faint" : "plain",
          boxed: has("nm"),
          dotted: has("by"),
        });
        if (rect.width) texts.at(-1).size = parseFloat(before.fontSize);
        at = to;
      }
    }
    for (const child of node.childNodes) walk(child);
  };
  walk(span);
  return texts;
}

// The parts of a text node by the rows they stand in: [text, rect].
function rowsOf(node) {
  const range = document.createRange();
  const rectsOf = (start, end) => {
    range.setStart(node, start);
    range.setEnd(node, end);
    return [...range.getClientRects()];
  };
  const around = (rects) => {
    const left = Math.min(...rects.map((rect) => rect.left));
    const right = Math.max(...rects.map((rect) => rect.right));
    return new DOMRect(left, rects[0].top, right - left, rects[0].height);
  };
  const sameRow = (a, b) => Math.abs(a.top - b.top) < a.height / 2;
  const all = rectsOf(0, node.data.length);
  if (!all.length) return [];
  if (all.every((rect) => sameRow(all[0], rect))) return [[node.data, around(all)]];
  const rows = [];
  for (const { segment, index } of new Intl.Segmenter().segment(node.data)) {
    const rects = rectsOf(index, index + segment.length);
    const row = rows.at(-1);
    if (!rects.length) continue;
    if (row && sameRow(row[1], rects[0])) rows[rows.length - 1] = [row[0] + segment, around([row[1], ...rects])];
    else rows.push([segment, around(rects)]);
  }
  return rows;
}

// Draw letters joined across the edge of a token. SVG shapes each text alone, so a joiner takes the neighbour's place.
function joinLetters(texts, span, before, after) {
  const joins = (left, right) =>
    left?.nodeType === Node.TEXT_NODE &&
    right?.nodeType === Node.TEXT_NODE &&
    left.parentNode.closest(".line") === right.parentNode.closest(".line") &&
    JOINING_LETTER.test([...left.data].at(-1)) &&
    JOINING_LETTER.test([...right.data][0]);
  if (joins(before?.lastChild, span.firstChild)) texts[0].string = `\u200d${texts[0].string}`;
  if (joins(span.lastChild, after?.firstChild)) texts.at(-1).string += "\u200d";
}

// How far the baseline of this font lies below the top of its box, in px.
const ascentOf = (size, family) => Math.round(measured("x", `${size}px ${family}`).fontBoundingBoxAscent);

// The picture as PNG, at twice its size.
export async function pngOf({ svg, width, height }) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = make("canvas");
    canvas.width = PICTURE_SCALE * width;
    canvas.height = PICTURE_SCALE * height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const picture = await new Promise((done) => {
      canvas.toBlob(done, "image/png");
    });
    if (!picture) throw new Error("No canvas of this size here.");
    return picture;
  } finally {
    URL.revokeObjectURL(address);
  }
}

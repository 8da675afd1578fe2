// A view as a picture: SVG with real text, and PNG made from it.
//
// The browser lays the tokens out once more, out of sight, and the picture takes the place of every box and every row of
// text from there. So lines wrap as on the page, and marks, joined letters and right-to-left text look the same.
// Each text has a fixed width: in another font it is stretched to fit, and stays inside its token.

import { make } from "../kit/elements.js";
import { html, render, svg } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { CODE_FONT, measured, onCircle } from "./marks.js";
import { copyOfView } from "./view_copy.js";

export const PICTURE_TOKENS = 2000; // only the lines that begin with these are drawn
const PICTURE_HEIGHT = 7500; // px; tokens further down are left out: twice this nearly fills a canvas
const PICTURE_SCALE = 2; // of the PNG
const SANS = '"Source Sans", "Source Sans 3", system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const JOINING_LETTER = /(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Mand}]/u;
const LETTERS = new Intl.Segmenter();

// The picture of a view: { svg, tokens, width, height }; `tokens` is how many tokens are on it. `mark` is called with the
// copy of the view and may mark some of its tokens (.born, .pair), as Replay does.
export function pictureOf(view, title, caption, mark = () => {}) {
  const root = view.box.closest(".tokviz");
  const { box, copy } = copyOfView(view, PICTURE_TOKENS);
  const stage = make("div", "stage");
  stage.style.width = `${Math.min(960, Math.max(320, view.box.clientWidth || root.clientWidth)) + 48}px`;
  stage.append(make("h1", "", title), make("p", "small quiet", caption), box);
  mark(copy);
  root.append(stage);
  try {
    writeMarks(box);
    const tokens = leaveOut(stage, box, view.counted().tokens);
    return {
      svg: drawPicture(stage, box, `${title}: ${caption}`),
      tokens,
      width: stage.offsetWidth,
      height: stage.offsetHeight,
    };
  } finally {
    stage.remove();
  }
}

// What CSS draws before an element becomes a text, so that it has a place like any other.
function writeMarks(box) {
  const marks = [...box.querySelectorAll(".sp, .s, [data-m]")].map((element) => {
    const { visibility, fontSize, margin, padding, border } = getComputedStyle(element, "::before");
    const sign = element.dataset.m ?? (element.matches(".sp") ? "◆\u00a0" : element.matches(".wide") ? "□" : "·");
    const mark = make("span", "shown", visibility === "hidden" ? "" : sign);
    Object.assign(mark.style, { fontSize, margin, padding, border });
    return [element, mark];
  });
  for (const [element, mark] of marks) element.prepend(mark);
  for (const element of box.querySelectorAll(".cm")) element.replaceWith(onCircle(element.textContent));
  box.classList.add("written");
}

// Leave out what is too far down, and say so. Returns how many tokens stay.
function leaveOut(stage, box, all) {
  const { top } = stage.getBoundingClientRect();
  const spans = [...box.querySelectorAll(".t")];
  const cut = spans.findIndex((span) => span.getBoundingClientRect().bottom - top > PICTURE_HEIGHT);
  if (cut >= 0) for (const span of spans.splice(cut)) span.remove();
  const tokens = spans.filter((span) => !span.matches(".none")).length;
  if (tokens < all) stage.append(make("p", "small quiet", `The first ${figure(tokens)} of ${figure(all)} tokens.`));
  return tokens;
}

function drawPicture(stage, box, title) {
  const { offsetWidth: width, offsetHeight: height } = stage;
  const origin = stage.getBoundingClientRect();
  const place = (rect) => ({
    x: rect.left - origin.left,
    y: rect.top - origin.top,
    width: rect.width,
    height: rect.height,
  });
  const colour = (name) => getComputedStyle(stage).getPropertyValue(name).trim();
  const spans = [...box.querySelectorAll(".t")];
  const drawn = spans.map((span, i) => drawToken(span, spans[i - 1], spans[i + 1], place));
  for (const born of box.querySelectorAll(".born"))
    for (const { x, y, width, height } of [...born.getClientRects()].map(place))
      drawn.push(boxOf({ x, y: y + height, width, height: 4 }, { fill: colour("--merge_done") }));
  for (const pair of box.querySelectorAll(".pair"))
    for (const { x, y, width, height } of [...pair.getClientRects()].map(place)) {
      const around = { x: x - 2, y: y - 2, width: width + 4, height: height + 4 };
      drawn.push(boxOf(around, { stroke: colour("--merge_next"), thick: 2, dashes: "5 3", rx: 4 }));
    }
  const words = [...stage.querySelectorAll(":scope > :is(h1, p)")].map((line) => textsOf(line, place, SANS));
  const holder = make("div");
  render(
    html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" role="img"><title>${title}</title>
      <rect width="100%" height="100%" fill=${colour("--page")}></rect><g font-family=${CODE_FONT} xml:space="preserve">${drawn}</g>${words}</svg>`,
    holder,
  );
  return new XMLSerializer().serializeToString(holder.firstElementChild).replaceAll("<!---->", "");
}

const n = (number) => Math.round(100 * number) / 100;

const boxOf = ({ x, y, width, height }, { rx, fill = "none", stroke, thick, dashes }) =>
  svg`<rect x=${n(x)} y=${n(y)} width=${n(width)} height=${n(height)} rx=${rx} fill=${fill} stroke=${stroke}
    stroke-width=${thick} stroke-dasharray=${dashes}></rect>`;

// One token: a box for each row that it is in, the edge where it starts, and its texts.
function drawToken(span, before, after, place) {
  const { backgroundColor: fill, color } = getComputedStyle(span);
  const edge = getComputedStyle(span).getPropertyValue("--e").trim() || color;
  const [rtl, special, none] = ["rtl", "sp", "none"].map((name) => span.classList.contains(name));
  const rects = [...span.getClientRects()].map(place);
  const [{ x, y, width, height }] = rects;
  const boxes = none ? [] : rects.map((rect) => boxOf(rect, { rx: special ? Math.min(rect.height / 2, 14) : 3, fill }));
  if (!none && !special) boxes.push(boxOf({ x: rtl ? x + width - 2 : x, y, width: 2, height }, { fill: edge }));
  for (const mark of span.querySelectorAll(":is(.nm, .by) > .shown"))
    for (const rect of [...mark.getClientRects()].map(place))
      boxes.push(
        mark.parentNode.matches(".nm")
          ? boxOf(rect, { rx: 3, stroke: edge })
          : boxOf({ ...rect, y: rect.y + rect.height - 1, height: 1 }, { fill: edge }),
      );
  const texts = textsOf(span, place, null, rtl, [join(before, span), join(span, after)]);
  return svg`<g data-start=${span.start} data-end=${span.end}><title>${span.title}</title>${boxes}${texts}</g>`;
}

// Where letters are joined across the edge of two tokens, a joiner takes the place of the neighbour, because SVG shapes
// each text alone.
function join(left, right) {
  const [end, start] = [left?.lastChild, right?.firstChild];
  const areTexts = [end, start].every((node) => node?.nodeType === Node.TEXT_NODE);
  if (!areTexts || left.closest(".line") !== right.closest(".line")) return "";
  return JOINING_LETTER.test([...end.data].at(-1)) && JOINING_LETTER.test([...start.data][0]) ? "\u200d" : "";
}

// The texts in an element, each in its rows. What the page draws for an invisible character is no text to a reader.
function textsOf(element, place, family, rtl = false, [before, after] = ["", ""]) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const { fontSize, fontFamily, fontWeight, color } = getComputedStyle(node.parentNode);
    const size = parseFloat(fontSize);
    const base = Math.round(measured("x", `${size}px ${fontFamily}`).fontBoundingBoxAscent);
    const isMark = node.parentNode.matches(".shown");
    for (const { string, ...rect } of rowsOf(node))
      texts.push({ string, ...place(rect), size, base, isMark, fontWeight, color });
  }
  if (before) texts[0].string = before + texts[0].string;
  if (after) texts.at(-1).string += after;
  return texts.map(({ string, x, y, width, size, base, isMark, fontWeight, color }) => {
    const turned = rtl && !isMark;
    return svg`<text x=${n(turned ? x + width : x)} y=${n(y + base)} font-size=${n(size)} fill=${color} font-family=${family}
      font-weight=${family && fontWeight} textLength=${n(width)} lengthAdjust="spacingAndGlyphs"
      direction=${turned ? "rtl" : null} aria-hidden=${isMark ? "true" : null}>${string}</text>`;
  });
}

// The rows of a text: { string, left, top, width, height }.
function rowsOf(node) {
  const range = document.createRange();
  const rows = [];
  for (const { segment, index } of LETTERS.segment(node.data)) {
    range.setStart(node, index);
    range.setEnd(node, index + segment.length);
    const { left, right, top, width, height } = range.getBoundingClientRect();
    const row = rows.at(-1);
    if (!width) continue;
    if (row && Math.abs(row.top - top) < height / 2) {
      const [from, to] = [Math.min(row.left, left), Math.max(row.left + row.width, right)];
      Object.assign(row, { string: row.string + segment, left: from, width: to - from });
    } else rows.push({ string: segment, left, top, width, height });
  }
  return rows;
}

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

// The tokens of a view outside the page: ids, CSV, JSON, an HTML page. They are those of the step shown and of the part
// of the text in the view; offsets count from the first byte of that part.

import { copyText, saveFile } from "../kit/copy_and_save.js";
import { make } from "../kit/elements.js";
import { figure, quantity, rate } from "../kit/words.js";
import { END, textOfToken } from "./encoding.js";
import { UNSEEN } from "./marks.js";
import { PICTURE_TOKENS, pictureOf, pngOf } from "./picture.js";
import { plainHex, tokenRow } from "./table.js";
import { copyOfView } from "./view_copy.js";

// The entries of a menu for what a box shows, each with what it does.
export function takings(box) {
  const { view, title } = box;
  const file = `tokens ${title}`.replaceAll(",", "");
  const { tokens, bytes, characters } = box.figures;
  const stats = [
    quantity(tokens, "token"),
    quantity(bytes, "byte"),
    quantity(characters, "character"),
    `${tokens ? rate(bytes / tokens) : "–"} bytes per token`,
  ];
  const { start, totals } = box.data;
  const partial = totals && (totals.written ?? totals.bytes) > view.encoding.n;
  const range = `. Here: bytes ${figure(start)} to ${figure(start + view.encoding.n)}.`;
  const caption = stats.slice(view.encoding.refused ? 1 : 0).join(", ") + (partial ? range : "");
  const save = (label, ending, mime, content, hint = ending.toUpperCase()) => ({
    label,
    hint,
    tell: async (status) => {
      const { text, said = "" } = await content();
      saveFile(`${file}.${ending}`, mime, text);
      status.textContent = `${ending.toUpperCase()} saved${said}.`;
      return !said;
    },
  });
  const picture = async (ending) => {
    const drawing = pictureOf(view, title, caption);
    const all = view.counted().tokens;
    const said = drawing.tokens < all ? `: the first ${figure(drawing.tokens)} of ${figure(all)} tokens` : "";
    return { text: ending === "svg" ? drawing.svg : await pngOf(drawing), said };
  };
  const ids = idsOf(view);
  const first = ids.length > 3 ? `${ids.slice(0, 3).join(", ")} …` : ids.join(", ");
  const count = `${quantity(ids.length, "id")}${partial ? " of the part in view" : ""} copied.`;
  const of = { tokenizer: box.data.name, vocabulary_size: view.k >= END ? null : 256 + view.k };
  const part = view.counted().starts.length > PICTURE_TOKENS ? `, first ${figure(PICTURE_TOKENS)} tokens or fewer` : "";
  return [
    { label: "Copy ids", hint: first, tell: (status) => copyText(ids.join(" "), status, count) },
    { label: "Copy ids as a Python list", tell: (status) => copyText(`[${ids.join(", ")}]`, status, count) },
    null,
    { heading: "Save" },
    save("Table", "csv", "text/csv;charset=utf-8", () => ({ text: csvOf(view) })),
    save("Table with all facts", "json", "application/json", () => ({ text: jsonOf(view, of) })),
    save("Page to open offline", "html", "text/html;charset=utf-8", () => ({ text: htmlOf(view, title, caption) })),
    save("Picture", "png", "image/png", () => picture("png"), `PNG${part}`),
    save("Picture to edit", "svg", "image/svg+xml", () => picture("svg"), `SVG${part}`),
  ];
}

function idsOf(view) {
  return Array.from(view.counted().ids).filter((id) => id >= 0); // bytes that no token covers have no id
}

// A text as a JSON string that escapes all invisible characters but plain spaces.
function literal(text) {
  const units = (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(text).replace(new RegExp(UNSEEN, "gu"), (char) => (char === " " ? char : units(char)));
}

function* tokenRows(view) {
  for (let i = 0; i < view.counted().starts.length; i++) {
    const row = tokenRow(view, i);
    yield { ...row, text: textOfToken(row.bytes), hex: plainHex(row.bytes) };
  }
}

// RFC 4180. A byte order mark comes first: without it spreadsheets do not recognise UTF-8, and pandas skips it. Texts
// are JSON strings, so spaces and line ends show, and no cell begins with a sign that a spreadsheet takes for a
// formula. A token that is not whole characters has no text, only bytes.
function csvOf(view) {
  const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = ["number,id,text,bytes,characters,start,merge,times"];
  for (const { number, id, text, hex, characters, start, merge, times } of tokenRows(view)) {
    const cells = [number, id, text === null ? "" : literal(text), hex, characters, start, merge, times];
    lines.push(cells.map((cell) => quoted(String(cell ?? ""))).join(","));
  }
  return `\ufeff${lines.join("\r\n")}\r\n`;
}

// One line a token. `of` says whose tokens they are: { tokenizer, vocabulary_size }.
function jsonOf(view, of) {
  const tokens = [...tokenRows(view)].map(({ id, text, hex, start, end, merge, times }) =>
    JSON.stringify({ id, text, bytes: hex, start, end, merge, times }),
  );
  const head = JSON.stringify({ ...of, text: view.encoding.text }, null, 1).replace(/\n}$/, "");
  return `${head},\n "tokens": [\n  ${tokens.join(",\n  ")}\n ]\n}\n`;
}

const asMarkup = (text) => text.replace(/[&<>"\r]/g, (char) => `&#${char.charCodeAt(0)};`);

// A page that needs no other file; of the styles it has only those that its elements use. Its text can be copied as it
// was typed: each newline is behind the last token of its line, where it is copied but adds no line.
function htmlOf(view, title, caption) {
  const root = view.box.closest(".tokviz");
  const { box } = copyOfView(view);
  for (const line of box.querySelectorAll(".line")) line.append(...line.querySelectorAll(".end .real"));
  const page = make("main", "tokviz page");
  page.dataset.theme = root.dataset.theme;
  page.append(make("h1", "", title), make("p", "quiet", caption), box);
  const style = `${stylesFor(page, root)}
body{margin:0}
.page{padding:24px;min-height:100vh;-webkit-print-color-adjust:exact;print-color-adjust:exact}
.page h1{font-size:1.25em;margin:0 0 2px}
.page .quiet{margin:0 0 14px}
.page .view{max-height:none;overflow:visible}
`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const body = new XMLSerializer().serializeToString(page).replace(/\r/g, "&#13;");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${asMarkup(title)}</title>
<style>
${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

// The component's style rules that an element and its content use.
function stylesFor(element, root) {
  const sheets = [...root.getRootNode().styleSheets, ...(root.getRootNode().adoptedStyleSheets || [])];
  const holder = make("div");
  holder.append(element);
  const rules = sheets
    .flatMap((sheet) => [...sheet.cssRules])
    .filter(({ selectorText }) => {
      const plain = selectorText?.replace(/::?(before|after|hover|focus-visible)/g, "");
      return plain && !selectorText.includes("*") && holder.querySelector(plain);
    });
  element.remove();
  return `*,*::before,*::after{box-sizing:border-box}\n${rules.map((rule) => rule.cssText).join("\n")}`;
}

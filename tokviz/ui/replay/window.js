// Replay: the window of the corpus in view: what is said of it, the ways to another one, and its tokens as a picture.

import { select } from "../kit/choices.js";
import { saveFile } from "../kit/copy_and_save.js";
import { html, live } from "../kit/html.js";
import { figure, quantity, rate } from "../kit/words.js";
import { pictureOf, pngOf } from "../tokenview/picture.js";
import { inWords } from "./heads.js";

const LENGTHS = [500, 1000, 2000, 4000]; // bytes; as in tokviz/offline/replay.py

// What is in view.
export function caption(stage) {
  const { data, encoding, merges, view, k, last } = stage;
  const { start, n, cut, drawnTo } = encoding;
  const tokens = (number) => html`<b>${quantity(number, "token")}</b>`;
  const now = merges.tokens[k];
  const isPart = n && (!data.corpus_here || n !== data.n_bytes);
  const whose = data.corpus_here ? "" : " of your text";
  const undrawn =
    drawnTo < last &&
    `Merge ${figure(merges.number(drawnTo))} and the later ones are not drawn here, because the tokens get too long. `;
  const part = () =>
    html`Bytes ${figure(start)} to ${figure(start + n)}${whose}: ${tokens(view.count())}. ${cut && "Its first chunk begins before it. "}${undrawn}`;
  const bytes = data.n_bytes === null ? "" : `, ${quantity(data.n_bytes, "byte")}`;
  const each = now && data.n_bytes !== null ? `, ${rate(data.n_bytes / now)} bytes per token` : "";
  return html`${isPart && part()}“${data.corpus_name}”${bytes}: ${tokens(now)}${each}`;
}

// The ways to another window, and to a picture of this one.
export function tools(stage) {
  const { data, encoding, k, last, at, merges, veiled } = stage;
  const { start, n } = encoding;
  const button = (text, press, isOff = false) =>
    html`<button type="button" class="small" ?disabled=${isOff} @click=${press}>${text}</button>`;
  const show = (name, fields) => stage.ask(name, fields, (window) => stage.showWindow(window, fields.length), "window");
  const go = (to, length = at.length) =>
    show("window", { start: Math.max(0, Math.min(Math.floor(to) || 0, data.reach - 1)), length });
  const typed = ({ target }) => go(Number(target.value.replace(/[\s,]/g, "")));
  const lengths = LENGTHS.map((length) => [length, figure(length)]);
  const fires = () => show("fires", { rank: k, after: start + n, length: at.length });
  const isMoved = data.live && (data.reach > n || start > 0);
  return html`<div class="flow small tools">${
    isMoved &&
    html`${button("Earlier", () => go(start - at.length), start === 0)}
      ${button("Later", () => go(start + n), start + n >= data.reach)}
      <label>From byte <input type="text" inputmode="numeric" autocomplete="off" .value=${live(figure(start))} @change=${typed}></label>
      <label>Length ${select({ label: "Length", options: lengths, value: at.length, choose: (length) => go(start, length) })}</label>
      ${k < last && !veiled && button(`Where merge ${figure(merges.number(k))} fires next`, fires)}`
  }${
    n > 0 &&
    html`<span class="quiet">These tokens as a picture</span>${["SVG", "PNG"].map((kind) => button(kind, () => save(stage, kind)))}`
  }</div>`;
}

async function save(stage, kind) {
  const { view, data, k, last, veiled } = stage;
  const all = view.count();
  const done = `${figure(k)} of ${figure(last)} merges done, ${quantity(all, "token")}.`;
  const next = k < last && !veiled ? ` Next, ${inWords(stage, k)}` : "";
  const picture = pictureOf(view, data.title, done + next, (copy) => view.markCopy(copy));
  const [mime, content] = kind === "SVG" ? ["image/svg+xml", picture.svg] : ["image/png", await pngOf(picture)];
  saveFile(`${data.title} step ${k}.${kind.toLowerCase()}`, mime, content);
  const part = picture.tokens < all ? `: the first ${figure(picture.tokens)} of ${figure(all)} tokens` : "";
  stage.say(`${kind} saved${part}.`);
}

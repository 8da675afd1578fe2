// A button that opens a menu: a panel below it, or above it where there is more room; a sheet from the foot of a narrow
// window if `sheet` is set. `dots`: three dots, in place of its label. Only the page knows whether it is open, so a
// redraw leaves an open one open.
//
// items() is called whenever it opens, and after a choice that leaves it open. An item is null (a line), { heading }, or
//   { label, hint, act }                 what closes the menu, and then acts
//   { label, hint, tell }                likewise, but tell(status) says in the menu what came of it: true if it worked
//   { label, hint, checked, act }        a tick; the menu stays open
//   { label, options: [[value, words]], value, choose, closes }   one of several, in a row; or as pills that close it

import { html, nothing, render } from "./html.js";

const SAID = 1200; // ms for which an outcome is read before the menu closes

export const menu = ({
  label,
  items,
  icon = nothing,
  sheet = false,
  dots = false,
}) => html`<div class=${["menu", sheet && "sheets", dots && "dots"].filter(Boolean).join(" ")}
  @focusout=${leave} @keydown=${(event) => press(event, items)}>
  <button type="button" class="menu-button" title=${label} aria-label=${dots ? label : null} aria-haspopup="menu" aria-expanded="false"
    @click=${({ currentTarget }) => toggle(currentTarget.parentElement, items)}>${icon}<span>${dots ? "⋯" : label}</span></button>
  <div class="scrim"></div>
  <div class="menu-panel" role="dialog" tabindex="-1" aria-label=${label} hidden>
    <div class="menu-top"><b>${label}</b><button type="button" class="plain" tabindex="-1"
      @click=${({ currentTarget }) => close(currentTarget.closest(".menu"))}>Close ×</button></div>
    <div class="menu-list" role="menu" aria-label=${label} @click=${(event) => drawAgain(event, items)}></div>
    <p class="menu-said quiet" role="status"></p>
  </div>
</div>`;

const panelOf = (root) => root.querySelector(".menu-panel");
const entriesOf = (root) => [...root.querySelectorAll("[role^=menuitem]")];
const draw = (root, items) => render(items().map(entry), root.querySelector(".menu-list"));

// at: of the entry that gets the focus when it opens.
function toggle(root, items, opens = panelOf(root).hidden, at = 0) {
  const [button, panel] = [root.firstElementChild, panelOf(root)];
  clearTimeout(root.closing);
  button.setAttribute("aria-expanded", opens);
  panel.hidden = !opens;
  panel.querySelector(".menu-said").textContent = "";
  if (!opens) return;
  draw(root, items);
  const { top, bottom } = button.getBoundingClientRect();
  const room = innerHeight - bottom - 12;
  const isUp = room < panel.offsetHeight && top - 12 > room;
  panel.classList.toggle("up", isUp);
  panel.style.setProperty("--room", `${isUp ? top - 12 : room}px`);
  entriesOf(panel).at(at).focus({ preventScroll: true });
}

function close(root) {
  root.firstElementChild.focus();
  toggle(root, null, false);
}

// After a choice that leaves it open.
function drawAgain({ target, currentTarget }, items) {
  if (target.closest("[aria-checked]") && currentTarget.isConnected) draw(currentTarget.closest(".menu"), items);
}

async function act({ currentTarget }, { act, tell }) {
  const root = currentTarget.closest(".menu");
  if (!tell) {
    close(root);
    return act();
  }
  clearTimeout(root.closing);
  const status = root.querySelector(".menu-said");
  let done = false;
  try {
    done = await tell(status);
  } catch (error) {
    console.warn(error);
    status.textContent = "This browser could not do that.";
  }
  if (done) root.closing = setTimeout(() => panelOf(root).hidden || close(root), SAID); // it may be closed meanwhile
}

function entry(item) {
  if (!item) return html`<div class="menu-line" role="separator"></div>`;
  const { heading, label, hint, options, value, choose, closes, checked } = item;
  if (heading) return html`<p class="menu-heading" aria-hidden="true">${heading}</p>`;
  if (options)
    return html`<p class="menu-heading" aria-hidden="true">${label}</p>
      <div class=${closes ? "pills" : "menu-seg"} role="group" aria-label=${label}>${options.map(
        ([of, words]) => html`<button type="button" role="menuitemradio" tabindex="-1" aria-checked=${of === value}
          @click=${closes ? (event) => act(event, { act: () => choose(of) }) : () => choose(of)}>${words}</button>`,
      )}</div>`;
  const inside = html`${label}${hint && html` <span class="menu-hint">${hint}</span>`}`;
  return checked === undefined
    ? html`<button type="button" class="menu-item" role="menuitem" tabindex="-1"
        @click=${(event) => act(event, item)}>${inside}</button>`
    : html`<button type="button" class="menu-item" role="menuitemcheckbox" tabindex="-1" aria-checked=${checked}
        @click=${item.act}>${inside}</button>`;
}

function leave({ currentTarget, relatedTarget }) {
  if (document.hasFocus() && !currentTarget.contains(relatedTarget)) toggle(currentTarget, null, false);
}

// Inside of a sheet, Tab goes round its button Close, what is after that, and all else that Tab reaches. False: it is no
// sheet.
export function goRound({ target, shiftKey }) {
  const panel = target.closest(".menu-panel");
  if (!panel?.querySelector(".menu-top button").checkVisibility()) return false;
  const stops = [...panel.querySelectorAll("button, input, summary, a")]
    .filter((one) => one.checkVisibility())
    .filter((one, i) => i < 2 || one.tabIndex >= 0);
  stops.at((stops.indexOf(target) + (shiftKey ? -1 : 1)) % stops.length).focus();
}

// The arrows open a closed menu and walk through an open one; a letter goes to the next entry that begins with it.
function press(event, items) {
  const root = event.currentTarget;
  const all = entriesOf(root);
  const at = all.indexOf(event.target);
  const next = (at + 1) % all.length;
  const moves =
    at < 0
      ? { ArrowDown: 0, ArrowUp: -1 }
      : { ArrowDown: next, ArrowRight: next, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const letter = /^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey && event.key.toLowerCase();
  const isOpen = !panelOf(root).hidden;
  if (!isOpen && event.key in moves) toggle(root, items, true, moves[event.key]);
  else if (event.key in moves) all.at(moves[event.key]).focus();
  else if (isOpen && event.key === "Escape") close(root);
  else if (isOpen && event.key === "Tab") {
    if (goRound(event) === false) return;
  } else if (at >= 0 && letter) {
    [...all.slice(at + 1), ...all.slice(0, at + 1)]
      .find((one) => one.textContent.toLowerCase().startsWith(letter))
      ?.focus();
    return event.stopPropagation();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

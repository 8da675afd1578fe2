// A button that opens a menu. Only the page knows whether it is open, so a redraw leaves an open one open.

import { html, render } from "./html.js";

// items() is called whenever the menu opens: [{ label, hint, act }], with null for a line between two groups.
export const menu = ({
  label,
  items,
}) => html`<div class="menu" @focusout=${leave} @keydown=${(event) => press(event, items)}>
  <button type="button" class="menu-button" title=${label} aria-haspopup="menu" aria-expanded="false"
    @click=${({ currentTarget }) => toggle(currentTarget.parentElement, items)}><span>${label}</span></button>
  <div class="menu-list" role="menu" aria-label=${label} hidden></div>
</div>`;

const entriesOf = (root) => [...root.querySelectorAll("[role=menuitem]")];

// at: of the entry that gets the focus when it opens.
function toggle(root, items, opens = root.lastElementChild.hidden, at = 0) {
  const [button, list] = root.children;
  button.setAttribute("aria-expanded", opens);
  if (opens) render(items().map(entry), list);
  list.hidden = !opens;
  if (opens) entriesOf(list).at(at).focus({ preventScroll: true });
}

function close(root) {
  root.firstElementChild.focus();
  toggle(root, null, false);
}

function entry(item) {
  if (!item) return html`<div class="menu-line" role="separator"></div>`;
  const choose = ({ currentTarget }) => {
    close(currentTarget.closest(".menu"));
    item.act();
  };
  return html`<button type="button" class="menu-item" role="menuitem" tabindex="-1" @click=${choose}>${item.label}${
    item.hint && html`<span class="menu-hint">${item.hint}</span>`
  }</button>`;
}

function leave({ currentTarget, relatedTarget }) {
  if (!currentTarget.contains(relatedTarget)) toggle(currentTarget, null, false);
}

// The arrows open a closed menu and walk through an open one; a letter goes to the next entry that begins with it.
function press(event, items) {
  const root = event.currentTarget;
  const all = entriesOf(root);
  const at = all.indexOf(event.target);
  const moves =
    at < 0 ? { ArrowDown: 0, ArrowUp: -1 } : { ArrowDown: (at + 1) % all.length, ArrowUp: at - 1, Home: 0, End: -1 };
  const letter = /^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey && event.key.toLowerCase();
  if (at < 0 && event.key in moves) toggle(root, items, true, moves[event.key]);
  else if (event.key in moves) all.at(moves[event.key]).focus();
  else if (at >= 0 && event.key === "Escape") close(root);
  else if (at >= 0 && letter) {
    [...all.slice(at + 1), ...all.slice(0, at + 1)]
      .find((one) => one.textContent.toLowerCase().startsWith(letter))
      ?.focus();
    return event.stopPropagation();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

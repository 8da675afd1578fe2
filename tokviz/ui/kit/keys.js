// Keys that act, and rows that arrows go through.

import { isPageFocused } from "./elements.js";

// A listener: what each key does, by its name. A key does nothing if Ctrl, Alt or Meta is down, and goes on if its act
// returns false.
export const keys = (acts) => (event) => {
  const act = acts[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || act(event) === false) return;
  event.preventDefault();
};

// The same for a whole page: while nobody types, and the focus is in this element, or nowhere.
export const keysOfPage = (root, acts) => (event) => {
  const isTyping = event.composedPath()[0].matches?.("input, textarea, select, [contenteditable]");
  if (isTyping || event.defaultPrevented || !(isPageFocused() || root.getRootNode().activeElement)) return;
  keys(acts)(event);
};

// Is this a press that stays here, and not one that opens a tab or a window?
export const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

// A listener: up and down go to the next of the same kind, Home and End to the first and the last. kinds: selectors.
export const walk = (...kinds) => {
  const go = (step) => (event) => {
    const kind = kinds.find((kind) => event.target.matches(kind));
    if (!kind) return false;
    const all = [...event.currentTarget.querySelectorAll(kind)];
    all[Math.max(0, Math.min(all.length - 1, all.indexOf(event.target) + step))].focus();
  };
  return keys({ ArrowDown: go(1), ArrowUp: go(-1), Home: go(-Infinity), End: go(Infinity) });
};

// Make the buttons in this element one tab stop: arrows go to the next button, Home and End to the first and last.
// Returns a function that makes a button the stop.
export function oneTabStop(row) {
  const buttons = () => [...row.querySelectorAll("button:not([role=menuitem]):enabled")];
  const stop = (chosen) => {
    for (const button of row.querySelectorAll("button")) button.tabIndex = button === chosen ? 0 : -1;
  };
  stop(buttons()[0]);
  row.addEventListener("focusin", ({ target }) => {
    if (buttons().includes(target)) stop(target);
  });
  row.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(event.target);
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 };
    if (at < 0 || !(event.key in moves) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(moves[event.key] % all.length).focus();
  });
  return stop;
}

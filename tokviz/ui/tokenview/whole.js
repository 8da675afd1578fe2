// Where a token is cut to fit, the whole of it is shown in a small sheet: on hover, on focus and on tap.

import { make } from "../kit/elements.js";
import { chip } from "./marks.js";

const SHOWN_WHOLE = 2000; // bytes of a token shown in the sheet
const SHEET_GAP = 6; // px

// Show the whole of any chip in `root` that is cut. Returns a function that stops it.
export function showWhole(root) {
  const sheet = root.appendChild(make("div", "whole"));
  sheet.popover = "manual"; // in the top layer, so that no box cuts it, and above a dialog
  sheet.setAttribute("role", "tooltip");
  const isCut = (element) =>
    element.bytes_ &&
    element.checkVisibility({ visibilityProperty: true }) && // Replay hides the merges that are to be predicted
    (element.cut || element.scrollWidth > element.clientWidth + 1);
  const hide = () => sheet.matches(":popover-open") && sheet.hidePopover();
  const show = (near, chips) => {
    hide();
    if (!chips.length) return;
    sheet.replaceChildren(
      ...chips.map(({ bytes_, hue_ }) => {
        const whole = chip(bytes_.subarray(0, SHOWN_WHOLE), hue_, Infinity);
        if (bytes_.length > SHOWN_WHOLE) whole.append("…");
        return whole;
      }),
    );
    sheet.showPopover();
    const at = near.getBoundingClientRect();
    const { width, height } = sheet.getBoundingClientRect();
    const below = at.bottom + SHEET_GAP + height <= innerHeight;
    sheet.style.left = `${Math.max(SHEET_GAP, Math.min(at.left, innerWidth - width - SHEET_GAP))}px`;
    sheet.style.top = `${below ? at.bottom + SHEET_GAP : Math.max(SHEET_GAP, at.top - SHEET_GAP - height)}px`;
  };
  const over = ({ target }) => {
    const near = target.closest?.(".chip");
    const cut = near && isCut(near);
    if (cut) near.removeAttribute("title"); // the sheet says more
    show(near, cut ? [near] : []);
  };
  const focused = ({ target }) => {
    const chips = target.matches(".chip")
      ? [target]
      : [...target.querySelectorAll(":scope > * > .chip, :scope > * > * > .chip")];
    show(target, chips.length < 6 ? chips.filter(isCut) : []);
  };
  const key = (event) => {
    if (event.key === "Escape") hide();
  };
  const heard = { pointerover: over, pointerleave: hide, click: over, focusin: focused, focusout: hide, keydown: key };
  const ears = new AbortController();
  const { signal } = ears;
  for (const [name, hear] of Object.entries(heard)) root.addEventListener(name, hear, { signal });
  root.addEventListener("scroll", hide, { capture: true, signal });
  return () => {
    ears.abort();
    sheet.remove();
  };
}

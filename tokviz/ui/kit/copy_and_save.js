// What leaves the page: a text to the clipboard, a file to keep.

import { make } from "./elements.js";

export const SAID = 6000; // ms for which the outcome of a copy stays

// The address of this page with a query, for others: in the network, where this browser has one that means this machine
// only. watch.js writes it into the page.
export function addressOf(query) {
  const { address } = document.documentElement.dataset;
  const origin = address ? location.origin.replace(location.hostname, address) : location.origin;
  return `${origin}${location.pathname}?${query}`;
}

// Put a text on the clipboard, and say in `status` (an element with role=status) if that worked; true if it did.
// navigator.clipboard exists only on localhost and over https, so elsewhere the browser is made to copy a selection. It
// copies what the event is given, as a text area would lose carriage returns.
export async function copyText(text, status, done = "Copied.") {
  status.textContent = ""; // so that a screen reader says the same words again
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
    status.after(selected); // beside it: while a modal dialog is open, nothing outside it takes the focus
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

// Save a file; content is text (written as UTF-8) or a Blob.
export function saveFile(name, mime, content) {
  const address = URL.createObjectURL(new Blob([content], { type: mime }));
  const link = make("a");
  link.href = address;
  link.download = fileName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // a large file is still being read when click() returns
}

// A name that every system accepts: letters, digits and "._-", and none of those three in front.
const fileName = (name) =>
  name
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, "-")
    .replace(/^[-._]+/, "")
    .slice(-100) || "tokviz";

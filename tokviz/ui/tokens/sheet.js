// The card as a sheet that comes up from below. A token tapped on a phone has its card far down the page; so the card
// comes to the token. In the browser's top layer it stands over the page, and where nothing contains it.

import { makeButton } from "../kit/elements.js";

const APART = 12; // px between the token and the sheet

export class Sheet {
  // `card` is the element to show.
  constructor(card) {
    this.card = card;
    this.button = makeButton("plain sheet-close", "Close", () => this.close());
    card.prepend(this.button);
  }

  get open() {
    return this.card.popover === "manual";
  }

  // Show the card over the lower part of the window, and scroll the token into the part above it.
  show(token) {
    if (!this.open) {
      this.card.popover = "manual";
      this.card.showPopover();
    }
    this.card.scrollTop = 0;
    if (!token?.isConnected) return; // a table shows the tokens
    token.scrollIntoView({ block: "nearest", inline: "nearest" });
    const under = token.getBoundingClientRect().bottom + APART - this.card.getBoundingClientRect().top;
    const page = under > 0 && scrollerOf(this.card);
    if (page) page.scrollTop += under;
  }

  // Put the card back in its place on the page.
  close() {
    if (this.open) this.card.popover = null;
  }
}

// What scrolls the page that an element is on.
function scrollerOf(element) {
  for (let at = element.parentElement; at; at = at.parentElement || at.getRootNode().host) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}

// The choice of an example: a button for each of the first few, and a menu behind the last button for all others.

import { make, makeButton, setAttributes } from "../kit/elements.js";

const IN_ROW = 5; // examples in the row; the others are behind "More"

// The elements of the choice. active: the name of the example in the text area, null if another text is there.
// `choose` is called with the name of the example that was pressed.
export function exampleChoice(examples, active, choose) {
  const caption = make("span", "quiet", "Examples");
  caption.id = "examples";
  const choice = make("div", "choice");
  const group = choice.appendChild(make("span"));
  setAttributes(group, { role: "group", "aria-labelledby": "examples" });
  for (const { name } of examples.slice(0, IN_ROW)) {
    const button = group.appendChild(makeButton("", name, () => choose(name)));
    button.setAttribute("aria-pressed", name === active);
  }
  return [caption, choice, exampleMenu(group, examples.slice(IN_ROW), active, choose)];
}

// The examples that do not fit into the row, behind a button at its end.
function exampleMenu(group, examples, active, choose) {
  const menu = make("div", "examples-menu");
  menu.popover = "auto";
  const more = group.appendChild(makeButton("", "More", () => {}));
  more.popoverTargetElement = menu;
  more.setAttribute("aria-haspopup", "true");
  more.setAttribute(
    "aria-pressed",
    examples.some(({ name }) => name === active),
  );
  for (const { name } of examples) {
    const item = menu.appendChild(
      makeButton("", name, () => {
        menu.hidePopover();
        choose(name);
      }),
    );
    item.setAttribute("aria-pressed", name === active);
  }
  const items = [...menu.children];
  items[0]?.setAttribute("autofocus", "");
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    items[(items.indexOf(event.target) + step + items.length) % items.length].focus();
  });
  const close = () => menu.hidePopover();
  menu.addEventListener("toggle", ({ newState }) => {
    const change = newState === "open" ? "addEventListener" : "removeEventListener";
    document[change]("scroll", close, true); // it would not move with the page
    window[change]("resize", close);
    if (newState !== "open") {
      const lost = menu.contains(group.getRootNode().activeElement) || document.activeElement === document.body;
      if (lost) more.focus();
      return;
    }
    const { left, right, top, bottom } = more.getBoundingClientRect();
    const room = innerHeight - bottom;
    const below = room > top || room > menu.offsetHeight;
    menu.style.maxHeight = `${(below ? room : top) - 16}px`;
    menu.style.top = `${below ? bottom + 4 : Math.max(top - 4 - menu.offsetHeight, 8)}px`;
    menu.style.left = `${Math.max(8, Math.min(right - menu.offsetWidth, left))}px`;
  });
  return menu;
}

// Elements that several components make, and what they all need to know of the page around them.

// "light" or "dark", from the luminance of the page that the element is on.
export function themeOf(element) {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})/i.exec(colour);
  const parts = hex
    ? (hex[1].length === 3 ? [...hex[1]].map((d) => d + d) : hex[1].match(/../g)).map((pair) => parseInt(pair, 16))
    : (colour.match(/[\d.]+/g) || [255, 255, 255]).slice(0, 3).map(Number);
  const [r, g, b] = parts.map((part) => (part / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.18 ? "dark" : "light";
}

export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

// Screen readers say what changes in this element.
export function asStatus(element) {
  element.setAttribute("role", "status");
  return element;
}

// Screen readers skip this element.
export function unspoken(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

const mounted = new WeakMap(); // element -> what is drawn in it; a module is shared by all instances of a component

// Draw a component that outlives the runs of a page: made at the first, and closed when its element leaves the page.
export function mount(Kind, { parentElement }, update, ...given) {
  if (!mounted.has(parentElement)) mounted.set(parentElement, new Kind(parentElement, ...given));
  const drawn = mounted.get(parentElement);
  drawn.root.dataset.theme = themeOf(drawn.root);
  update(drawn);
  return () => {
    drawn.close();
    mounted.delete(parentElement);
  };
}

// An element of an SVG drawing.
export function shape(name, attributes = {}, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(element, attributes);
  if (text) element.textContent = text;
  return element;
}

// A field for text that counts as it is typed: a phone corrects nothing in it, and begins nothing with a capital.
export function asTyped(field) {
  field.spellcheck = false;
  for (const name of ["autocapitalize", "autocorrect", "autocomplete"]) field.setAttribute(name, "off");
  return field;
}

// The mark of a tokenizer in its colour. Its name is beside it, so screen readers skip the mark.
export function seriesMark({ glyph, series }) {
  const mark = unspoken(make("span", "mark", glyph));
  mark.style.color = `var(--k-${series})`;
  return mark;
}

// A sign between tokens, such as "+", which screen readers say as a word.
export function sign(text, word) {
  const mark = make("span", "sign", text);
  setAttributes(mark, { role: "img", "aria-label": word });
  return mark;
}

// Does the person point with a finger? Then nothing on the page speaks of keys, and kit.css makes controls larger.
export const byTouch = () => matchMedia("(pointer: coarse)").matches;

// Has the page a connection to its server? If not, watch.js tells the person.
export const isConnected = () =>
  document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState === "CONNECTED";

// Has nothing but the page or a link the focus? A click on the empty page gives it to Streamlit's main part.
export const isPageFocused = () => document.activeElement?.matches('body, a, [data-testid="stMain"]');

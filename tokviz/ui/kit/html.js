// A tagged template that says what is drawn: render(html`…`, root) draws it, and drawing again changes only what differs.
// It means what lit-html means by it. Values are never parsed: they become text nodes, attributes, ?boolean attributes,
// .properties and @listeners. But false as a child draws nothing, null and undefined take an attribute away, and what
// somebody's text could do harm by is refused (guard.js).
import { isSafe, isSafeInStyle, refuseName, refuseTemplate, STYLE, withoutStyle } from "./guard.js";

const MARK = "\u2063hole\u2063"; // in the place of a value while a template is parsed
const IN_TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*(?:"[^"]*|'[^']*)?$/i; // a text that ends inside a tag
const KIND = Symbol("kind"); // only what these functions make has it: no data of a server can
export const nothing = Symbol("nothing");
export const html = (strings, ...values) => ({ [KIND]: "template", strings, values });
export const svg = (strings, ...values) => ({ [KIND]: "template", strings, values, isSvg: true }); // inside an <svg>
export const keyed = (key, child) => ({ [KIND]: "keyed", key, child }); // in a list: the same key keeps its elements
export const live = (value) => ({ [KIND]: "live", value }); // of a .property that a person changes: set if it differs

const roots = new WeakMap(); // element -> what is drawn in it; what else is in it stays
export function render(child, root) {
  if (!roots.has(root)) roots.set(root, new Child(root.appendChild(new Comment())));
  roots.get(root).set(child);
}

const isNothing = (value) => value === nothing || value === null || value === undefined;
const templates = new WeakMap(); // strings -> { content, holes }

function parsed(strings, isSvg) {
  const template = document.createElement("template");
  const join = (text, string) => text + (IN_TAG.test(text) ? MARK : `<!--${MARK}-->`) + string;
  const text = withoutStyle(strings.reduce(join), MARK);
  template.innerHTML = isSvg ? `<svg>${text}</svg>` : text; // the author's strings, without any value
  if (isSvg) template.content.replaceChildren(...template.content.firstChild.childNodes);
  refuseTemplate(strings, template.content);
  return { content: template.content, holes: holesIn(template.content, strings) };
}

// Where values go: `path` leads to a node, `at` is the index of the value. The hole of an attribute has its name and the
// texts around its values. Properties come last, because a select takes its value only after its options.
function holesIn(content, strings) {
  const holes = [];
  let at = 0;
  const look = (node, path) => {
    if (node.data === MARK) {
      holes.push({ path, at: at++ });
      node.data = "";
    }
    for (const { name: small, value } of [...(node.attributes ?? [])]) {
      if (!value.includes(MARK)) continue;
      const [texts, name] = [value.split(MARK), asWritten(small, strings[at])];
      refuseName(name);
      holes.push({ path, at, name, texts });
      node.removeAttribute(small);
      at += texts.length - 1;
    }
    for (const [i, child] of node.childNodes.entries()) look(child, [...path, i]);
  };
  look(content, []);
  if (at !== strings.length - 1) throw new Error(`A value is in no text and no attribute: ${strings.join("…")}`);
  return holes.sort((a, b) => (a.name?.[0] === ".") - (b.name?.[0] === "."));
}

// The parser makes names small, but properties and events may have capitals: the name as it was written.
const asWritten = (name, string) =>
  /^[.@]/.test(name) ? string.slice(string.toLowerCase().lastIndexOf(`${name}=`)).slice(0, name.length) : name;

class Copy {
  // of a template, in the page
  constructor({ strings, values, isSvg }) {
    if (!templates.has(strings)) templates.set(strings, parsed(strings, isSvg));
    const { content, holes } = templates.get(strings);
    this.strings = strings;
    this.content = document.importNode(content, true);
    const nodes = holes.map(({ path }) => path.reduce((node, i) => node.childNodes[i], this.content));
    this.parts = holes.map((hole, i) => (hole.name ? new Attribute(nodes[i], hole) : new Child(nodes[i], hole.at)));
    this.update(values);
  }

  update(values) {
    for (const part of this.parts) part.set(part.texts ? part.joined(values) : values[part.at]);
  }
}

// What a value does, by the first letter of the name that the template gives it. Of a style see guard.js.
const WRITE = {
  ".": (element, name, value) => Object.assign(element, { [name]: value }),
  "?": (element, name, value) => element.toggleAttribute(name, Boolean(value) && value !== nothing),
  "@": (element, name, value, part) =>
    element[typeof value === "function" ? "addEventListener" : "removeEventListener"](name, part),
  "": (element, name, value) => {
    if (name === "style") element.style.cssText = value;
    else if (isNothing(value) || !isSafe(name, value)) element.removeAttribute(name);
    else element.setAttribute(name, value);
  },
};

class Attribute {
  constructor(element, { name, texts, at }) {
    const kind = name[0] in WRITE ? name[0] : "";
    Object.assign(this, { element, name: name.slice(kind.length), write: WRITE[kind], at });
    if (texts.some(Boolean) || name === STYLE) this.texts = texts;
    if (name === STYLE) Object.assign(this, { element: element.style, name: "cssText", write: WRITE["."] });
  }

  // The texts of the template, with the values between them.
  joined(values) {
    const word = (value) => (isNothing(value) || (this.name === "cssText" && !isSafeInStyle(value)) ? "" : value);
    return this.texts.reduce((whole, text, i) => `${whole}${word(values[this.at + i - 1])}${text}`);
  }

  set(given) {
    const { element, name } = this;
    const [before, value] = given?.[KIND] === "live" ? [element[name], given.value] : [this.value, given];
    this.value = value;
    if (value !== before) this.write(element, name, value, this);
  }

  // The element hears by this object, which it is given once: giving it again changes nothing.
  handleEvent(event) {
    this.value.call(this.element, event);
  }
}

// What is between two comments: a template, a list, a text, or a node that was made elsewhere.
class Child {
  constructor(end, at, key) {
    Object.assign(this, { start: new Comment(), end, at, key });
    end.before(this.start);
    this.start.child = this;
  }

  set(given) {
    const { key, child } = given?.[KIND] === "keyed" ? given : { child: given };
    if (key !== this.key) this.clear();
    this.key = key;
    if (isNothing(child) || child === false || child === "") this.clear();
    else if (child[KIND] === "template") this.setTemplate(child);
    else if (child instanceof Node) this.node = this.node === child ? child : this.put(child);
    else if (typeof child === "object" && child[Symbol.iterator]) this.setList([...child]);
    else this.setText(String(child));
  }

  clear() {
    while (this.start.nextSibling !== this.end) this.start.nextSibling.remove();
    this.copy = this.items = this.node = this.text = null;
  }

  put(node) {
    this.clear();
    this.end.before(node);
    return node;
  }

  setTemplate(template) {
    if (this.copy?.strings === template.strings) return this.copy.update(template.values);
    const copy = new Copy(template);
    this.put(copy.content);
    this.copy = copy;
  }

  setText(text) {
    this.text ??= this.put(new Text());
    if (this.text.data !== text) this.text.data = text;
  }

  // Items are found again by their keys, and those without one in their order.
  setList(values) {
    if (!this.items) this.clear();
    const free = Map.groupBy(this.items ?? [], ({ key }) => key); // those that no value has taken
    this.items = values.map((value) => {
      const key = value?.[KIND] === "keyed" ? value.key : undefined;
      return free.get(key)?.shift() ?? new Child(this.end.parentNode.insertBefore(new Comment(), this.end), null, key);
    });
    for (const { start, end } of [...free.values()].flat()) {
      while (start.nextSibling !== end) start.nextSibling.remove();
      start.remove();
      end.remove();
    }
    this.arrange();
    for (const [i, item] of this.items.entries()) item.set(values[i]);
  }

  // Put the items in their order. Where one that is in the way only goes further down, it moves, and not all after it.
  arrange() {
    let last = this.start;
    for (const item of this.items) {
      const there = last.nextSibling;
      if (there.child?.end.nextSibling === item.start) there.child.move(this.end);
      else if (there !== item.start) item.move(there);
      last = item.end;
    }
  }

  // What moves keeps its focus, its selection and its scroll positions in browsers that have moveBefore().
  move(before) {
    const parent = before.parentNode;
    const how = parent.moveBefore && parent.isConnected ? "moveBefore" : "insertBefore";
    for (let node = this.start, next; node; node = next) {
      next = node === this.end ? null : node.nextSibling;
      parent[how](node, before);
    }
  }
}

// A component from a function that says what is drawn: `component(name, draw)` is what an entry file exports.
//
// draw(data, on) is called when the data change and after on.redraw(); it returns what html.js draws, and html.js changes
// only what differs. `on` has
//   root              the element that everything is in
//   state             what the component keeps for itself
//   redraw(fields)    put fields into the state, and draw again
//   tell(name, value) tell Python something once: the page runs again
//   keep(name, value) likewise, and the value stays
//   rested(ms, act)   do something after these ms, unless rested is called again before
// begin(on), where it is given, is called once, before the first drawing; what it returns is called at the end.

import { make, mount } from "./elements.js";
import { render } from "./html.js";

export const component = (name, draw, begin) => (page) =>
  mount(Component, page, (one) => one.load(page), name, draw, begin);

class Component {
  constructor(parent, name, draw, begin) {
    this.root = parent.appendChild(make("div", `tokviz ${name}`));
    this.draw = draw;
    this.on = {
      root: this.root,
      state: {},
      redraw: (fields) => this.redraw(fields),
      tell: (...what) => this.page.setTriggerValue(...what),
      keep: (...what) => this.page.setStateValue(...what),
      rested: (ms, act) => {
        clearTimeout(this.resting);
        this.resting = setTimeout(act, ms);
      },
    };
    this.end = begin?.(this.on);
  }

  load(page) {
    this.page = page;
    this.redraw();
  }

  // What goes while something is drawn can lose the focus, and what hears of that can ask for a drawing: then it waits.
  redraw(fields) {
    Object.assign(this.on.state, fields);
    if (this.isDrawing) return queueMicrotask(() => this.redraw());
    this.isDrawing = true;
    try {
      render(this.draw(this.page.data, this.on), this.root);
    } finally {
      this.isDrawing = false;
    }
  }

  close() {
    clearTimeout(this.resting);
    this.end?.();
    this.root.remove();
  }
}

// To be called in draw(): if the row that has the focus goes, the one in its place gets it. selector: what takes the focus.
export function keepFocus(root, selector) {
  const all = () => [...root.querySelectorAll(selector)];
  const focused = () => root.getRootNode().activeElement;
  const place = all().indexOf(focused());
  if (place < 0) return;
  queueMicrotask(() => {
    if (!root.contains(focused())) all()[Math.min(place, all().length - 1)]?.focus();
  });
}

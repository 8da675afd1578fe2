// The token view as a component of its own.

import { TokenPanel } from "./panel.js";

const panels = new WeakMap(); // a module is shared by all instances of a component

export default function ({ data, parentElement }) {
  if (!panels.has(parentElement)) panels.set(parentElement, new TokenPanel(parentElement));
  const panel = panels.get(parentElement);
  panel.update(data);
  return () => {
    panel.close();
    panels.delete(parentElement);
  };
}

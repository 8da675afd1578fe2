// The token view as a component of its own.

import { mount } from "../kit/elements.js";
import { TokenPanel } from "./panel.js";

export default function (page) {
  return mount(TokenPanel, page, (panel) => panel.update(page.data));
}

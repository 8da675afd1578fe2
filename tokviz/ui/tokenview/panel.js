// A text as tokens that nobody types here, as a component.

import { mount } from "../kit/elements.js";
import { TokenPanel } from "./token_panel.js";

export default function (page) {
  return mount(TokenPanel, page, (panel) => panel.update(page.data));
}

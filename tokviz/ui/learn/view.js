// The view of a step: the blocks that Python composed (tokviz/teach/lessons/views), and the player, which draws itself.

import { drawer } from "../kit/blocks.js";
import { make } from "../kit/elements.js";
import { render } from "../kit/html.js";
import { Parts } from "../kit/parts.js";
import { TOKEN_KINDS } from "../tokenview/token_kinds.js";
import { Player } from "./player.js";

const player = (data, { on }) => {
  const part = on.part("player", () => new Player(on));
  if (part.data !== data) part.show(data, on.moved);
  part.data = data;
  return part.box;
};

const draw = drawer(...TOKEN_KINDS, { player });

export class View {
  // change(inputs): the learner has changed inputs of the view; all that were changed so far come with it. Null in a file,
  // where nothing can be changed. root is in the page before anything is shown, because a player measures its room.
  constructor(change) {
    this.root = make("div", "blocks");
    this.parts = new Parts();
    this.inputs = {};
    this.on = {
      kept: new Map(),
      change: change && ((inputs) => change(Object.assign(this.inputs, inputs))),
      part: (name, make) => this.parts.of(name, make),
      redraw: () => this.draw(),
    };
  }

  close() {
    this.parts.close();
  }

  // moved: whether an answer led here.
  show({ blocks }, moved = false) {
    this.blocks = blocks;
    this.on.moved = moved;
    this.draw();
  }

  draw() {
    render(draw(this.blocks, this.on), this.root);
    this.parts.drawn();
  }

  // What the field of this name holds.
  value(name) {
    return this.on.kept.get(`field ${name}`);
  }

  // Put values into the fields of these names.
  fill(values) {
    for (const [name, value] of Object.entries(values)) this.on.kept.set(`field ${name}`, value);
    this.draw();
  }
}

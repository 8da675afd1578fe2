// Replay: save the tokens of the step in view as a picture.

import { saveFile } from "../kit/copy_and_save.js";
import { figure, quantity } from "../kit/words.js";
import { pictureOf, pngOf } from "../tokenview/picture.js";

export class Take {
  constructor(root, stage) {
    this.stage = stage;
    this.box = root.querySelector(".take");
    this.words = this.box.querySelector("[role=status]");
    this.box.addEventListener("click", ({ target }) => {
      const kind = target.closest("button")?.dataset.take;
      if (kind) this.save(kind);
    });
  }

  async save(kind) {
    const { view, data, k, last, told } = this.stage;
    const all = view.count();
    const done = `${figure(k)} of ${figure(last)} merges done, ${quantity(all, "token")}.`;
    const caption = `${done} ${told.coming()}`.trim();
    this.words.textContent = "";
    const picture = pictureOf(view, data.title, caption, (copy) => view.markCopy(copy));
    const [mime, content] = kind === "svg" ? ["image/svg+xml", picture.svg] : ["image/png", await pngOf(picture)];
    saveFile(`${data.title} step ${k}.${kind}`, mime, content);
    this.words.textContent =
      picture.tokens < all
        ? `${kind.toUpperCase()} saved: the first ${figure(picture.tokens)} of ${figure(all)} tokens.`
        : `${kind.toUpperCase()} saved.`;
  }
}

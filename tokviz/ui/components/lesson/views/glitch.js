// Tokens that were born in one corpus and never occur in another: two corpora, and the tokens that are dead.

import { make, makeArea, makeButton } from "../../../kit/elements.js";
import { figure, quantity, times } from "../../../kit/words.js";
import { fromHex } from "../../encoding.js";
import { chip } from "../../token_view/marks.js";

export class GlitchView {
  constructor(box, change) {
    this.change = change;
    const pair = box.appendChild(make("div", "two-texts"));
    const fields = { born: "The vocabulary learns from", seen: "The model learns from" };
    [this.born, this.seen] = Object.entries(fields).map(([name, title]) => {
      const label = pair.appendChild(make("label"));
      const area = makeArea(title, () => this.ask(), 4);
      area.name = name;
      label.append(make("b", "", title), area);
      return area;
    });
    this.pick = box.appendChild(make("div", "series-pick asks"));
    this.words = box.appendChild(make("p", "finding"));
    this.words.setAttribute("aria-live", "polite");
    this.list = box.appendChild(make("ul", "dead-tokens"));
  }

  ask(mine = this.data.mine) {
    this.change({ born: this.born.value, seen: this.seen.value, mine });
  }

  show(data) {
    if (!this.data) {
      this.born.value = data.born;
      this.seen.value = data.seen;
    }
    this.data = data;
    this.born.parentElement.hidden = data.mine;
    this.pick.hidden = !data.own;
    const choice = (text, mine) => {
      const button = makeButton("", text, () => this.ask(mine));
      button.setAttribute("aria-pressed", String(mine === data.mine));
      return button;
    };
    this.pick.replaceChildren(choice("This small vocabulary", false), choice(data.own, true));
    this.words.textContent = data.n_dead
      ? `${figure(data.n_dead)} of ${quantity(data.of, "token")} never occur in what the model learns from:`
      : `All ${quantity(data.of, "token")} occur in what the model learns from.`;
    this.list.replaceChildren(
      ...data.dead.map((each) => {
        const item = make("li");
        item.append(chip(fromHex(each.token.hex)));
        if (each.times) item.append(make("span", "quiet", `${times(each.times)}, then never`));
        return item;
      }),
      ...(data.n_dead > data.dead.length
        ? [make("li", "quiet", `and ${figure(data.n_dead - data.dead.length)} more`)]
        : []),
    );
  }
}

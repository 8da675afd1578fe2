// The chapters of the course, how far the learner is in each, and the steps of the chapter that is open. On a phone it is
// folded into a bar.

import { make, makeButton } from "../elements.js";
import { figure } from "../words.js";

export class Rail {
  // goTo(id) opens a step.
  constructor(goTo) {
    this.goTo = goTo;
    this.root = make("nav", "rail");
    this.root.setAttribute("aria-label", "Chapters");
    this.head = make("h2");
    this.ticks = make("div", "ticks");
    this.ticks.setAttribute("aria-hidden", "true");
    this.list = make("ol");
    this.bar = makeButton("bar", "", () => this.fold(this.root.classList.contains("open")));
    this.root.append(this.bar, this.head, this.ticks, this.list);
  }

  // Fold the list away on a phone, or unfold it.
  fold(away) {
    this.root.classList.toggle("open", !away);
    this.bar.setAttribute("aria-expanded", String(!away));
  }

  draw(outline, done, now) {
    const all = outline.flatMap((chapter) => chapter.steps);
    const isDone = ({ id }) => done.has(id);
    const made = all.filter(isDone).length;
    const here = outline.findIndex((chapter) => chapter.steps.some(({ id }) => id === now));
    this.head.textContent = `${figure(made)} of ${figure(all.length)} steps done`;
    this.bar.replaceChildren(
      make("b", "", `${here + 1} of ${outline.length}: ${outline[here].title}`),
      make("span", "quiet", `${figure(made)} of ${figure(all.length)} ⌄`),
    );
    this.ticks.replaceChildren(
      ...outline.map((chapter) => {
        const tick = make("i");
        tick.style.flexGrow = chapter.steps.length;
        tick.style.setProperty("--done", chapter.steps.filter(isDone).length / chapter.steps.length);
        return tick;
      }),
    );
    this.list.replaceChildren(
      ...outline.map((chapter, i) => {
        const item = make("li");
        const count = chapter.steps.filter(isDone).length;
        const total = chapter.steps.length;
        const next = chapter.steps.find((step) => !isDone(step)) || chapter.steps[0];
        const button = makeButton("", "", () => {
          this.fold(true);
          this.goTo(next.id);
        });
        if (i === here) button.setAttribute("aria-current", "true");
        const words = count === total ? "✓" : count || i === here ? `${count} of ${total}` : String(total);
        const share = make("span", count === total ? "share all" : "share", words);
        share.setAttribute("aria-label", `${count} of ${total} steps done`);
        share.setAttribute("role", "img");
        button.append(make("span", "no", String(i + 1)), make("span", "name", chapter.title), share);
        item.append(button);
        return item;
      }),
    );
    this.fold(true);
  }
}

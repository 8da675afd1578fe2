// The chapters of the course, how far the learner is in each, and the steps of the chapter that is open. On a phone it is
// folded into a bar.

import { make, makeButton, setAttributes, unspoken } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { pageLink } from "../page_link.js";

export class Rail {
  // goTo(id) opens a step.
  constructor(goTo) {
    this.goTo = goTo;
    this.root = make("nav", "rail");
    this.root.setAttribute("aria-label", "Chapters");
    this.head = make("h2");
    this.ticks = unspoken(make("div", "ticks"));
    this.folded = make("div", "folded");
    this.list = make("ol", "chapters");
    this.ways = make("div", "ways");
    this.folded.append(this.list, this.ways);
    this.bar = makeButton("bar", "", () => {
      this.fold(this.root.classList.contains("open"));
      this.list.querySelector(".here")?.scrollIntoView({ block: "nearest" });
    });
    this.root.append(this.bar, this.head, this.ticks, this.folded);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.root.classList.contains("open")) return;
      this.fold(true);
      this.bar.focus();
    });
  }

  // Fold the list away on a phone, or unfold it.
  fold(away) {
    this.root.classList.toggle("open", !away);
    this.bar.setAttribute("aria-expanded", String(!away));
  }

  draw(outline, done, now) {
    const all = outline.flatMap((chapter) => chapter.steps);
    this.isDone = ({ id }) => done.has(id);
    const made = all.filter(this.isDone).length;
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
        tick.style.setProperty("--done", chapter.steps.filter(this.isDone).length / chapter.steps.length);
        return tick;
      }),
    );
    const held = this.root.getRootNode().activeElement?.dataset.to;
    this.list.replaceChildren(...outline.map((chapter, i) => this.drawChapter(chapter, i, i === here ? now : null)));
    if (held) this.list.querySelector(`[data-to="${held}"]`)?.focus({ preventScroll: true });
    this.fold(true);
    this.showHere();
  }

  // Links to the lesson plans and to the class, and the button that saves the chapter.
  drawWays(ways, save) {
    this.ways.replaceChildren(
      ...ways.map(({ page, query, text }) => pageLink("way", page, query, text)),
      makeButton("way", "Save this chapter as a file", save),
    );
  }

  // now: the step that is shown, null in the other chapters. Only the chapter that is open shows its steps.
  drawChapter(chapter, i, now) {
    const item = make("li", now ? "here" : "");
    const count = chapter.steps.filter(this.isDone).length;
    const total = chapter.steps.length;
    const next = chapter.steps.find((step) => !this.isDone(step)) || chapter.steps[0];
    const button = makeButton("chapter", "", () => this.goTo(next.id));
    button.dataset.to = `chapter ${i}`;
    if (now) button.setAttribute("aria-current", "true");
    const words = count === total ? "✓" : count || now ? `${count} of ${total}` : String(total);
    const share = make("span", count === total ? "share all" : "share", words);
    setAttributes(share, { "aria-label": `${count} of ${total} steps done`, role: "img" });
    button.append(make("span", "no", String(i + 1)), make("span", "name", chapter.title), share);
    item.append(button);
    if (now && total > 1) {
      const steps = make("ol", "steps");
      steps.append(...chapter.steps.map((step, number) => this.drawStep(step, `${i + 1}.${number + 1}`, now)));
      item.append(steps);
    }
    return item;
  }

  drawStep(step, number, now) {
    const item = make("li");
    const button = makeButton("", "", () => this.goTo(step.id));
    button.dataset.to = step.id;
    button.append(make("span", "no", number), make("span", "name", step.title));
    if (step.id === now) button.setAttribute("aria-current", "step");
    if (this.isDone(step)) {
      const mark = make("span", "share all", "✓");
      setAttributes(mark, { role: "img", "aria-label": "done" });
      button.append(mark);
    }
    item.append(button);
    return item;
  }

  // Scroll the list, and only the list, to the chapter that is open.
  showHere() {
    const item = this.list.querySelector(".here");
    const [list, here] = [this.list, item].map((element) => element.getBoundingClientRect());
    if (here.top < list.top) this.list.scrollTop += here.top - list.top;
    else if (here.bottom > list.bottom) this.list.scrollTop += Math.min(here.bottom - list.bottom, here.top - list.top);
  }
}

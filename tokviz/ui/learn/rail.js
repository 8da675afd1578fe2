// The chapters of the course, how far the learner is in each, the steps of the chapter that is open, and a search over all
// of them. On a phone it is folded into a bar.

import { html, nothing, render } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { pageLink } from "../tokenview/page_link.js";
import { Find } from "./find.js";

export class Rail {
  // goTo(id) opens a step.
  constructor(goTo, asker) {
    this.goTo = goTo;
    this.find = new Find(asker, goTo, () => this.redraw());
    this.root = document.createElement("nav");
    this.root.ariaLabel = "Chapters";
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen) return;
      this.fold(true);
      this.root.querySelector(".bar").focus();
    });
  }

  // Fold the list away on a phone, or unfold it.
  fold(away) {
    this.isOpen = !away;
    this.redraw();
  }

  // Links to the lesson plans and to the class, and the button that saves the chapter.
  drawWays(ways, save) {
    this.links = ways.map(({ page, query, text }) => pageLink("", page, query, text));
    this.save = save;
  }

  draw(outline, done, now) {
    Object.assign(this, { outline, now, isDone: ({ id }) => done.has(id) });
    this.fold(true);
    this.showHere();
  }

  redraw() {
    const { outline, isDone, now } = this;
    const all = outline.flatMap((chapter) => chapter.steps);
    const made = all.filter(isDone).length;
    const here = outline.findIndex((chapter) => chapter.steps.some(({ id }) => id === now));
    const unfold = () => {
      this.fold(this.isOpen);
      this.root.querySelector(".here")?.scrollIntoView({ block: "nearest" });
    };
    this.root.className = this.isOpen ? "rail open" : "rail";
    render(
      html`<div class="top">
          <button type="button" class="bar" aria-expanded=${this.isOpen} @click=${unfold}>
            <b>${here + 1} of ${outline.length}: ${outline[here].title} ⌄</b></button>
          ${this.find.draw(outline)}</div>
        <div class="ticks" aria-hidden="true">${outline.map(
          ({ steps }) =>
            html`<i style="flex-grow: ${steps.length}; --done: ${steps.filter(isDone).length / steps.length}"></i>`,
        )}</div>
        <div class="folded">
          <h2>${figure(made)} of ${figure(all.length)} steps done</h2>
          <ol class="chapters">${outline.map((chapter, i) => this.chapter(chapter, i, i === here))}</ol>
          <div class="flow ways">${this.links}<button type="button" class="link" @click=${this.save}>Save this chapter as a file</button></div>
        </div>`,
      this.root,
    );
  }

  // Only the chapter that is open shows its steps.
  chapter({ title, steps }, i, isHere) {
    const [count, total] = [steps.filter(this.isDone).length, steps.length];
    const next = steps.find((step) => !this.isDone(step)) || steps[0];
    const words = count === total ? "✓" : count || isHere ? `${count} of ${total}` : total;
    return html`<li class=${isHere ? "here" : ""}>
      <button type="button" class="chapter" aria-current=${isHere ? "true" : nothing} @click=${() => this.goTo(next.id)}>
        <span class="no">${i + 1}</span><span class="name">${title}</span>
        <span class=${count === total ? "share all" : "share"} role="img" aria-label="${count} of ${total} steps done">${words}</span>
      </button>
      ${isHere && total > 1 && html`<ol class="steps">${steps.map((step, at) => this.step(step, `${i + 1}.${at + 1}`))}</ol>`}
    </li>`;
  }

  step(step, number) {
    return html`<li>
      <button type="button" aria-current=${step.id === this.now ? "step" : nothing} @click=${() => this.goTo(step.id)}>
        <span class="no">${number}</span><span class="name">${step.title}</span>
        ${this.isDone(step) && html`<span class="share all" role="img" aria-label="done">✓</span>`}
      </button>
    </li>`;
  }

  // Scroll the list, and only the list, to the chapter that is open.
  showHere() {
    const chapters = this.root.querySelector(".chapters");
    const [list, here] = [chapters, chapters.querySelector(".here")].map((element) => element.getBoundingClientRect());
    if (here.top < list.top) chapters.scrollTop += here.top - list.top;
    else if (here.bottom > list.bottom) chapters.scrollTop += Math.min(here.bottom - list.bottom, here.top - list.top);
  }
}

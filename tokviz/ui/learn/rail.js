// The chapters of the course, how far the learner is in each, the steps of the chapter that is open, and a search over all
// of them. On a phone it is folded into a bar.

import { html, nothing } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { pageLink } from "../tokenview/page_link.js";

// lesson: of lesson.js.
export function drawRail(lesson) {
  const { outline, ways } = lesson.data;
  const isDone = ({ id }) => lesson.done.has(id);
  const all = outline.flatMap((chapter) => chapter.steps);
  const here = outline.find(({ steps }) => steps.some(({ id }) => id === lesson.step.id));
  return html`<nav class=${lesson.isOpen ? "rail open" : "rail"} aria-label="Chapters">
    <div class="top">
      <button type="button" class="bar" aria-expanded=${lesson.isOpen} @click=${() => lesson.fold(!lesson.isOpen)}>
        <b>${outline.indexOf(here) + 1} of ${outline.length}: ${here.title} ⌄</b></button>
      ${lesson.find.draw(outline)}
    </div>
    <div class="ticks" aria-hidden="true">${outline.map(
      ({ steps }) =>
        html`<i style="flex-grow: ${steps.length}; --done: ${steps.filter(isDone).length / steps.length}"></i>`,
    )}</div>
    <div class="folded">
      <h2>${figure(all.filter(isDone).length)} of ${figure(all.length)} steps done</h2>
      <ol class="chapters">${outline.map((chapter, i) => drawChapter(chapter, i + 1, chapter === here, isDone, lesson))}</ol>
      <div class="flow ways">${ways.map(({ page, query, text }) => pageLink("", page, query, text))}<button type="button"
        class="link" @click=${() => lesson.save()}>Save this chapter as a file</button></div>
    </div>
  </nav>`;
}

// Only the chapter that is open shows its steps.
function drawChapter({ title, steps }, number, isHere, isDone, lesson) {
  const [count, total] = [steps.filter(isDone).length, steps.length];
  const next = steps.find((step) => !isDone(step)) || steps[0];
  const words = count === total ? "✓" : count || isHere ? `${count} of ${total}` : total;
  const drawStep = (step, i) => {
    const current = step.id === lesson.step.id ? "step" : nothing;
    const tick = isDone(step) && html`<span class="share all" role="img" aria-label="done">✓</span>`;
    return html`<li>${drawRow(lesson, step.id, current, `${number}.${i + 1}`, step.title, tick)}</li>`;
  };
  const share = html`<span class=${count === total ? "share all" : "share"} role="img" aria-label="${count} of ${total} steps done">${words}</span>`;
  return html`<li class=${isHere ? "here" : ""}>${drawRow(lesson, next.id, isHere ? "true" : nothing, number, title, share)}
    ${isHere && total > 1 && html`<ol class="steps">${steps.map(drawStep)}</ol>`}</li>`;
}

function drawRow(lesson, id, current, number, title, mark) {
  return html`<button type="button" class="menu-item" aria-current=${current} @click=${() => lesson.goTo(id)}>
    <span class="no">${number}</span><span class="name">${title}</span>${mark}</button>`;
}

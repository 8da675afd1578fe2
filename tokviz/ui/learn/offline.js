// Steps of the course in a file that opens without a server: one below the other, with their views as they are at first,
// and each task with its answer folded away.
//
// data = {steps}: as tokviz/offline/lesson.py makes them.

import { make, themeOf } from "../kit/elements.js";
import { html, render } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { drawParts } from "../tokenview/sentences.js";
import { View } from "./view.js";

const draw = (steps) =>
  html`<ol class="contents">${steps.map(
    ({ id, title }) => html`<li><a class="to-page" href=${`#${id}`}>${title}</a></li>`,
  )}</ol>${steps.map(drawStep)}`;

const drawStep = ({ id, title, prose, view, task, code }, i) => html`<article class="lesson" id=${id}>
  <h2 class="step-title">${i + 1}. ${title}</h2>
  <div class="prose">${prose.map((parts) => html`<p>${drawParts(parts)}</p>`)}</div>
  ${view && html`<div class="stage"></div>`}
  ${task && drawTask(task)}
  ${code && html`<details class="code"><summary>The same in Python</summary><pre tabindex="0">${code}</pre></details>`}
</article>`;

function drawView(stage, view) {
  const drawn = new View(null);
  stage.append(drawn.root);
  drawn.show(view);
}

// The view of an answer is drawn when it is seen: before that nothing in it has a size.
function drawTask({ kind, title, begin, start, right, judged: { says, data, view } }) {
  const drawn = data.blocks ? data : view;
  const said = drawRight(start, right);
  const unfold = ({ currentTarget: fold }) => {
    if (drawn && !fold.querySelector(".stage")) drawView(fold.appendChild(make("div", "stage")), drawn);
  };
  return html`<section class="task"><h3>${title}</h3>
    ${kind === "cut" ? html`<p class="typed">${start.text}</p>` : begin && html`<p class="quiet">${begin}</p>`}
    ${start.options && html`<ol class="offered">${start.options.map((parts) => html`<li>${drawParts(parts)}</li>`)}</ol>`}
    <details class="answer" @toggle=${unfold}><summary>The answer</summary>
      ${said && html`<p>${said}</p>`}<p class="says">${drawParts(says)}</p></details>
  </section>`;
}

function drawRight({ options, text, unit }, right) {
  if (options?.[right]) return drawParts(options[right]);
  if (unit !== undefined) return html`<b>${typeof right === "number" ? figure(right) : right}</b>`;
  const cut = text && [...text].map((letter, i) => (right.includes(i) ? `|${letter}` : letter)).join("");
  return cut && html`<code class="typed">${cut}</code>`;
}

const roots = new WeakMap();

export default function ({ parentElement, data: { steps } }) {
  const known = roots.get(parentElement);
  const root = known || parentElement.appendChild(make("div", "tokviz offline"));
  root.dataset.theme = themeOf(root);
  if (known) return;
  roots.set(parentElement, root);
  render(draw(steps), root);
  // Everything is on the page before views are drawn: they measure their room.
  const stages = root.querySelectorAll(".lesson > .stage");
  for (const [i, { view }] of steps.filter((step) => step.view).entries()) drawView(stages[i], view);
}

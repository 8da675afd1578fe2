// Below the screen that a class sees: the questions still to come, whether new students can join, and whether students
// follow the teacher's lesson.

import { html, live } from "../kit/html.js";

export function drawPlan(room) {
  const { plan, step, follow, let_in: letIn } = room.state;
  const told = follow ? "Students see it too, when no vote is open." : "Students are not told.";
  return html`<section class="plan" aria-labelledby="plan">
    <h2 id="plan">Questions to come</h2>
    ${
      plan.length
        ? html`<ol class="to-come">${plan.map((question) => drawEntry(question, room))}</ol>`
        : html`<p class="quiet">None. Add some below; you can do so at any time, also while a question is open.</p>`
    }
    ${drawChoice("New students can join", letIn, (on) => room.say({ let_in: on }))}
    ${drawChoice("Students follow my lesson", follow, (on) => room.say({ follow: on }))}
    <p class="quiet small">${
      step
        ? `You are at the step “${step}”. ${told}`
        : "Once you have opened a step in Learn, students can see the same step."
    }</p>
  </section>`;
}

const drawEntry = ({ number, title, lead }, room) => html`<li>
  <span class="number quiet">${number}</span><span dir="auto">${title}${lead && html`<span class="quiet small"> ${lead}</span>`}</span>
  <button type="button" class="press small" aria-label="Take out question ${number}"
    @click=${() => room.say({ drop: number })}>Take out</button></li>`;

const drawChoice = (words, isOn, choose) => html`<label class="choice"><input type="checkbox" .checked=${live(isOn)}
  @change=${({ target }) => choose(target.checked)}> ${words}</label>`;

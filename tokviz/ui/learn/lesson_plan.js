// A lesson plan as a table that a teacher can print, or the guide to running a class.
//
// data = {title, lead, query, back, others, rows, save, sections}. query: of a link to this view. back: the query of a link
// to the course. others: {query, text, here} for the plans and the guide. rows: {at, minutes, phase, teacher, students,
// step, vote, answers}. save: the key of the plan, null if there is none to save. sections: {title, blocks}, of the guide.

import { Asker } from "../kit/ask.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, make } from "../kit/elements.js";
import { html } from "../kit/html.js";
import { component } from "../kit/kit.js";
import { quantity } from "../kit/words.js";
import { pageLink } from "../tokenview/page_link.js";
import { drawParts } from "../tokenview/sentences.js";

const PHASES = { predict: "Predict", measure: "Measure", explain: "Explain" };
const COLUMNS = ["Minutes", "The teacher", "The students"];

function begin({ state, tell }) {
  state.status = asStatus(make("p", "status quiet"));
  state.asker = new Asker(state.status, "The plan stays open.", () => tell("renew", Date.now()));
  return () => state.asker.close();
}

// The same data are drawn once, so that a link in a sentence keeps the focus.
function draw(data, { state }) {
  const of = JSON.stringify(data);
  if (state.of !== of) Object.assign(state, { of, drawn: drawPlan(data, state) });
  return state.drawn;
}

function drawPlan({ title, lead, query, back, others, rows, save, sections }, { status, asker }) {
  const saved = ({ name, file }) => {
    status.textContent = `Saved as ${name}.`;
    saveFile(name, "text/html", file);
  };
  const ask = () => {
    status.textContent = "The file is being made.";
    asker.ask("learn.plan", { plan: save }).then(saved, asker.tell);
  };
  const way = ({ query, text, here }) => {
    const link = pageLink("way", "learn", query, text);
    if (here) link.ariaCurrent = "page";
    return link;
  };
  return html`<nav class="ways" aria-label="Lesson plans">${way({ query: back, text: "‹ Learn" })}<ul>${others.map(
    (other) => html`<li>${way(other)}</li>`,
  )}</ul></nav>
    <h1>${title}</h1>
    <p class="lead">${lead}</p>
    <div class="tools">
      <button type="button" @click=${() => print()}>Print</button>
      <button type="button" @click=${() => copyText(addressOf(query), status, "Link copied.")}>Copy link</button>
      ${save && html`<button type="button" @click=${ask}>Save these lessons as a file</button>`}
    </div>
    ${status}
    ${rows ? drawRows(rows) : sections.map(drawSection)}`;
}

// A screen reader skips the heads, because each row names its parts.
const drawRows = (rows) => html`<div class="rows">
  <div class="plan-row head" aria-hidden="true">${COLUMNS.map((words) => html`<span>${words}</span>`)}</div>
  <ol>${rows.map(drawRow)}</ol>
</div>`;

function drawRow({ at, minutes, phase, teacher, students, step, vote, answers }) {
  const does = (who, parts) => html`<p><b class="unseen who">${who}: </b>${drawParts(parts)}</p>`;
  return html`<li class="plan-row">
    <div class="when"><b>${quantity(minutes, "minute")}</b><span class="quiet small">${at} to ${at + minutes}</span><span
      class=${`badge phase ${phase}`}>${PHASES[phase]}</span></div>
    <div class="does">${does(COLUMNS[1], teacher)}${vote && drawVote(vote, answers)}</div>
    <div class="does">${does(COLUMNS[2], students)}${
      step && html`<p class="step">Step ${step.number}: ${pageLink("to-page", "learn", step.query, step.title)}</p>`
    }</div>
  </li>`;
}

const drawVote = (question, answers) =>
  html`<div class="vote"><p><b>Vote: </b>${question}</p>${
    answers.length
      ? html`<ol class="answers">${answers.map((answer) => html`<li>${answer}</li>`)}</ol>`
      : html`<p class="quiet">The answers are those of the task.</p>`
  }</div>`;

// A block is the parts of a paragraph, {list: the parts of each item}, or {copy: lines}.
const drawSection = ({ title, blocks }) => html`<section><h2>${title}</h2>${blocks.map(drawBlock)}</section>`;

function drawBlock(block) {
  const { copy, list } = block;
  if (copy) return html`<pre tabindex="0" role="region" aria-label="A line to copy">${copy.trim()}</pre>`;
  if (list) return html`<ul>${list.map((item) => html`<li>${drawParts(item)}</li>`)}</ul>`;
  return html`<p>${drawParts(block)}</p>`;
}

export default component("plan", draw, begin);

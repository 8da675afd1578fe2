// A question before the reveal, as the teacher's screen shows it: its text, its options, and how many have voted.

import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { drawOption } from "./class_question.js";

const LONG_TITLE = 60; // UTF-16 units

// text: the QuestionText that draws the question's.
export function drawAsked(question, { number, of, phase, result }, text) {
  const { title, lead } = question;
  const second = phase === "again" || phase === "second" ? ", second vote" : "";
  return html`<div class="asked">
    <div class="flow ends head"><h1 class=${title.length > LONG_TITLE ? "long" : ""} dir="auto">${title}</h1>
      <p class="quiet where">Question ${number} of ${of}${second}</p></div>
    ${lead && html`<p class="quiet lead">${lead}</p>`}
    ${text.of(question, result?.places)}
  </div>`;
}

// The options and the meter.
export function drawVotes({ options }, { voted, joined }) {
  const n = voted ?? 0;
  const of = Math.max(n, joined);
  return html`<ul class="votes">${options.map(
    (option) => html`<li class="vote"><span class="letter">${option.letter}</span>${drawOption(option)}</li>`,
  )}</ul>
    <div class="meter"><p>${of ? html`<b>${figure(n)}</b> of ${figure(of)} have voted` : "Nobody has joined yet"}</p>
      <span class="meter-bar" style="--voted: ${of ? (100 * n) / of : 0}%"></span></div>`;
}

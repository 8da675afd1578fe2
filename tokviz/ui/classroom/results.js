// The options of a question on the teacher's screen: with how many have voted, and after the reveal with their votes.

import { html } from "../kit/html.js";
import { figure } from "../kit/words.js";
import { drawOption, drawSentences, occurrences } from "./question.js";

// Before the reveal.
export function drawVotes({ options }, { voted, joined }) {
  const n = voted ?? 0;
  const of = Math.max(n, joined);
  return html`<ul class="votes">${options.map((option) => html`<li class="vote">${drawOption(option)}</li>`)}</ul>
    <div class="meter"><p>${of ? html`<b>${figure(n)}</b> of ${figure(of)} have voted` : "Nobody has joined yet"}</p>
      <span class="meter-bar" style="--voted: ${of ? (100 * n) / of : 0}%"></span></div>`;
}

export function drawResult({ kind, options }, result) {
  const { first, second, right, gain, why, wrong } = result;
  const most = Math.max(1, ...first, ...(second ?? []));
  const rowOf = (option, i) => html`<li class=${i === right ? "row right" : "row"}>
    ${drawOption(option)}
    <div class="bars">${second && barOf("first vote", first[i], most, "outlined")}
      ${second ? barOf("second", second[i], most) : barOf("votes", first[i], most)}</div>
    ${verdictOf(i, result, kind)}</li>`;
  return html`<ul class="tally">${options.map(rowOf)}</ul>
    <p class="said">${drawSentences(why)}<span class="quiet">${gain}</span></p>
    ${drawProofs(options, wrong)}`;
}

// Why the other options are wrong, for a teacher who wants to go through them.
function drawProofs(options, wrong) {
  const proofs = options.map(({ letter }, i) => [letter, wrong[i]]).filter(([, proof]) => proof.length);
  return (
    proofs.length > 0 &&
    html`<details class="proofs"><summary>${proofs.length === 1 ? "Why not the other one?" : "Why not the others?"}</summary>
      <ul>${proofs.map(([letter, proof]) => html`<li><b>${letter} </b>${drawSentences(proof)}</li>`)}</ul></details>`
  );
}

function barOf(label, votes, most, look = "") {
  const bar = votes > 0 && html`<i class="bar ${look}" style="--share: ${votes / most}"></i>`;
  const count = look ? html`<span>${figure(votes)}</span>` : html`<b>${figure(votes)}</b>`;
  return html`<p class="bar-line"><span class="bar-label quiet">${label}</span> <span class="track">${bar}${count}</span></p>`;
}

function verdictOf(i, { right, counts, notes }, kind) {
  const times = occurrences(counts[i]);
  return html`<p class="verdict">${i === right ? html`<b>✓ ${notes[i] || "right"}</b>` : notes[i] && html`<span>${notes[i]}</span>`}
    ${times && html`<span class="quiet">${kind === "prediction" ? `occurs ${times}` : times}</span>`}</p>`;
}

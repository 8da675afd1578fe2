// Steps of the course in a file that opens without a server: one below the other, with their views as they are at first,
// and each task with its answer folded away.
//
// data = {steps}: as tokviz/ui/learn/take_along.py makes them.

import { make, themeOf } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { drawParts } from "../sentences.js";
import { View } from "./view.js";

// Everything stands on the page before it is drawn: views measure their room.
function drawStep(root, step, number) {
  const article = root.appendChild(make("article", "lesson"));
  article.id = step.id;
  const prose = make("div", "prose");
  for (const parts of step.prose) prose.appendChild(make("p")).append(...drawParts(parts));
  article.append(make("h2", "step-title", `${number}. ${step.title}`), prose);
  if (step.view) drawView(article, step.view);
  if (step.task) drawTask(article, step.task);
  if (step.code) {
    const code = make("details", "code");
    const text = make("pre", "", step.code);
    text.tabIndex = 0;
    code.append(make("summary", "", "The same in Python"), text);
    article.append(code);
  }
}

// A view that cannot be drawn without the server leaves a line that says so.
function drawView(parent, view) {
  const stage = parent.appendChild(make("div", "stage"));
  try {
    new View(stage, null).show(view);
  } catch {
    stage.replaceChildren(make("p", "quiet absent", "This part needs the server, and is not in this file."));
  }
}

function drawTask(article, task) {
  const section = article.appendChild(make("section", "task"));
  const { kind, start, right, judged } = task;
  section.append(make("h3", "", task.title));
  if (kind === "cut") section.append(make("p", "typed", start.text));
  else if (task.begin) section.append(make("p", "quiet", task.begin));
  if (start.options) {
    const list = make("ol", "offered");
    for (const parts of start.options) list.appendChild(make("li")).append(...drawParts(parts));
    section.append(list);
  }
  const fold = make("details", "answer");
  const says = make("p", "says");
  says.append(...drawParts(judged.says));
  fold.append(make("summary", "", "The answer"), ...drawRight(start, right), says);
  if (judged.view) {
    // drawn when it is seen: before that nothing in it has a size
    fold.addEventListener("toggle", () => drawView(fold, judged.view), { once: true });
  }
  section.append(fold);
}

function drawRight({ options, text }, right) {
  const line = make("p");
  const words = (text) => make("code", "typed", text);
  if (options?.[right]) line.append(...drawParts(options[right]));
  else if (typeof right === "number") line.append(make("b", "", figure(right)));
  else if (typeof right === "string") line.append("For example: ", words(right));
  else if (Array.isArray(right) && right.every((each) => typeof each === "string")) {
    line.append("For example: ", words(right[0]), ...right.slice(1).flatMap((each) => [" and ", words(each)]));
  } else if (text)
    line.append(words([...text].map((letter, i) => (right.includes(i) ? `|${letter}` : letter)).join("")));
  else return [];
  return [line];
}

function drawContents(steps) {
  const contents = make("ol", "contents");
  for (const { id, title } of steps) {
    const link = make("a", "to-page", title);
    link.href = `#${id}`;
    contents.appendChild(make("li")).append(link);
  }
  return contents;
}

const roots = new WeakMap();

export default function ({ parentElement, data }) {
  const known = roots.get(parentElement);
  const root = known || parentElement.appendChild(make("div", "tokviz offline"));
  root.dataset.theme = themeOf(root);
  if (known) return;
  roots.set(parentElement, root);
  root.append(drawContents(data.steps));
  for (const [i, step] of data.steps.entries()) drawStep(root, step, i + 1);
}

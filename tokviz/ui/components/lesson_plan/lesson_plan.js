// A lesson plan as a table that a teacher can print, or the guide to running a class.
//
// data = {title, lead, query, back, others, rows, save, sections}. query: of a link to this view. back: the query of a link
// to the course. others: {query, text, here} for the plans and the guide. rows: {at, minutes, phase, teacher, students,
// step, vote}. save: the key of the plan, null if there is none to save. sections: {title, blocks}, of the guide.

import { Asker } from "../../kit/ask.js";
import { addressOf, copyText, saveFile } from "../../kit/copy_and_save.js";
import { asStatus, make, makeButton, mount, setAttributes } from "../../kit/elements.js";
import { quantity } from "../../kit/words.js";
import { pageLink } from "../page_link.js";
import { drawParts } from "../sentences.js";

const PHASES = { predict: "Predict", measure: "Measure", explain: "Explain" };
const COLUMNS = ["Minutes", "The teacher", "The students"];

class Plan {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz plan"));
    this.status = asStatus(make("p", "status quiet"));
    this.asker = new Asker(this.status, "The plan stays open.", () => this.tell?.("renew", Date.now()));
  }

  close() {
    this.asker.close();
    this.root.remove();
  }

  update(data, tell) {
    this.tell = tell;
    if (JSON.stringify(this.data) === JSON.stringify(data)) return;
    this.data = data;
    this.root.replaceChildren(
      this.drawWays(),
      make("h1", "", data.title),
      make("p", "lead", data.lead),
      this.drawTools(),
      this.status,
      ...(data.rows ? [drawRows(data.rows)] : data.sections.map(drawSection)),
    );
  }

  // The way back to the course, and to the other plans.
  drawWays() {
    const ways = make("nav", "ways");
    ways.setAttribute("aria-label", "Lesson plans");
    const list = make("ul");
    list.append(
      ...this.data.others.map(({ query, text, here }) => {
        const item = make("li");
        const link = pageLink("way", "learn", query, text);
        if (here) link.setAttribute("aria-current", "page");
        item.append(link);
        return item;
      }),
    );
    ways.append(pageLink("way", "learn", this.data.back, "‹ Learn"), list);
    return ways;
  }

  drawTools() {
    const tools = make("div", "tools");
    tools.append(
      makeButton("", "Print", () => print()),
      makeButton("", "Copy link", () => this.copyLink()),
      ...(this.data.save ? [makeButton("", "Save these lessons as a file", () => this.save())] : []),
    );
    return tools;
  }

  copyLink() {
    copyText(addressOf(this.data.query), this.status, "Link copied.");
  }

  save() {
    this.status.textContent = "The file is being made.";
    this.asker.ask("learn.plan", { plan: this.data.save }).then(({ name, file }) => {
      this.status.textContent = `Saved as ${name}.`;
      saveFile(name, "text/html", file);
    }, this.asker.tell);
  }
}

function drawRows(rows) {
  const table = make("div", "rows");
  const head = make("div", "plan-row head");
  head.setAttribute("aria-hidden", "true"); // each row names its parts
  head.append(...COLUMNS.map((words) => make("span", "", words)));
  const list = make("ol");
  list.append(...rows.map(drawRow));
  table.append(head, list);
  return table;
}

function drawRow({ at, minutes, phase, teacher, students, step, vote }) {
  const row = make("li", "plan-row");
  const when = make("div", "when");
  when.append(
    make("b", "", quantity(minutes, "minute")),
    make("span", "quiet", `${at} to ${at + minutes}`),
    make("span", `phase ${phase}`, PHASES[phase]),
  );
  const does = (who, parts) => {
    const cell = make("div", "does");
    const words = make("p");
    words.append(make("b", "who", `${who}: `), ...drawParts(parts));
    cell.append(words);
    return cell;
  };
  const [left, right] = [does(COLUMNS[1], teacher), does(COLUMNS[2], students)];
  if (vote) left.append(drawVote(vote));
  if (step) {
    const open = make("p", "step");
    open.append(`Step ${step.number}: `, pageLink("to-page", "learn", step.query, step.title));
    right.append(open);
  }
  row.append(when, left, right);
  return row;
}

function drawVote({ question, answers }) {
  const vote = make("div", "vote");
  const words = make("p");
  words.append(make("b", "", "Vote: "), question);
  vote.append(words);
  if (!answers.length) {
    vote.append(make("p", "quiet", "The answers are those of the task."));
    return vote;
  }
  const list = make("ol", "answers");
  list.append(...answers.map((answer) => make("li", "", answer)));
  vote.append(list);
  return vote;
}

// A block is the parts of a paragraph, {list: of such parts}, or {copy: lines}.
function drawSection({ title, blocks }) {
  const section = make("section");
  section.append(make("h2", "", title));
  for (const block of blocks) {
    if (block.copy) {
      const lines = make("pre", "", block.copy.trim());
      lines.tabIndex = 0;
      setAttributes(lines, { role: "region", "aria-label": "A line to copy" });
      section.append(lines);
    } else if (block.list) {
      const list = make("ul");
      list.append(
        ...block.list.map((parts) => {
          const item = make("li");
          item.append(...drawParts(parts));
          return item;
        }),
      );
      section.append(list);
    } else {
      const paragraph = make("p");
      paragraph.append(...drawParts(block));
      section.append(paragraph);
    }
  }
  return section;
}

export default function (page) {
  return mount(Plan, page, (plan) => plan.update(page.data, page.setTriggerValue));
}

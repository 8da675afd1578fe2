// Below the screen that a class sees: the questions still to come, whether new students can join, and whether students
// follow the teacher's lesson.

import { make, makeButton } from "../../kit/elements.js";

export class Plan {
  constructor(room) {
    this.room = room;
    this.element = make("section", "plan");
    const title = make("h2", "", "Questions to come");
    title.id = "plan";
    this.element.setAttribute("aria-labelledby", "plan");
    this.list = make("ol", "to-come");
    this.none = make("p", "quiet", "None. Add some below; you can do so at any time, also while a question is open.");
    this.follow = checkbox((on) => room.say({ follow: on }));
    this.where = make("p", "quiet small");
    this.letIn = checkbox((on) => room.say({ let_in: on }));
    this.element.append(
      title,
      this.list,
      this.none,
      labelled(this.letIn, "New students can join"),
      labelled(this.follow, "Students follow my lesson"),
      this.where,
    );
  }

  draw({ plan, step, follow, let_in: letIn }) {
    this.follow.checked = follow;
    this.letIn.checked = letIn;
    this.where.textContent = step
      ? `You are at the step “${step}”. ${follow ? "Students see it too, when no vote is open." : "Students are not told."}`
      : "Once you have opened a step in Learn, students can see the same step.";
    const shown = JSON.stringify(plan);
    if (shown === this.shown) return;
    this.shown = shown;
    const held = [...this.list.querySelectorAll("button")].indexOf(this.list.getRootNode().activeElement);
    this.list.hidden = !plan.length;
    this.none.hidden = Boolean(plan.length);
    this.list.replaceChildren(...plan.map((question) => this.entry(question)));
    if (held >= 0) [...this.list.querySelectorAll("button")].at(Math.min(held, plan.length - 1))?.focus();
  }

  entry({ number, title, lead }) {
    const entry = make("li");
    const name = make("span", "", title);
    name.dir = "auto";
    if (lead) name.append(make("span", "quiet small", ` ${lead}`));
    const drop = makeButton(
      "press small",
      "Take out",
      () => this.room.say({ drop: number }),
      `Take out question ${number}`,
    );
    entry.append(make("span", "number quiet", String(number)), name, drop);
    return entry;
  }
}

function checkbox(changed) {
  const box = make("input");
  box.type = "checkbox";
  box.addEventListener("change", () => changed(box.checked));
  return box;
}

function labelled(box, words) {
  const label = make("label", "choice");
  label.append(box, ` ${words}`);
  return label;
}

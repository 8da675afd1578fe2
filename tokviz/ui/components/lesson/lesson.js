// A step of the course. The browser shows what tokviz/ui/learn/socket.py sends, and sends what the learner does.
//
// data = {outline, step, done}: the chapters with their steps, the step that is shown, and the ids of those that are done.
//
// A view (views/) has show(data), and perhaps key(event) and close(). It may call change(inputs): the server shows it
// again with these inputs. A task (tasks/) has start(data) and judged(data, state), and perhaps key(event) and close(). It
// may call attempt(answer): the server judges it.

import { copyText } from "../copy_and_save.js";
import { isPageFocused, keepFromPage, make, makeButton, themeOf } from "../elements.js";
import { Line } from "../line.js";
import { drawParts } from "./parts.js";
import { Presenter } from "./present.js";
import { Rail } from "./rail.js";
import { TASKS } from "./tasks/tasks.js";
import { VIEWS } from "./views/views.js";

class Lesson {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz course"));
    this.rail = new Rail((id) => this.goTo(id));
    this.article = make("article", "lesson");
    this.where = make("p", "where");
    this.title = make("h1");
    this.title.tabIndex = -1;
    this.prose = make("div", "prose");
    this.stage = make("div", "stage");
    this.task = make("section", "task");
    this.taskTitle = make("h2");
    this.taskBox = make("div", "task-box");
    this.says = make("p", "says");
    this.says.setAttribute("role", "status");
    this.task.append(this.taskTitle, this.taskBox, this.says);
    this.code = make("details", "code");
    this.status = make("p", "status quiet");
    this.status.setAttribute("role", "status");
    this.foot = this.makeFoot();
    this.article.append(this.where, this.title, this.prose, this.stage, this.task, this.code, this.status, this.foot);
    this.root.append(this.rail.root, this.article);
    this.presenter = new Presenter(this);
    this.root.append(this.presenter.dialog);
    this.line = new Line("learn", this.status, "This step stays open.", () => this.tell?.("renew", Date.now()));
    this.pressed = (event) => this.key(event);
    document.addEventListener("keydown", this.pressed);
    this.root.addEventListener("keydown", keepFromPage);
  }

  makeFoot() {
    const foot = make("div", "step-foot");
    this.back = makeButton("", "Back", () => this.move(-1));
    this.next = makeButton("", "Next", () => this.move(1));
    this.link = makeButton("copy-link", "Copy link", () => this.copyLink());
    this.present = makeButton("to-present", "Present", () => this.presenter.toggle());
    this.keys = make("p", "keys quiet");
    foot.append(this.back, this.next, this.link, this.present, this.keys);
    return foot;
  }

  close() {
    document.removeEventListener("keydown", this.pressed);
    this.line.close();
    this.leave();
    this.presenter.close();
    this.root.remove();
  }

  leave() {
    this.view?.close?.();
    this.doing?.close?.();
    this.view = this.doing = null;
  }

  update(data, tell) {
    const before = this.data;
    this.data = data;
    this.tell = tell;
    this.root.dataset.theme = themeOf(this.root);
    this.steps = data.outline.flatMap((chapter) => chapter.steps);
    if (before && JSON.stringify(before.step) === JSON.stringify(data.step)) return;
    this.done = new Set(data.done);
    this.show(data.step);
  }

  // --- a step ---

  show(step) {
    this.leave();
    this.step = step;
    this.title.textContent = step.title;
    this.prose.replaceChildren(
      ...step.prose.map((parts) => {
        const paragraph = make("p");
        paragraph.append(...drawParts(parts, (id) => this.goTo(id)));
        return paragraph;
      }),
    );
    this.stage.hidden = !step.view;
    this.stage.replaceChildren();
    if (step.view) {
      this.view = new VIEWS[step.view.kind](this.stage, (inputs) => this.change(inputs));
      this.view.show(step.view.data);
    }
    this.task.hidden = !step.task;
    this.taskBox.replaceChildren();
    if (step.task) {
      this.doing = new TASKS[step.task.kind](this.taskBox, (answer) => this.attempt(answer), this.view);
      this.doing.start(step.task.start);
      this.drawState(this.done.has(step.id) ? "done" : "not done", [{ quiet: step.task.begin }]);
    }
    this.drawCode(step.code);
    this.drawPlace();
  }

  drawCode(code) {
    this.code.hidden = !code;
    if (!code) return;
    const text = make("pre", "", code);
    text.tabIndex = 0;
    const copy = makeButton("", "Copy", () => copyText(code, this.status));
    this.code.replaceChildren(make("summary", "", "The same in Python"), text, copy);
    this.code.open = false;
  }

  // Where the step is, and what is done.
  drawPlace() {
    const { outline } = this.data;
    const { id } = this.step;
    this.rail.draw(outline, this.done, id);
    const i = outline.findIndex((chapter) => chapter.steps.some((step) => step.id === id));
    const { steps } = outline[i];
    const place = steps.findIndex((step) => step.id === id);
    const dashes = make("span", "dashes");
    dashes.setAttribute("aria-hidden", "true");
    dashes.append(
      ...steps.map((step) =>
        make("i", `${this.done.has(step.id) ? "done" : ""}${step.id === id ? " now" : ""}`.trim()),
      ),
    );
    this.words = `Chapter ${i + 1}, step ${place + 1} of ${steps.length}`;
    this.where.replaceChildren(make("span", "", this.words), dashes);
    const number = this.steps.findIndex((step) => step.id === id);
    this.back.disabled = number === 0;
    this.next.disabled = number === this.steps.length - 1;
    this.next.classList.toggle("bold", !this.step.task || this.done.has(id));
    this.drawKeys();
    this.presenter.draw(
      `Chapter ${i + 1}: ${outline[i].title}, step ${place + 1} of ${steps.length}`,
      number,
      this.steps.length,
    );
  }

  drawKeys() {
    const key = (text) => make("kbd", "", text);
    const group = (...parts) => {
      const span = make("span");
      span.append(...parts);
      return span;
    };
    const choices = this.doing?.choices;
    this.keys.replaceChildren(
      ...(choices ? [group(key("1"), " to ", key(String(choices)), " choose")] : []),
      group(key("←"), key("→"), " step"),
      group(key("P"), " present"),
    );
  }

  // state: as in tasks/task.py. says: the parts of the hint or the reason.
  drawState(state, says) {
    this.task.className = `task ${state.replace(" ", "-")}`;
    this.taskTitle.replaceChildren(this.step.task.title, make("span", "state", state === "done" ? "✓ done" : state));
    this.says.replaceChildren(
      ...says.flatMap((part) =>
        part.quiet === undefined ? drawParts([part], (id) => this.goTo(id)) : [make("span", "quiet", part.quiet)],
      ),
    );
  }

  // --- what the learner does ---

  change(inputs) {
    const { id } = this.step;
    this.line.ask("view", { step: id, view: inputs }, (answer, error) => {
      if (id !== this.step.id) return;
      this.status.textContent = error;
      if (answer) this.view.show(answer.view.data);
    });
  }

  attempt(answer) {
    const { id } = this.step;
    this.line.ask("try", { step: id, try: answer }, (said, error) => {
      if (id !== this.step.id) return;
      this.status.textContent = error;
      if (!said) return;
      const { judged } = said;
      this.done = new Set(said.done);
      const quiet = judged.state === "not done" && !judged.says.length;
      this.drawState(judged.state, quiet ? [{ quiet: this.step.task.begin }] : judged.says);
      this.doing.judged(judged.data, judged.state);
      if (judged.view) this.view.show(judged.view.data, true);
      this.drawPlace();
    });
  }

  goTo(id) {
    this.line.ask("step", { step: id }, (answer, error) => {
      this.status.textContent = error;
      if (!answer) return;
      this.done = new Set(answer.done);
      this.show(answer.step);
      this.title.focus({ preventScroll: true });
      if (!this.presenter.on) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    });
  }

  move(by) {
    const number = this.steps.findIndex((step) => step.id === this.step.id);
    const to = this.steps[number + by];
    if (!to) return;
    if (by > 0 && !this.step.task) this.line.ask("left", { step: this.step.id, left: true }, () => {});
    this.goTo(to.id);
  }

  copyLink() {
    this.line.ask("link", { link: this.step.id }, (answer) => {
      if (answer) copyText(`${location.origin}${location.pathname}?${answer.query}`, this.status, "Link copied.");
    });
  }

  key(event) {
    const held = this.root.getRootNode().activeElement;
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (!held && !isPageFocused()) return;
    if (held?.matches("input:not([type=radio], [type=checkbox]), textarea, select")) return;
    if (this.doing?.key?.(event) || this.view?.key?.(event)) {
      event.preventDefault();
      return;
    }
    const actions = {
      ArrowRight: () => this.move(1),
      ArrowLeft: () => this.move(-1),
      p: () => this.presenter.toggle(),
      P: () => this.presenter.toggle(),
      Enter: () => !held?.matches("button, a, summary") && this.next.classList.contains("bold") && this.move(1),
    };
    if (!actions[event.key] || held?.closest(".t")) return;
    if (event.key !== "Enter") event.preventDefault();
    actions[event.key]();
  }
}

const lessons = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  if (!lessons.has(parentElement)) lessons.set(parentElement, new Lesson(parentElement));
  lessons.get(parentElement).update(data, (name, value) => setTriggerValue(name, value));
  return () => {
    lessons.get(parentElement)?.close();
    lessons.delete(parentElement);
  };
}

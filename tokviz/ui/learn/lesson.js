// A step of the course. The browser shows what tokviz/ui/learn/questions.py answers, and asks what the learner does.
//
// data = {outline, step, done, ways, alone, fresh}: the chapters with their steps, the step that is shown, the ids of those
// that are done, links to other parts of the page, whether the step stands alone, without chapters and foot, and whether
// the server knows of no step that was open before.
//
// A task (tasks/) has restore(answer), judged(data, state), and perhaps key(event) and close(). It may call
// attempt(answer): the server judges it. At each key it calls typed(answer): judged() shows what that is, and it is judged
// once the typing rests, or on Enter. When a step is opened again, restore(answer) fills in the last answer, and then
// judged() shows what it was worth.

import { Asker } from "../kit/ask.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, isPageFocused, make, mount } from "../kit/elements.js";
import { stored } from "../kit/field.js";
import { html, render } from "../kit/html.js";
import { figure, quantity } from "../kit/words.js";
import { drawParts, wordsOf } from "../tokenview/sentences.js";
import { clearFault, drawFault } from "./fault.js";
import { Rail } from "./rail.js";
import { TASKS } from "./tasks/tasks.js";
import { View } from "./view.js";
import { Voice } from "./voice.js";

const SLOW = 300; // ms; a shorter wait needs no word
const RESTS = 1000; // ms after the last key in which an answer is not judged yet: t is on the way to tea
const WAITING = "Waiting for the answer …";

class Lesson {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz course"));
    this.status = asStatus(make("p", "status quiet"));
    this.asker = new Asker(this.status, "This step stays open.", () => this.renew());
    this.rail = new Rail((id) => this.goTo(id), this.asker);
    this.article = make("article", "lesson");
    this.where = make("p", "where quiet small");
    this.where.id = "where";
    this.title = make("h1");
    this.title.tabIndex = -1;
    this.title.setAttribute("aria-describedby", this.where.id);
    this.prose = make("div", "prose");
    this.stage = make("div", "stage");
    this.task = make("section", "task");
    this.taskTitle = make("h2");
    this.state = make("p", "state");
    this.taskBox = make("div");
    this.says = make("p", "says");
    this.voice = new Voice();
    this.code = make("details", "code");
    this.foot = make("div", "flow step-foot");
    this.article.append(this.where, this.title, this.prose, this.stage, this.task, this.code, this.foot);
    this.sheet = make("dialog", "projected"); // modal while the step is presented
    this.sheet.append(this.article);
    this.root.append(this.rail.root, this.sheet);
    this.sheet.addEventListener("close", () => this.presented());
    // A press leaves the focus where it was, so the keys go on, also after a click on Back.
    this.foot.addEventListener("mousedown", (event) => event.preventDefault());
    this.pressed = (event) => this.key(event);
    document.addEventListener("keydown", this.pressed);
    this.task.addEventListener("keydown", (event) => this.handIn(event));
    this.root.addEventListener("click", (event) => this.openAside(event), true);
  }

  // Presenter mode: the step fills the screen. The keys are those of the page; the page keys, which a clicker sends, go one
  // step.
  present() {
    if (this.sheet.open) return this.sheet.close();
    this.sheet.showModal();
    this.presented();
  }

  presented() {
    this.drawPlace();
    this.title.focus({ preventScroll: true });
  }

  close() {
    document.removeEventListener("keydown", this.pressed);
    this.leave();
    this.asker.close();
    clearTimeout(this.slow);
    this.voice.close();
    this.root.remove();
  }

  leave() {
    this.judgeTyped();
    this.view?.close?.();
    this.doing?.close?.();
    this.view = this.doing = null;
  }

  update(data, tell) {
    this.data = data;
    this.tell = tell;
    this.root.classList.toggle("alone", Boolean(data.alone));
    this.steps = data.outline.flatMap((chapter) => chapter.steps);
    this.rail.drawWays(data.ways, () => this.save());
    const before = this.done?.size;
    this.done = new Set(data.done);
    const renewed = this.renewing;
    this.renewing = false;
    if (this.step && data.fresh) this.goOn(before > this.done.size);
    else if (this.step?.id === data.step.id) this.drawPlace();
    else if (renewed && !data.alone) this.goOn(false);
    else this.show(data.step);
  }

  // After a restart the server does not know which step is open: it stays, and the server is told.
  goOn(lost) {
    if (lost) this.news = "The server was started again. It no longer knows which steps you have done.";
    this.drawPlace();
    if (this.wanted !== this.step.id) this.goTo(this.wanted);
    else {
      const told = () => this.tellNews();
      this.ask("show", { step: this.step.id }).then(told, told);
    }
  }

  tellNews() {
    if (this.news) this.status.textContent = this.news;
    this.news = "";
  }

  // The server does not know the visitor, as after a restart. It does once the page has run again.
  renew() {
    this.renewing = true;
    this.tell?.("renew", Date.now());
  }

  // Ask the server, and say so if the answer takes long.
  ask(name, fields, kind = name) {
    clearTimeout(this.slow);
    this.slow = setTimeout(() => {
      if (this.asker.waits && !this.status.textContent) this.status.textContent = WAITING;
    }, SLOW);
    return this.asker.ask(`learn.${name}`, fields, kind).finally(() => {
      if (!this.asker.waits && this.status.textContent === WAITING) this.status.textContent = "";
    });
  }

  // --- a step ---

  show(step) {
    this.leave();
    this.step = step;
    this.wanted = step.id;
    this.title.textContent = step.title;
    const goTo = (id) => this.goTo(id);
    render(
      step.prose.map((parts) => html`<p>${drawParts(parts, { goTo })}</p>`),
      this.prose,
    );
    this.voice.forget();
    this.showView(step.view);
    this.showTask(step.task);
    this.drawCode(step.code);
    this.drawPlace();
  }

  showView(view) {
    this.stage.hidden = !view;
    this.stage.replaceChildren();
    if (!view) return;
    this.view = new View(this.stage, (inputs) => this.change(inputs));
    this.view.show(view);
    for (const [name, value] of Object.entries(view.typed || {})) this.view.fill(name, value);
    if (view.fault) drawFault(this.stage, view.fault);
    const left = this.draft("inputs");
    if (!left || !view.isNew) return;
    for (const [name, value] of Object.entries(left)) this.view.fill(name, value);
    this.change(left);
  }

  // The hint is above the answers that are chosen, so that it is seen with them, and below what is typed.
  showTask(task) {
    this.task.hidden = !task;
    this.task.replaceChildren();
    if (!task) return;
    const box = make("div");
    this.taskBox.replaceChildren(box);
    this.settled = false;
    const { kind, start, answer, judged } = task;
    this.doing = new TASKS[kind](box, start, {
      attempt: (said) => this.attempt(said),
      typed: (said) => this.typed(said),
      keep: (said) => this.keep("answer", said),
    });
    const parts = this.doing.choices ? [this.says, this.taskBox] : [this.taskBox, this.says];
    this.task.append(this.taskTitle, this.state, ...parts, this.voice.root);
    if (answer !== undefined) this.doing.restore(answer);
    this.drawState("not done", []);
    if (judged) this.drawJudged(judged, false);
    const left = this.draft("answer");
    if (answer !== undefined || left === null) return;
    this.doing.restore(left);
    if (!this.doing.isHandedIn) this.typed(left);
  }

  // The tab keeps what was typed in a step, in case that the server forgets it. kind: "answer" or "inputs".
  keep(kind, value) {
    stored("setItem", `${kind}.${this.step.id}`, JSON.stringify(value));
  }

  draft(kind) {
    return JSON.parse(stored("getItem", `${kind}.${this.step.id}`));
  }

  // open: whether it is unfolded.
  drawCode(code, open = false) {
    this.code.hidden = !code;
    if (!code) return;
    render(
      html`<summary>The same in Python</summary>
        <pre tabindex="0" aria-label="The lines of Python" role="region">${code}</pre>
        <button type="button" @click=${() => copyText(code, this.status)}>Copy</button>`,
      this.code,
    );
    this.code.open = open;
  }

  // Where the step is, what is done, and the way to the others.
  drawPlace() {
    const { outline } = this.data;
    const { id, query } = this.step;
    const presents = this.sheet.open;
    this.sheet.role = presents ? null : "none";
    this.sheet.ariaLabel = presents ? "Presenter mode" : null;
    const i = outline.findIndex((chapter) => chapter.steps.some((step) => step.id === id));
    const { steps } = outline[i];
    this.rail.draw(outline, this.done, id);
    this.where.textContent = `Chapter ${i + 1}, step ${steps.findIndex((step) => step.id === id) + 1} of ${steps.length}`;
    const [number, last] = [this.steps.findIndex((step) => step.id === id), this.steps.length - 1];
    const ready = !this.step.task || this.done.has(id);
    const copy = () => copyText(addressOf(query), this.status, "Link copied.");
    this.isPrimary = ready && number < last;
    render(
      html`<p class="ending">${ready && this.ending(i, number)}</p>
        ${this.status}
        <button type="button" ?disabled=${number === 0} @click=${() => this.move(-1)}>Back</button>
        <button type="button" class=${this.isPrimary ? "primary" : ""} ?disabled=${number === last} @click=${() => this.move(1)}>Next</button>
        <button type="button" class="copy-link" @click=${copy}>Copy link</button>
        <button type="button" class="to-present" @click=${() => this.present()}>${presents ? "Leave" : "Present"}</button>
        <p class="keys">${this.doing?.choices && html`<span><kbd>1</kbd> to <kbd>${this.doing.choices}</kbd> choose</span>`}<span
          ><kbd>←</kbd><kbd>→</kbd> step</span><span><kbd>P</kbd> ${presents ? "leave" : "present"}</span></p>`,
      this.foot,
    );
  }

  // What is said at the last step of chapter i, and of the course.
  ending(i, number) {
    const { outline } = this.data;
    if (outline[i].steps.at(-1).id !== this.step.id) return "";
    const left = (steps) => steps.filter((step) => !this.done.has(step.id) && step.id !== this.step.id).length;
    const here = left(outline[i].steps);
    const chapter = here
      ? `Chapter ${i + 1} has ${quantity(here, "step")} that you have not done.`
      : `✓ Chapter ${i + 1} is done.`;
    if (number < this.steps.length - 1) return `${chapter} Next: ${outline[i + 1].title}.`;
    const all = left(this.steps);
    if (!all) return `✓ You have done all ${figure(this.steps.length)} steps.`;
    return `This is the end of the course. You have not done ${quantity(all, "step")} of it: the list of chapters shows which.`;
  }

  // state: as in tasks/task.py. says: the parts of the hint or the reason. What is done stays done, whatever is tried then.
  drawState(state, says) {
    const { title, begin } = this.step.task;
    const told = this.done.has(this.step.id) ? "done" : state;
    this.task.className = `task ${told.replace(" ", "-")}`;
    this.taskTitle.textContent = title;
    this.state.textContent = told === "done" ? "✓ done" : told;
    this.says.classList.toggle("quiet", !says.length);
    render(drawParts(says.length ? says : [begin], { goTo: (id) => this.goTo(id) }), this.says);
  }

  // moved: whether the answer was given just now.
  drawJudged(judged, moved) {
    const { state, says, data, view } = judged;
    this.drawState(state, says);
    if (moved && says.length) this.voice.say(`${this.done.has(this.step.id) ? "done" : state}. ${wordsOf(says)}`);
    this.doing.judged(data, state);
    if (view && !this.settled) this.view?.show(view, moved);
    this.settled = state === "done";
    if (moved) this.bringHint();
  }

  // An answer that is handed in is followed by its hint in view. While one types, the page stays.
  bringHint() {
    if (this.taskBox.getRootNode().activeElement?.matches("textarea")) return;
    requestAnimationFrame(() => this.says.scrollIntoView({ block: "nearest" }));
  }

  // --- what the learner does ---

  change(inputs) {
    const { id } = this.step;
    this.keep("inputs", inputs);
    this.ask("view", { step: id, changes: inputs }).then(
      ({ view }) => {
        if (id !== this.step.id) return;
        clearFault(this.stage);
        this.view.show(view);
      },
      ({ message }) => id === this.step.id && drawFault(this.stage, message),
    );
  }

  // The answer so far. It is judged when the typing rests.
  typed(answer) {
    this.keep("answer", answer);
    clearTimeout(this.resting);
    this.voice.forget();
    if (!this.done.has(this.step.id)) this.drawState("not done", []); // a hint is of the answer before
    this.unjudged = () => this.attempt(answer);
    this.resting = setTimeout(() => this.judgeTyped(), RESTS);
    this.attempt(answer, true);
  }

  judgeTyped() {
    clearTimeout(this.resting);
    const judge = this.unjudged;
    this.unjudged = null;
    judge?.();
  }

  // Enter hands in what was typed. With Shift, or while letters are being composed, it belongs to the field.
  handIn(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("textarea")) return;
    event.preventDefault();
    this.judgeTyped();
  }

  // typing: whether it may become another answer with the next key.
  attempt(answer, typing = false) {
    const { id } = this.step;
    if (this.settled && this.doing.choices) return; // all is told already
    this.ask("try", { step: id, said: answer, typing }).then(
      (said) => {
        if (said.done) this.done = new Set(said.done);
        if (id !== this.step.id) return this.drawPlace();
        clearFault(this.taskBox);
        if (typing || this.unjudged) return this.doing.judged(said.judged.data, "not done"); // what was typed so far
        this.drawJudged(said.judged, true);
        if (said.code !== this.step.code) this.drawCode(said.code, this.code.open);
        this.step.code = said.code;
        this.drawPlace();
      },
      ({ message }) => id === this.step.id && drawFault(this.taskBox, message),
    );
  }

  goTo(id) {
    this.wanted = id;
    this.ask("show", { step: id }).then(
      ({ step, done }) => {
        this.status.textContent = "";
        this.tellNews();
        this.done = new Set(done);
        this.show(step);
        this.rail.fold(true);
        this.title.focus({ preventScroll: true });
        const scrolls = this.sheet.open ? this.sheet : document.querySelector('[data-testid="stMain"]');
        scrolls?.scrollTo(0, 0);
      },
      (error) => {
        this.asker.tell(error);
        this.wanted = this.step.id;
      },
    );
  }

  // Steps count from the one that was asked for last: keys and clickers may be faster than the line.
  move(by) {
    const number = this.steps.findIndex((step) => step.id === this.wanted);
    const to = this.steps[number + by];
    if (!to || this.data.alone) return;
    if (by > 0) this.ask("left", { step: this.wanted }, `left ${this.wanted}`).catch(() => {});
    this.goTo(to.id);
  }

  // On another page a link must not lead away from it, nor from the step: it opens in a tab of its own.
  openAside(event) {
    const link = event.target.closest("a");
    if (!link || !this.data.alone) return;
    link.target = "_blank";
    event.stopPropagation();
  }

  // Save the chapter as a file that opens without tokviz.
  save() {
    this.ask("chapter", { step: this.step.id }).then(({ name, file }) => {
      this.status.textContent = `Saved as ${name}.`;
      saveFile(name, "text/html", file);
    }, this.asker.tell);
  }

  key(event) {
    const held = this.root.getRootNode().activeElement;
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if ((!held && !isPageFocused()) || held?.closest(".find")) return;
    const forward = () => this.move(1);
    const back = () => this.move(-1);
    const ofClicker = this.sheet.open ? { PageDown: forward, PageUp: back } : {};
    const writing = held?.matches("input, textarea, select, [role=slider], [contenteditable]");
    if (writing && !ofClicker[event.key]) return;
    if (this.doing?.key?.(event)) {
      event.preventDefault();
      return;
    }
    const ownArrows = held?.closest(".t, pre, .menu, [role=grid], [role=table], [role=listbox], [role=radiogroup]");
    const actions = {
      ...(ownArrows ? {} : { ArrowRight: forward, ArrowLeft: back }),
      ...ofClicker,
      p: () => this.present(),
      P: () => this.present(),
    };
    if (this.isPrimary && !held?.matches("button, a, summary, .t")) actions.Enter = forward;
    if (!actions[event.key] || this.data.alone) return;
    event.preventDefault();
    actions[event.key]();
  }
}

export default function (page) {
  return mount(Lesson, page, (lesson) => lesson.update(page.data, page.setTriggerValue));
}

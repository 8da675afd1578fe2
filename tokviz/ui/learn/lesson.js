// A step of the course. The browser shows what tokviz/ui/learn/questions.py answers, and asks what the learner does.
//
// data = {outline, step, done, ways, alone, fresh}: the chapters with their steps, the step that is shown, the ids of those
// that are done, links to other parts of the page, whether the step is alone, without chapters and foot, and whether
// the server knows of no step that was open before.
//
// A task (tasks/) has root, restore(answer), judged(data, state), and perhaps key(event) and close(). It may call
// attempt(answer): the server judges it. At each key it calls typed(answer): judged() shows what that is, and it is judged
// once the typing rests, or on Enter. When a step is opened again, restore(answer) fills in the last answer, and then
// judged() shows what it was worth.

import { Asker } from "../kit/ask.js";
import { addressOf, copyText, saveFile } from "../kit/copy_and_save.js";
import { asStatus, byTouch, isPageFocused, make, mount } from "../kit/elements.js";
import { inTab, keepInTab } from "../kit/field.js";
import { html, keyed, nothing, render } from "../kit/html.js";
import { drawParts, wordsOf } from "../tokenview/sentences.js";
import { drawFault } from "./fault.js";
import { Find } from "./find.js";
import { drawRail } from "./rail.js";
import { TASKS } from "./tasks/tasks.js";
import { View } from "./view.js";

const RESTS = 1000; // ms after the last key in which an answer is not judged yet: t is on the way to tea
const SPOKEN = 700; // ms after an answer before a screen reader hears of it
const OWN_ARROWS = ".t, pre, .menu, [role=grid], [role=table], [role=listbox], [role=radiogroup]";

class Lesson {
  constructor(parent) {
    this.root = parent.appendChild(make("div", "tokviz course"));
    this.status = asStatus(make("p", "status quiet"));
    this.asker = new Asker(this.status, "This step stays open.", () => this.renew());
    this.find = new Find(this);
    this.pressed = (event) => this.key(event);
    document.addEventListener("keydown", this.pressed);
    this.root.addEventListener("click", (event) => this.openAside(event), true);
  }

  close() {
    document.removeEventListener("keydown", this.pressed);
    this.leave();
    this.asker.close();
    this.root.remove();
  }

  leave() {
    this.judgeTyped();
    clearTimeout(this.speaking);
    this.view?.close();
    this.doing?.close?.();
  }

  update(data, tell) {
    Object.assign(this, { data, tell });
    this.done = new Set(data.done);
    // After a restart the server does not know which step is open: it stays, and the server is told.
    const goesOn = this.step && (data.fresh || (this.renewing && !data.alone));
    this.renewing = false;
    if (goesOn) this.goTo(this.wanted);
    else if (this.step?.id !== data.step.id) return this.show(data.step);
    this.redraw();
  }

  // The server does not know the visitor, as after a restart. It does once the page has run again.
  renew() {
    this.renewing = true;
    this.tell?.("renew", Date.now());
  }

  ask(name, fields, kind = name) {
    const answer = this.asker.ask(`learn.${name}`, fields, kind).finally(() => this.redraw());
    this.redraw(); // that it waits
    return answer;
  }

  // The tab keeps what was typed in a step, in case that the server forgets it. kind: "answer" or "inputs".
  keep(kind, value) {
    keepInTab(`${kind}.${this.step.id}`, value);
  }

  draft(kind) {
    return inTab(`${kind}.${this.step.id}`);
  }

  // --- a step ---

  show(step) {
    this.leave();
    const { prose, view, task } = step;
    Object.assign(this, { step, wanted: step.id, settled: false, spoken: "" });
    this.prose = prose.map((parts) => html`<p>${this.drawn(parts)}</p>`);
    this.view = view && new View((inputs) => this.change(inputs));
    this.doing =
      task &&
      new TASKS[task.kind](task.start, {
        attempt: (said) => this.attempt(said),
        typed: (said) => this.typed(said),
        keep: (said) => this.keep("answer", said),
      });
    if (task) this.setState("not done", []);
    this.redraw();
    this.root.querySelector(".rail .here").scrollIntoView({ block: "nearest" });
    if (view) this.fillView(view);
    if (task) this.fillTask(task);
  }

  fillView(view) {
    this.view.show(view);
    this.view.fill(view.typed ?? {});
    drawFault(this.view.root, view.fault ?? "");
    const left = this.draft("inputs");
    if (!left || !view.isNew) return;
    this.view.fill(left);
    this.change(left);
  }

  fillTask({ answer, judged }) {
    if (answer !== undefined) this.doing.restore(answer);
    if (judged) this.drawJudged(judged);
    const left = this.draft("answer");
    if (answer !== undefined || left === null) return;
    this.doing.restore(left);
    if (!this.doing.isHandedIn) this.typed(left);
  }

  drawn(parts) {
    return drawParts(parts, { goTo: (id) => this.goTo(id) });
  }

  redraw() {
    const { step, data, view } = this;
    const { outline } = data;
    const i = outline.findIndex((chapter) => chapter.steps.some(({ id }) => id === step.id));
    const { steps } = outline[i];
    const at = steps.findIndex(({ id }) => id === step.id);
    const presents = this.sheet?.open;
    this.root.classList.toggle("alone", Boolean(data.alone));
    render(
      html`${drawRail(this)}
        <dialog class="projected" role=${presents ? nothing : "none"} aria-label=${presents ? "Presenter mode" : nothing}
          @close=${() => this.presented()}><article class="lesson">
          <p class="where quiet small" id="where">Chapter ${i + 1}, step ${at + 1} of ${steps.length}</p>
          <h1 tabindex="-1" aria-describedby="where">${step.title}</h1>
          <div class="prose">${this.prose}</div>
          ${view && html`<div class="stage">${view.root}</div>`}
          ${step.task && this.drawTask()}
          ${step.code && keyed(step.id, this.drawCode())}
          ${this.drawFoot(outline[i], outline[i + 1], presents)}
        </article></dialog>`,
      this.root,
    );
  }

  // The hint is above the answers that are chosen, so that it is seen with them, and below what is typed, but on a phone.
  drawTask() {
    const { doing, says, step } = this;
    const state = this.done.has(step.id) ? "done" : this.state; // it stays done, whatever is tried then
    const hint = html`<p class=${says.length ? "says" : "says quiet"}>${this.hint}</p>`;
    return html`<section class="task ${state.replace(" ", "-")}" @keydown=${(event) => this.handIn(event)}>
      <h2>${step.task.title}</h2>
      <p class="state">${state === "done" ? "✓ done" : state}</p>
      ${doing.choices || byTouch() ? [hint, doing.root] : [doing.root, hint]}
      <p class="unseen" aria-live="polite">${this.spoken}</p>
    </section>`;
  }

  drawCode() {
    const { code } = this.step;
    return html`<details class="code"><summary>The same in Python</summary>
      <pre tabindex="0" aria-label="The lines of Python" role="region">${code}</pre>
      <button type="button" @click=${() => copyText(code, this.status)}>Copy</button></details>`;
  }

  // The way to the other steps. A press leaves the focus where it was, so the keys go on, also after a click on Back.
  drawFoot(chapter, next, presents) {
    const { step, doing, data } = this;
    const isLast = step.id === chapter.steps.at(-1).id;
    const isEnd = isLast && !next;
    const ready = !step.task || this.done.has(step.id);
    this.isPrimary = ready && !isEnd;
    const copy = () => copyText(addressOf(step.query), this.status, "Link copied.");
    return html`<div class="flow step-foot" @mousedown=${(event) => event.preventDefault()}>
      <p class="ending">${ready && isLast && (isEnd ? "This is the end of the course." : `Next: ${next.title}.`)}</p>
      ${this.asker.waits && html`<p class="status quiet late">Waiting for the answer …</p>`}
      ${this.status}
      <button type="button" ?disabled=${step.id === data.outline[0].steps[0].id} @click=${() => this.move(-1)}>Back</button>
      <button type="button" class=${this.isPrimary ? "primary" : ""} ?disabled=${isEnd} @click=${() => this.move(1)}>Next</button>
      <button type="button" class="copy-link" @click=${copy}>Copy link</button>
      <button type="button" class="to-present" @click=${() => this.present()}>${presents ? "Leave" : "Present"}</button>
      <p class="keys">${doing?.choices && html`<span><kbd>1</kbd> to <kbd>${doing.choices}</kbd> choose</span>`}<span
        ><kbd>←</kbd><kbd>→</kbd> step</span><span><kbd>P</kbd> ${presents ? "leave" : "present"}</span></p>
    </div>`;
  }

  // --- presenter mode: the step fills the screen ---

  get sheet() {
    return this.root.querySelector(".projected");
  }

  present() {
    if (this.sheet.open) return this.sheet.close();
    this.sheet.showModal();
    this.presented();
  }

  presented() {
    this.redraw();
    this.focusTitle();
  }

  focusTitle() {
    this.root.querySelector("h1").focus({ preventScroll: true });
  }

  // --- what the learner does ---

  change(inputs) {
    const { step, view } = this;
    this.keep("inputs", inputs);
    this.ask("view", { step: step.id, changes: inputs }).then(
      (said) => {
        if (step !== this.step) return;
        drawFault(view.root, "");
        view.show(said.view);
      },
      ({ message }) => step === this.step && drawFault(view.root, message),
    );
  }

  // The answer so far. It is judged when the typing rests. A hint is of the answer before.
  typed(answer) {
    this.keep("answer", answer);
    clearTimeout(this.resting);
    this.speak("");
    if (!this.done.has(this.step.id)) this.setState("not done", []);
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
    const { step, doing } = this;
    if (this.settled && doing.choices) return; // all is told already
    this.ask("try", { step: step.id, said: answer, typing }).then(
      (said) => {
        if (said.done) this.done = new Set(said.done);
        if (step === this.step) {
          drawFault(doing.root, "");
          if (typing || this.unjudged)
            doing.judged(said.judged.data, "not done"); // what was typed so far
          else {
            step.code = said.code;
            this.drawJudged(said.judged, true);
          }
        }
        this.redraw();
      },
      ({ message }) => step === this.step && drawFault(doing.root, message),
    );
  }

  // state: as in tasks/task.py. says: the parts of the hint or the reason.
  setState(state, says) {
    Object.assign(this, { state, says, hint: this.drawn(says.length ? says : [this.step.task.begin]) });
  }

  // moved: whether the answer was given just now. Then its hint is brought into view; while one types, the page stays.
  drawJudged({ state, says, data, view }, moved = false) {
    this.setState(state, says);
    this.redraw();
    this.doing.judged(data, state);
    if (view && !this.settled) this.view?.show(view, moved);
    this.settled = state === "done";
    if (!moved) return;
    if (says.length) this.speak(`${this.done.has(this.step.id) ? "done" : state}. ${wordsOf(says)}`);
    if (this.root.getRootNode().activeElement?.matches("textarea")) return;
    requestAnimationFrame(() => this.root.querySelector(".says")?.scrollIntoView({ block: "nearest" }));
  }

  // What a screen reader hears, once, when the learner rests; "": what comes next is news, even if it is the same.
  speak(words) {
    clearTimeout(this.speaking);
    const say = () => {
      this.spoken = words;
      this.redraw();
    };
    if (words) this.speaking = setTimeout(say, SPOKEN);
    else say();
  }

  goTo(id) {
    this.wanted = id;
    this.ask("show", { step: id }).then(
      ({ step, done }) => {
        this.status.textContent = "";
        this.done = new Set(done);
        this.fold();
        if (step.id === this.step.id) return;
        this.show(step);
        this.focusTitle();
        (this.sheet.open ? this.sheet : document.querySelector('[data-testid="stMain"]'))?.scrollTo(0, 0);
      },
      (error) => {
        this.asker.tell(error);
        this.wanted = this.step.id;
      },
    );
  }

  // Fold the list of chapters away on a phone, or unfold it.
  fold(isOpen = false) {
    this.isOpen = isOpen;
    this.redraw();
    if (isOpen) this.root.querySelector(".rail .here").scrollIntoView({ block: "nearest" });
  }

  // Steps count from the one that was asked for last: keys and clickers may be faster than the line.
  move(by) {
    const steps = this.data.outline.flatMap((chapter) => chapter.steps);
    const to = steps[steps.findIndex(({ id }) => id === this.wanted) + by];
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
      this.redraw();
      saveFile(name, "text/html", file);
    }, this.asker.tell);
  }

  // The page keys, which a clicker sends, go one step in presenter mode.
  key(event) {
    const held = this.root.getRootNode().activeElement;
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if ((!held && !isPageFocused()) || held?.closest(".find")) return;
    const forward = () => this.move(1);
    const back = () => this.move(-1);
    const actions = this.sheet.open ? { PageDown: forward, PageUp: back } : {};
    if (!held?.matches("input, textarea, select, [role=slider], [contenteditable]")) {
      if (this.doing?.key?.(event)) return event.preventDefault();
      const present = () => this.present();
      Object.assign(actions, { p: present, P: present });
      if (!held?.closest(OWN_ARROWS)) Object.assign(actions, { ArrowRight: forward, ArrowLeft: back });
      if (this.isPrimary && !held?.matches("button, a, summary, .t")) actions.Enter = forward;
    }
    if (!actions[event.key] || this.data.alone) return;
    event.preventDefault();
    actions[event.key]();
  }
}

export default function (page) {
  return mount(Lesson, page, (lesson) => lesson.update(page.data, page.setTriggerValue));
}

// A field that never loses what was typed.
//
// What is typed is a draft until the server says that it has heard it. A draft is in the tab's sessionStorage. It is sent
// when the field is left, and with Enter; after a reload; and again while the server says nothing, as after a lost network
// or a restart. A draft goes before what the server has: that may have changed meanwhile, in another tab.

import { html, live } from "./html.js";
import { figure } from "./words.js";

const AGAIN = [3000, 60_000]; // ms before a draft is sent again, doubled each time up to the second number
const PAGE = document.documentElement.dataset; // whose the page is, and which start of the server it knows (watch.js)
const PREFIX = `tokviz.draft.${PAGE.visitor}.`; // nobody who started over meets in a tab what it kept before

const drafts = new Map(); // key -> {id, text, timer, wait} of this page; null: there is none
const places = new Map(); // key -> what the field is drawn in
const inPage = new Map(); // key -> what the tab could not keep

// key: of the field, in the app. value: what the server has. heard: the id of the last draft that it heard. send(draft)
// gives it { id, text, entered }. lines: more than one makes it a text area. step: by which two buttons change a number;
// 0 for text. at: in what it is drawn. labelled: whether the label can be seen.
export function field({
  key,
  label,
  value,
  heard,
  send,
  at,
  lines = 1,
  placeholder = "",
  limit = null,
  step = 0,
  labelled = true,
}) {
  if (!drafts.has(key)) drafts.set(key, inTab(key));
  if (drafts.get(key)?.id === heard) forget(key);
  if (places.get(key) !== at) deliver(key, send, at); // a draft from before a reload, or a look at another page
  places.set(key, at);
  const type = ({ target }) => {
    if (step) target.value = target.value.replace(/[^\d,]/g, "");
    keep(key, target.value);
  };
  const by = (words, more) => {
    const press = ({ currentTarget }) => {
      const input = currentTarget.parentElement.querySelector("input");
      input.value = figure(Math.max(0, Number(input.value.replace(/\D/g, "")) + more));
      keep(key, input.value);
      leave();
    };
    return html`<button type="button" aria-label=${words} @click=${press}>${more < 0 ? "−" : "+"}</button>`;
  };
  const leave = () => deliver(key, send, at);
  const enter = (event) =>
    event.key === "Enter" && (lines === 1 || event.ctrlKey || event.metaKey) && deliver(key, send, at, true);
  const shown = live(drafts.get(key)?.text ?? value);
  return html`<div class="field"><label><span class=${labelled ? "" : "unseen"}>${label}</span>${
    lines === 1
      ? html`<input inputmode=${step ? "numeric" : null} spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" maxlength=${limit}
          placeholder=${placeholder} .value=${shown} @input=${type} @change=${leave} @keydown=${enter}>`
      : html`<textarea spellcheck="false" autocapitalize="off" autocorrect="off" autocomplete="off" maxlength=${limit}
          rows=${lines} placeholder=${placeholder} .value=${shown} @input=${type} @change=${leave} @keydown=${enter}></textarea>`
  }</label>${step > 0 && [by(`${figure(step)} fewer`, -step), by(`${figure(step)} more`, step)]}</div>`;
}

function keep(key, text) {
  clearTimeout(drafts.get(key)?.timer);
  const draft = { id: `${Date.now()}.${Math.random()}`, text };
  drafts.set(key, draft);
  keepInTab(key, draft);
}

function deliver(key, send, at, entered = false) {
  const draft = drafts.get(key);
  if (!draft || !at.isConnected) return;
  draft.entered ||= entered; // Enter is a change too, of which the browser tells after it
  send({ id: draft.id, text: draft.text, entered: draft.entered });
  clearTimeout(draft.timer);
  draft.wait = Math.min(2 * draft.wait || AGAIN[0], AGAIN[1]);
  draft.timer = setTimeout(() => deliver(key, send, at), draft.wait);
}

function forget(key) {
  clearTimeout(drafts.get(key).timer);
  drafts.set(key, null);
  keepInTab(key, null);
}

// What was typed in a search. Only the tab keeps it, until it is emptied or what was sought is taken.
export const sought = (key) => inTab(`search.${key}`) ?? "";
export const keepSought = (key, text) => keepInTab(`search.${key}`, text || null);

// A text of which each key is sent is the server's. The tab keeps it too, as its page is left. fields(): what is kept, the
// text among it. isSent(): has the server all of it? Returns what ends it.
export function keepsText(key, fields, isSent = () => true) {
  const keep = (address) => keepInTab(key, { ...fields(), heard: isSent() && PAGE.started, address });
  const hide = () => keep(location.href);
  addEventListener("pagehide", hide);
  return () => {
    removeEventListener("pagehide", hide);
    keep(PAGE.loaded); // the link that opened it is used up
  };
}

// What the tab kept, if this start of the server has not heard it, and no link opened the page; or if the server sent
// nothing since. view, stamp: of what it sent last. Else null.
export function keptText(key, { view = null, stamp } = {}) {
  const kept = inTab(key);
  const isLink = PAGE.loaded !== kept?.address && PAGE.loaded?.startsWith(`${location.href.split("?")[0]}?`);
  const isUnheard = kept?.heard !== PAGE.started && !isLink;
  return isUnheard || (kept?.view === view && kept?.stamp === stamp) ? kept : null;
}

// What the tab keeps under a name. A browser may keep nothing, or be full: then it is in the page alone.
export const inTab = (key) => inPage.get(key) ?? tried(() => JSON.parse(sessionStorage.getItem(PREFIX + key)));
export function keepInTab(key, value) {
  const act = value === null ? "removeItem" : "setItem";
  const isKept = tried(() => sessionStorage[act](PREFIX + key, JSON.stringify(value)) === undefined);
  inPage.set(key, isKept ? null : value);
}

export function tried(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

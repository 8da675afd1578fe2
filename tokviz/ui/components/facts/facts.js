// Draws data = {label, badge: {tone, text} or null, folded, rows: [{name, value: [{text, code, marked}]}]}.

import { make, putIn, unspoken } from "../../kit/elements.js";

const MARKS = { good: "✓", bad: "×", warn: "!" };

function pill({ tone, text }) {
  const badge = make("p", `badge ${tone}`);
  if (MARKS[tone]) badge.append(unspoken(make("span", "", MARKS[tone])), " ");
  badge.append(text);
  badge.setAttribute("role", "status");
  return badge;
}

function listOf(rows, label) {
  const list = make("dl");
  list.setAttribute("aria-label", label);
  for (const { name, value } of rows) {
    const row = list.appendChild(make("div"));
    const words = make("dd");
    for (const { text, code, marked } of value) {
      words.append(make(marked ? "mark" : "span", code ? "code" : "", text));
    }
    row.append(make("dt", "", name), words);
  }
  return list;
}

export default function ({ data, parentElement }) {
  const { label, badge, folded, rows } = data;
  const before = parentElement.querySelector(".facts");
  const facts = make("section", "tokviz facts");
  facts.setAttribute("aria-label", label);
  if (badge) facts.append(pill(badge));
  if (folded && rows.length) {
    const details = facts.appendChild(make("details"));
    details.append(make("summary", "", folded), listOf(rows, label));
    details.open = before?.querySelector("details")?.open ?? false;
  } else if (rows.length) {
    facts.append(listOf(rows, label));
  }
  putIn(parentElement, facts);
}

// The result of a question on the teacher's screen: a row for each option, with its votes.

import { make } from "../../kit/elements.js";
import { figure } from "../../kit/words.js";
import { drawOption, drawSentences, occurrences } from "../class_question.js";

export class Results {
  draw({ kind, options }, { result }) {
    const { first, second, right, gain, why } = result;
    const most = Math.max(1, ...first, ...(second ?? []));
    const table = make("ul", options.length > 4 ? "tally many" : "tally");
    for (const [i, option] of options.entries()) {
      const row = table.appendChild(make("li", i === right ? "row right" : "row"));
      const bars = make("div", "bars");
      if (second) bars.append(barOf("first vote", first[i], most, true));
      bars.append(second ? barOf("second", second[i], most) : barOf("votes", first[i], most));
      row.append(make("span", "letter", option.letter), drawOption(option), bars, verdictOf(i, result, kind));
    }
    const said = make("p", "said");
    said.append(...drawSentences(why), make("span", "quiet", gain));
    return [table, said, ...this.proofs(options, result)];
  }

  // Why the other options are wrong, for a teacher who wants to go through them.
  proofs(options, { wrong }) {
    const rows = options.filter((_, i) => wrong[i]?.length);
    if (!rows.length) return [];
    const details = make("details", "proofs");
    details.append(make("summary", "", rows.length === 1 ? "Why not the other one?" : "Why not the others?"));
    const list = details.appendChild(make("ul"));
    for (const [i, { letter }] of options.entries()) {
      if (!wrong[i]?.length) continue;
      const entry = list.appendChild(make("li"));
      entry.append(make("b", "", `${letter} `), ...drawSentences(wrong[i]));
    }
    return [details];
  }
}

function barOf(label, votes, most, isOutlined = false) {
  const line = make("p", "bar-line");
  const bar = make("span", isOutlined ? "votes-bar outlined" : "votes-bar");
  bar.style.setProperty("--share", String(votes / most));
  const track = make("span", "track");
  track.append(...(votes ? [bar] : []), make(isOutlined ? "span" : "b", "", figure(votes)));
  line.append(make("span", "bar-label quiet", label), " ", track);
  return line;
}

function verdictOf(i, { right, counts, notes }, kind) {
  const verdict = make("p", "verdict");
  if (i === right) verdict.append(make("b", "", `✓ ${notes[i] || "right"}`));
  else if (notes[i]) verdict.append(make("span", "", notes[i]));
  const times = occurrences(counts?.[i] ?? null);
  if (times) verdict.append(make("span", "quiet", kind === "prediction" ? `occurs ${times}` : times));
  return verdict;
}

// The three menus of the workbench: Text (what goes in), View (how it is shown) and Share (what goes out).

import { copyText } from "../kit/copy_and_save.js";
import { html, svg } from "../kit/html.js";
import { menu } from "../kit/menu.js";
import { listed } from "../kit/words.js";
import { takings } from "./exports.js";
import { FACES } from "./token_box.js";

const READINGS = [
  ["text", "Text"],
  ["special", "Special tokens"],
  ["refuse", "Not allowed"],
];
const ICONS = {
  Text: "M3 3.5h10M8 3.5v9.5",
  View: "M1.5 8s2.5-4.5 6.5-4.5S14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  Share: "M8 1.8v8M5 4.6l3-3 3 3M3 8.5v5h10v-5",
};

const icon = (of) => html`<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" fill="none"
  stroke="currentColor" stroke-width="1.75">${svg`<path d=${ICONS[of]}></path>`}</svg>`;

// A menu of this name: Text, View or Share.
export const iconMenu = (label, items) => menu({ label, items, icon: icon(label), sheet: true });

// bench: the workbench.
export const menus = (bench) => [
  iconMenu("Text", () => textItems(bench)),
  iconMenu("View", () => viewItems(bench)),
  iconMenu("Share", () => shareItems(bench)),
];

const exampleItem = (bench) => ({
  label: "Examples",
  options: bench.data.examples.map(({ name }) => [name, name]),
  value: bench.example,
  closes: true,
  choose: (name) => bench.act("example", name),
});

function textItems(bench) {
  const { data } = bench;
  const button = (label, act) => ({ label, act });
  return [
    exampleItem(bench),
    null,
    {
      label: "Read <|endoftext|> and its like as",
      options: READINGS,
      value: bench.reading,
      choose: (reading) => bench.readAs(reading),
    },
    null,
    ...(bench.value ? [button("Clear the text", () => bench.act("clear"))] : []),
    ...(data.back
      ? [{ ...button("Back to my text before", () => bench.act("back")), hint: data.back > 1 ? `of ${data.back}` : "" }]
      : []),
    ...(bench.returns ? [button("Convert line ends", () => bench.convertEnds())] : []),
    ...bench.parts.map(([name, label]) => ({ ...button(label, () => bench.act("below", name)), hint: "›" })),
  ];
}

const ticksOf =
  (shows, change) =>
  (name, label, hint = "") => ({
    ...{ label, hint, checked: shows[name] },
    act: () => change({ [name]: !shows[name] }),
  });

// How tokens are drawn. shows: { face, whitespace, chunks }. change(): of some of these.
export function lookItems(shows, change) {
  const tick = ticksOf(shows, change);
  return [
    {
      label: "Show each token as",
      options: FACES.map((face) => [face, face]),
      value: shows.face,
      choose: (face) => change({ face }),
    },
    { heading: "Mark" },
    tick("whitespace", "White space"),
    tick("chunks", "Chunks", "what no merge may cross"),
  ];
}

function viewItems(bench) {
  const change = (changes) => bench.show(changes);
  const tick = ticksOf(bench.shows, change);
  return [
    ...lookItems(bench.shows, change),
    null,
    tick("find", "Find a token", "/"),
    tick("size", "Vocabulary size"),
    tick("figures", "Figures under the tokens"),
  ];
}

function shareItems(bench) {
  const panels = [...bench.panels.values()];
  const of = panels.find(({ data }) => data.key === bench.shared) ?? panels[0];
  const whose = {
    label: "Of",
    options: panels.map(({ data, heads }) => [data.key, `${data.glyph} ${listed(heads.map(({ title }) => title))}`]),
    value: of.data.key,
    choose: (key) => {
      bench.shared = key;
    },
  };
  const [ids, python, ...files] = takings(of);
  const link = {
    label: "Copy link to this text",
    tell: async (status) => {
      const { address, said, isWhole } = await bench.link();
      return (await copyText(address, status, said)) && isWhole;
    },
  };
  return [...(panels.length > 1 ? [whose] : []), ids, python, link, ...files];
}

// Replay: Speed and more, a menu in the title's row, or in the player at the foot.

import { addressOf, copyText } from "../kit/copy_and_save.js";
import { html } from "../kit/html.js";
import { menu } from "../kit/menu.js";
import { figure } from "../kit/words.js";

const SPEEDS = [0.5, 1, 4, 16, 60, 250]; // merges per second

export const menuOf = (stage) =>
  menu({
    label: "Speed and more",
    icon: stage.low ? html`<b aria-hidden="true">⋯</b>` : html`<b>${stage.player.speed} a second</b>`,
    sheet: true,
    items: () => itemsOf(stage),
  });

function itemsOf(stage) {
  const { player, stops, every, predicting, data } = stage;
  return [
    {
      label: "Merges a second",
      options: SPEEDS.map((speed) => [speed, String(speed)]),
      value: player.speed,
      choose: (speed) => player.hurry(speed),
    },
    stops.length && {
      label: "Step over",
      options: [
        [true, "Every merge"],
        [false, `Those in sight: ${figure(stops.length)}`],
      ],
      value: every,
      choose: (every) => stage.choose({ every }),
    },
    null,
    data.can_predict && {
      label: "Predict first",
      checked: predicting,
      act: () => stage.choose({ predicting: !stage.predicting }),
    },
    { label: "To the first merge", hint: "Home", act: () => stage.go(0) },
    { label: "To the last merge", hint: "End", act: () => stage.go(stage.last) },
    { label: stage.root.open ? "Leave presenter mode" : "Present", hint: "P", act: () => stage.present() },
    data.live && { label: "Copy link to this step", tell: (status) => copyLink(stage, status) },
  ].filter((item) => item === null || item);
}

// A link to this step, window and text: Python makes it, the browser copies it.
const copyLink = (stage, status) =>
  new Promise((done) => {
    const { start, length } = stage.at;
    const copy = async ({ query, left_out }) =>
      done((await copyText(addressOf(query), status, `Link copied. ${left_out}`)) && !left_out);
    stage.ask("link", { step: stage.k, start, length, presenting: stage.root.open }, copy);
  });

"""Replay's "Predict first" in a real browser: nothing shows the pair that merges next before the reader has guessed.

The player stands alone on a page. So a reload is a new component, and all orders of switches and reloads are drawn in a
few seconds. That a link leaves the switch on is in test_replay.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.alone import alone
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.ui.kit.served import script, source, stylesheet
from tokviz.ui.replay.drawn import HTML, STYLES
from tokviz.ui.replay.playing import Playing
from tokviz.ui.replay.predict import question

pytestmark = pytest.mark.right

ANSWER = """options => window.answer = ({ n, ask, step, guess }) => {
  if (step !== 0 || !["replay.pairs", "replay.guess"].includes(ask)) return;
  const counts = options.map(() => 12345);
  const answer = guess === undefined ? null : { guess, counts, winner: 0, verdict: "", why: [] };
  return { n, answer: { step, options, answer, score: "" } };
}"""
# What gives the pair away, after each action of an order.
SEEN = """async ([data, order]) => {
  const place = { ...data.place, predicting: false, presenting: false, stamp: 1 };
  const now = () => ({ ...data, place: { ...place } });
  const seen = () => [
    root.querySelectorAll(".pair").length,
    /which pair/.test(root.querySelector(".next h2").textContent) ? "" : "heading",
    [...root.querySelectorAll(".why")].some(box => box.checkVisibility()) ? "why" : "",
    [...root.querySelectorAll(".row.current .chip")].some(
      chip => chip.checkVisibility({ visibilityProperty: true })) ? "ledger" : "",
  ].filter(Boolean);
  const actions = {
    page() { place.predicting = !place.predicting; place.stamp++; draw(now()); },
    dialog() { place.predicting = !place.predicting; root.querySelector("[data-press=predict]").click(); },
    present() {
      place.presenting = !place.presenting;
      root.querySelector(place.presenting ? "[data-do=present]" : "[data-press=leave]").click();
    },
    reload() { mount(now()); },
  };
  const found = [];
  mount(now());
  for (const action of order) {
    actions[action]();
    for (const when of ["at once", "later"]) {
      if (place.predicting && seen().length) found.push([order, action, when, seen()]);
      await new Promise(done => setTimeout(done, 1));
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Page]:
    page = alone(browser, script("replay/replay.js"), stylesheet(*STYLES), source(HTML))
    page.evaluate(ANSWER, [(pair.left, pair.right) for pair in question(sample_training(), 0)])
    yield page
    page.context.close()


# The rows of the ledger that show a pair or a count, as far as they are not done, after the answer and later.
TOLD = """async ([data, options, order]) => {
  const told = { guess: null, winner: 0, counts: [2, 1], verdict: "", why: [] };
  window.answer = ({ n, ask, step, guess }) => {
    if (!["replay.pairs", "replay.guess"].includes(ask)) return;
    const answer = guess === undefined ? null : told;
    return { n, answer: { step, options: options.slice(0, 2), answer, score: "" } };
  };
  const place = { ...data.place, predicting: true, presenting: false, stamp: 1 };
  const asked = () => root.querySelectorAll(".option").length && !root.querySelector(".guess.waits");
  const until = async what => { while (!what()) await new Promise(done => setTimeout(done, 1)); };
  const rows = () => [...root.querySelectorAll(".row:is(.current, .later)")]
    .filter(row => [...row.children].slice(1).some(cell => cell.checkVisibility({ visibilityProperty: true })))
    .map(row => Number(row.firstElementChild.textContent) - 1);
  const actions = {
    reveal() { root.querySelector(".act").click(); return until(() => root.querySelector(".option.winner")); },
    switch() {
      place.predicting = !place.predicting;
      place.stamp++;
      draw({ ...data, place: { ...place } });
      return until(() => !place.predicting || asked());
    },
    present() { root.querySelector("[data-do=present]").click(); },
    leave() { root.querySelector("[data-press=leave]").click(); },
    sort() { root.querySelector(".titles button").click(); },
  };
  mount({ ...data, place: { ...place } });
  await until(asked);
  const seen = [];
  for (const action of order) {
    await actions[action]();
    seen.push(rows());
  }
  return seen;
}"""


def data() -> dict[str, Any]:
    training = sample_training()
    place = {"step": 0, "start": 0, "length": 2_000, "every": True, "presenting": False, "predicting": False}
    return Playing(None, training.tokenizer, training, "corpus").data({**place, "stamp": 1})


def test_no_order_of_switches_and_reloads_shows_the_next_pair_before_the_guess(stage: Page) -> None:
    orders = permutations(["page", "dialog", "present", "reload"])
    found = [stage.evaluate(SEEN, [data(), order]) for order in orders]
    assert [each for each in found if each] == []


def test_a_step_waits_for_the_question_that_is_on_its_way(stage: Page) -> None:
    given = data()
    stage.evaluate("data => mount(data)", {**given, "place": {**given["place"], "predicting": True}})
    stage.evaluate("new Promise(done => setTimeout(done, 1))")  # the line is open, and nothing is asked yet
    stage.evaluate("root.querySelector('[data-do=forward]').click()")
    stage.wait_for_function("root.querySelectorAll('.option').length")
    assert stage.evaluate("root.querySelector('[data-step]').dataset.step") == "0"


def test_steps_that_python_has_not_heard_of_stay_when_a_switch_is_pressed(stage: Page) -> None:
    given = {**data(), "id": "another"}  # the place of the last test is not remembered
    place = given["place"]
    stage.evaluate("data => mount(data)", given)
    for _ in range(5):
        stage.evaluate("root.querySelector('[data-do=forward]').click()")
    switched = {**place, "predicting": True, "stamp": 2, "was": {"step": 0, "predicting": False}}
    stage.evaluate("data => draw(data)", {**given, "place": switched})
    assert stage.evaluate("root.querySelector('[data-step]').dataset.step") == "5"
    stage.wait_for_function("told.some(([, { step, stamp, predicting }]) => step === 5 && stamp === 2 && predicting)")


def test_the_key_p_presents_right_after_the_switch_was_pressed(stage: Page) -> None:
    stage.evaluate("data => mount(data)", {**data(), "id": "keys"})
    stage.evaluate("place.insertAdjacentHTML('afterbegin', '<input type=checkbox>'); place.firstChild.focus()")
    stage.keyboard.press("p")
    assert stage.evaluate("root.querySelector('dialog').open")


def test_who_sees_the_score_is_not_said_where_everybody_sees_it(stage: Page) -> None:
    said = """async ([data, presenting]) => {
  mount({ ...data, id: `score ${presenting}`, place: { ...data.place, predicting: true, presenting, stamp: 1 } });
  await new Promise(done => setTimeout(done, 200));
  return root.querySelector(".guess").innerText.includes("Only you see your score.");
}"""
    assert [stage.evaluate(said, [data(), presenting]) for presenting in (False, True)] == [True, False]


def test_the_answer_shows_its_own_row_of_the_ledger_and_none_of_those_to_come(stage: Page) -> None:
    options = [(pair.left, pair.right) for pair in question(sample_training(), 0)]

    def seen(*order: str) -> Any:
        return stage.evaluate(TOLD, [{**data(), "id": " ".join(order)}, options, order])

    assert seen("sort", "reveal", "present", "leave") == [[], [0], [0], [0]]
    reveal, off, on = seen("reveal", "switch", "switch")
    assert (reveal, on) == ([0], [0]) and off[:3] == [0, 1, 2]
    assert seen("switch", "switch", "reveal")[1:] == [[], [0]]


@pytest.mark.parametrize("presenting", [False, True])
def test_on_a_phone_each_count_stands_on_one_line(stage: Page, presenting: bool) -> None:
    stage.set_viewport_size({"width": 390, "height": 844})
    given = data()
    place = {**given["place"], "predicting": True, "presenting": presenting}
    stage.evaluate("data => mount(data)", {**given, "id": f"phone {presenting}", "place": place})
    stage.wait_for_function("root.querySelectorAll('.option').length")
    stage.evaluate("root.querySelector('.option input').click()")
    assert "reveal" not in stage.evaluate("root.querySelector('.verdict').textContent")  # no button's name now
    stage.evaluate("name => root.querySelector(name).click()", "[data-press=forward]" if presenting else ".act")
    stage.wait_for_function("root.querySelector('.option .count')?.textContent")
    lines = """[...root.querySelectorAll(".option .count")].map(count => {
  const words = document.createRange();
  words.selectNodeContents(count);
  return words.getClientRects().length;
})"""
    assert set(stage.evaluate(lines)) == {1}
    stage.set_viewport_size({"width": 1280, "height": 800})

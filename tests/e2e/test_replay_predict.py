"""Replay's "Predict first" in a real browser: nothing shows the pair that merges next before the reader has guessed.

The player is alone on a page. So a reload is a new component, and all orders of switches and reloads are drawn in a
few seconds. That a link leaves the switch on is in test_replay.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.alone import alone
from tokviz.offline.files import REPLAY, script, stylesheet
from tokviz.offline.replay import Playing
from tokviz.teach.misconceptions import offer
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.ui.replay.predict import OPTIONS

pytestmark = pytest.mark.right

# How a test acts, and what the server answers at step 0: the first pair merges next.
ACTS = """options => {
  window.answer = ({ n, ask, step, guess }) => {
    if (step !== 0 || !["replay.pairs", "replay.guess"].includes(ask)) return;
    const told = { guess, counts: options.map(() => 12345), winner: 0, verdict: "", why: [] };
    const answer = guess === undefined ? null : told;
    return { n, answer: { step, options, answer, score: "" } };
  };
  window.until = async what => { while (!what()) await new Promise(done => setTimeout(done, 1)); };
  window.press = name => {
    if (!root.querySelector(".menu-item")) root.querySelector(".menu-button").click();
    [...root.querySelectorAll(".menu-item")].find(item => item.textContent.startsWith(name)).click();
  };
  window.acts = {
    switch() { press("Predict first"); },
    present() { root.querySelector("dialog").dispatchEvent(new KeyboardEvent("keydown", { key: "p" })); },
    reload() { mount({ ...data, place: { ...data.place, ...window.last } }); },
    sort() { root.querySelector(".titles button").click(); },
    reveal() { root.querySelector(".act").click(); return until(() => root.querySelector(".option.winner")); },
  };
}"""
# What gives the pair away, after each act of an order.
SEEN = """async ([data, order]) => {
  window.data = data;
  mount(data);
  const seen = () => [
    root.querySelectorAll(".pair").length,
    /choose it/.test(root.querySelector(".next-head").textContent) ? "" : "heading",
    root.querySelector(".why") ? "why" : "",
    [...root.querySelectorAll(".row.next .chip")].some(
      chip => chip.checkVisibility({ visibilityProperty: true })) ? "list" : "",
  ].filter(Boolean);
  const found = [];
  window.last = { predicting: false, presenting: false };
  const look = (act, when) => {
    if (last.predicting && seen().length) found.push([order, act, when, seen()]);
  };
  for (const act of order) {
    acts[act]();
    if (act === "switch") last.predicting = true;
    if (act === "present") last.presenting = true;
    look(act, "at once");
    const isTold = ([name, { place }]) =>
      name === "place" && place.predicting === last.predicting && place.presenting === last.presenting;
    await (act === "reload" ? new Promise(done => setTimeout(done, 50)) : until(() => told.some(isTold)));
    look(act, "later");
  }
  return found;
}"""
# The rows of the list that show a pair or a count, as far as they are not done, after each act.
TOLD = """async ([data, order]) => {
  window.data = data;
  mount(data);
  const rows = () => [...root.querySelectorAll(".row.later")]
    .filter(row => [...row.children].slice(1).some(cell => cell.checkVisibility({ visibilityProperty: true })))
    .map(row => Number(row.firstElementChild.textContent) - 1);
  const seen = [];
  for (const act of order) {
    if (act === "reveal") await until(() => root.querySelector(".guess:not(.waits) .option"));
    await acts[act]();
    seen.push(rows());
  }
  return seen;
}"""


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Page]:
    page = alone(browser, script("replay/replay.js"), stylesheet(*REPLAY))
    page.evaluate(ACTS, [*offer(sample_training(), 0, OPTIONS)])
    yield page
    page.context.close()


def data(**place: Any) -> dict[str, Any]:
    training = sample_training()
    usual = {"step": 0, "start": 0, "length": 2_000, "every": True, "presenting": False, "predicting": False}
    sent = Playing(None, training.tokenizer, training, "corpus").data({**usual, "stamp": 1, "own": False, **place})
    return {**sent, "choices": [["sample", "corpus"]], "plays": "sample"}


def test_no_order_of_switches_and_reloads_shows_the_next_pair_before_the_guess(stage: Page) -> None:
    found = [stage.evaluate(SEEN, [data(), order]) for order in permutations(["switch", "present", "reload"])]
    assert [each for each in found if each] == []


def test_a_step_waits_for_the_question_that_is_on_its_way(stage: Page) -> None:
    stage.evaluate("data => mount(data)", data(predicting=True))
    stage.evaluate("new Promise(done => setTimeout(done, 1))")  # the line is open, and nothing is asked yet
    stage.evaluate("root.querySelector('[data-do=forward]').click()")
    stage.wait_for_function("root.querySelectorAll('.option').length")
    assert stage.evaluate("root.querySelector('[data-step]').dataset.step") == "0"


@pytest.mark.parametrize("presenting", [False, True])
def test_who_sees_the_score_is_not_said_where_everybody_sees_it(stage: Page, presenting: bool) -> None:
    stage.evaluate("data => mount(data)", data(predicting=True, presenting=presenting))
    said = stage.evaluate("root.querySelector('.guess').innerText.includes('Only you see your score.')")
    assert said != presenting


def test_the_answer_shows_its_own_row_of_the_list_and_none_of_those_to_come(stage: Page) -> None:
    def seen(*order: str) -> Any:
        return stage.evaluate(TOLD, [data(predicting=True), order])

    assert seen("sort", "reveal") == [[], [0]]
    reveal, off, on = seen("reveal", "switch", "switch")
    assert (reveal, on) == ([0], [0]) and off[:3] == [0, 1, 2]

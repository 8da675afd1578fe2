"""Replay's "Predict first" in a real browser: nothing shows the pair that merges next before the reader has guessed.

The player stands alone on a page, with Python's answers in place of its socket. So a reload is a new component, and all
orders of switches and reloads are drawn in a few seconds. That a link keeps the switch is in test_replay.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import bare_page
from tokviz.ui.components.replay import HTML, SCRIPT, STYLE
from tokviz.ui.replay.playing import Playing
from tokviz.ui.replay.predict import question
from tokviz.ui.tokenizers import sample_training

pytestmark = pytest.mark.right

ADDRESS = "http://classroom.test/"
SHEET = '<!doctype html><html lang="en"><title>Replay</title><main id="place"></main>'

# A server that knows the question at step 0, and answers nothing else. Frames come at once.
MOUNT = """async ([html, style, script, options]) => {
  window.requestAnimationFrame = draw => setTimeout(draw);
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("open"))); }
    close() {}
    send(message) {
      const { n, question } = JSON.parse(message);
      const answer = question === 0 ? { step: 0, options, answer: null, score: "" } : undefined;
      const data = JSON.stringify({ n, answer, error: "" });
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: component } = await import(address);
  let close = () => {};
  window.mount = data => {   // anew, as a reload does
    close();
    const root = document.createElement("div").attachShadow({ mode: "open" });
    place.replaceChildren(root.host);
    root.innerHTML = `<style>${style}</style>${html}`;
    window.root = root;
    window.draw = data => component({ data, parentElement: root, setStateValue() {} });
    close = window.draw(data);
  };
}"""
# What gives the pair away, after each action of an order.
SEEN = """async ([data, order]) => {
  const place = { ...data.place, predicting: false, presenting: false, stamp: 1 };
  const now = () => ({ ...data, place: { ...place } });
  const seen = () => [
    root.querySelectorAll(".pair").length,
    /which pair|are done/.test(root.querySelector(".next h2").textContent) ? "" : "heading",
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
    page = bare_page(browser, viewport={"width": 1280, "height": 800})
    page.route(ADDRESS, lambda route: route.fulfill(body=SHEET, content_type="text/html; charset=utf-8"))
    page.goto(ADDRESS)
    asked = [(pair.left, pair.right) for pair in question(sample_training(), 0)]
    page.evaluate(MOUNT, [HTML, STYLE, SCRIPT, asked])
    yield page
    page.context.close()


def test_no_order_of_switches_and_reloads_shows_the_next_pair_before_the_guess(stage: Page) -> None:
    training = sample_training()
    place = {"step": 0, "start": 0, "length": 2_000, "every": True}
    data = Playing(None, training.tokenizer, training, "corpus").data(place)
    found = [stage.evaluate(SEEN, [data, order]) for order in permutations(["page", "dialog", "present", "reload"])]
    assert [each for each in found if each] == []

"""ask.js: the components of a page share a socket, and no question of theirs is lost with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import bare_page
from tokviz.offline.bundle import bundle
from tokviz.ui import kit

ADDRESS = "http://asking.test/"
# Two components, each with a copy of the file. sockets: all that were opened; a test speaks for them.
SETUP = """async script => {
  window.sockets = [];
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    sent = [];
    constructor() {
      super();
      sockets.push(this);
    }
    open() {
      this.readyState = 1;
      this.dispatchEvent(new Event("open"));
    }
    send(message) {
      this.sent.push(JSON.parse(message));
    }
    hear(said) {
      this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(said) }));
    }
    close(code = 1006, reason = "") {
      this.readyState = 3;
      this.dispatchEvent(new CloseEvent("close", { code, reason }));
    }
  };
  const component = async name => {
    const { Asker } = await import(URL.createObjectURL(new Blob([script, `// ${name}`], { type: "text/javascript" })));
    const status = document.body.appendChild(document.createElement("p"));
    const asker = new Asker(status, `${name} stays.`, () => asker.refusals++);
    Object.assign(asker, { refusals: 0, told: [] });
    asker.asks = (...question) =>
      asker.ask(...question).then(answer => asker.told.push(answer), error => asker.told.push(error.message));
    return asker;
  };
  [window.one, window.other] = [await component("One"), await component("The other")];
}"""


@pytest.fixture
def page(browser: Browser) -> Page:
    page = bare_page(browser)
    page.route(ADDRESS, lambda route: route.fulfill(body="<!doctype html><p>", content_type="text/html"))
    page.goto(ADDRESS)
    page.evaluate(SETUP, bundle(Path(kit.__file__).parent / "ask.js"))
    return page


def test_components_share_a_socket_and_each_gets_its_answers(page: Page) -> None:
    page.evaluate("one.asks('a.x', { of: 1 }), other.asks('b.y', { of: 2 }), sockets[0].open()")
    assert page.evaluate("sockets.map(({ sent }) => sent)") == [
        [{"n": 1, "ask": "a.x", "of": 1}, {"n": 2, "ask": "b.y", "of": 2}]
    ]
    page.evaluate("sockets[0].hear({ n: 2, answer: 'two' }), sockets[0].hear({ n: 1, error: 'No.' })")
    assert page.evaluate("[one.told, other.told]") == [["No."], ["two"]]


def test_of_the_questions_of_a_kind_the_newest_is_asked_after_the_answer(page: Page) -> None:
    page.evaluate("one.asks('a.x', { i: 0 }), sockets[0].open()")
    page.evaluate("for (const i of [1, 2, 3]) one.asks('a.x', { i }); one.asks('a.x', { i: 4 }, 'another'); 0")
    sent = "sockets[0].sent.map(({ i }) => i)"
    assert page.evaluate(sent) == [0, 4]
    page.evaluate("sockets[0].hear({ n: 1, answer: 'first' })")
    assert page.evaluate(sent) == [0, 4, 3]


def test_what_had_no_answer_is_asked_again_over_the_next_connection(page: Page) -> None:
    page.evaluate("one.asks('a.x', {}), other.asks('b.y', {}), sockets[0].open()")
    page.evaluate("one.status.textContent = 'Link copied.', sockets[0].hear({ n: 1, answer: 'first' })")
    page.evaluate("sockets[0].close(1008, 'unknown')")
    assert page.evaluate("[one.refusals, other.refusals]") == [0, 1]
    page.wait_for_function("sockets.length === 2")
    page.evaluate("sockets[1].open(), sockets[1].close(1013, 'There is no room.')")
    full = "There is no room. Trying again. The other stays."
    assert page.locator("p").all_inner_texts()[1:] == ["Link copied.", full]
    page.evaluate("dispatchEvent(new Event('online')), sockets[2].open()")
    assert page.evaluate("sockets[2].sent.map(({ ask }) => ask)") == ["b.y"]
    page.evaluate("sockets[2].hear({ n: 4, answer: 'second' })")
    assert page.evaluate("[one.told, other.told]") == [["first"], ["second"]]
    assert page.locator("p").all_inner_texts()[1:] == ["Link copied.", ""], "only what was said of the trouble goes"


@pytest.mark.right
def test_what_the_server_did_not_take_is_not_asked_again_and_the_rest_is(page: Page) -> None:
    page.evaluate("one.asks('a.x', {}), sockets[0].open(), one.asks('a.x', { more: 1 }), 0")
    page.evaluate("sockets[0].close(1009, 'A message can have at most 100 characters.')")
    page.wait_for_function("sockets.length === 2")
    page.evaluate("sockets[1].open()")
    assert page.evaluate("sockets[1].sent.map(({ more }) => more)") == [1]
    assert page.evaluate("one.told") == ["A message can have at most 100 characters."]


def test_a_component_that_is_closed_hears_nothing_and_the_last_one_closes_the_socket(page: Page) -> None:
    page.evaluate("one.asks('a.x', {}), other.asks('b.y', {}), sockets[0].open(), one.close()")
    page.evaluate("sockets[0].hear({ n: 1, answer: 'first' }), sockets[0].hear({ n: 2, answer: 'second' })")
    assert page.evaluate("[one.told, other.told, sockets[0].readyState]") == [[], ["second"], 1]
    page.evaluate("other.close()")
    assert page.evaluate("sockets[0].readyState") == 3

"""How a component comes onto a page: with its styles, once, whatever comes late, fails, or is called meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.browser import ROOT, bare_page, eventually, serving, settled
from tests.e2e.typing import opened, replace, right
from tokviz.offline.bundle import bundle
from tokviz.ui.kit import served

ADDRESS = "http://kit.test/"
FILES = json.dumps("entry.js"), json.dumps(["style.js"])
STUBS = {sum: served._STUB.format(at=f"{sum}/", entry=FILES[0], sheets=FILES[1]) for sum in "ab"}
MOUNT = bundle(ROOT / "tokviz/ui/kit/mount.js")
SHEET = "const sheet = new CSSStyleSheet(); sheet.replaceSync('p { color: red }'); export default sheet;"
# It writes into `log` what it draws and that it closes.
ENTRY = """
export default ({ data, parentElement }) => {
  log.push(`SUM draws ${data}`);
  const drawn = document.createElement("p");
  drawn.className = "drawn";
  drawn.tabIndex = 0;
  drawn.textContent = data;
  if (!parentElement.querySelector("p")) parentElement.append(drawn);
  return () => log.push("SUM closes");
};
"""
# call(data, sum) does what Streamlit does for each change of data; it gives the clean-up.
PAGE = """<!doctype html><html lang="en"><title>Mount</title><div id="host"></div><script type="module">
  window.log = [];
  addEventListener("vite:preloadError", () => log.push("not loaded"));
  document.addEventListener("keydown", ({ key }) => log.push(key));
  const root = host.attachShadow({ mode: "open" });
  root.append(document.createElement("div"));
  const drawers = {};
  for (const [sum, stub] of Object.entries(STUBS))
    drawers[sum] = await import(URL.createObjectURL(new Blob([stub], { type: "text/javascript" })));
  window.call = (data, sum = "a") => drawers[sum].default({ data: [data], parentElement: root });
</script>""".replace("STUBS", json.dumps(STUBS))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of the tests with a place for a component, and time that passes when the test says so."""
    page = bare_page(browser)
    page.clock.install()

    def script(route: Route) -> None:
        *_, sum, name = route.request.url.split("/")
        text = {"mount.js": MOUNT, "entry.js": ENTRY, "style.js": SHEET}.get(name, SHEET)
        route.fulfill(content_type="text/javascript", body=text.replace("SUM", sum))

    page.route(f"{ADDRESS}**/*.js", script)
    page.route(ADDRESS, lambda route: route.fulfill(content_type="text/html; charset=utf-8", body=PAGE))
    page.goto(ADDRESS)
    page.wait_for_function("() => window.call")
    yield page
    page.context.close()


def held(page: Page, name: str) -> Callable[[], None]:
    """Hold this file back until the function is called that this gives."""
    waiting: list[Route] = []
    page.route(f"**/{name}", lambda route: waiting.append(route))

    def go_on() -> None:
        eventually(lambda: (log(page), len(waiting))[1], bool)
        page.unroute(f"**/{name}")
        for route in waiting:
            route.fallback()

    return go_on


def log(page: Page) -> list[str]:
    said: list[str] = page.evaluate("log")
    return said


@pytest.mark.parametrize("late", ["entry.js", "style.js"])
def test_nothing_is_drawn_before_its_style_is_there(page: Page, late: str) -> None:
    go_on = held(page, late)
    page.evaluate("() => { window.first = call(1) }")
    page.clock.run_for(1_000)
    expect(page.locator("p")).to_have_count(0)
    go_on()
    expect(page.locator("p")).to_have_css("color", "rgb(255, 0, 0)")


def test_of_calls_that_wait_for_files_only_the_last_draws(page: Page) -> None:
    go_on = held(page, "entry.js")
    page.evaluate("() => { window.calls = [call(1), call(2)] }")
    go_on()
    page.evaluate("async () => (await calls[0])()")  # Streamlit cleans up after a call that another one followed
    page.evaluate("() => calls[1]")
    assert log(page) == ["a draws 2"]
    expect(page.locator("p")).to_have_text("2")


def test_a_clean_up_closes_only_what_has_left_the_page(page: Page) -> None:
    page.evaluate("async () => { window.first = await call(1) }")
    page.evaluate("() => first()")  # late: the next call is on its way
    page.evaluate("async () => { window.second = await call(2) }")
    assert log(page) == ["a draws 1", "a draws 2"]
    page.evaluate("() => { host.remove(); first(); second() }")
    assert log(page) == ["a draws 1", "a draws 2", "a closes"]


def test_what_left_the_page_while_its_files_came_is_not_drawn(page: Page) -> None:
    go_on = held(page, "entry.js")
    page.evaluate("() => { window.first = call(1); host.remove() }")
    go_on()
    page.evaluate("async () => (await first)()")
    assert log(page) == []


def test_after_a_restart_with_other_files_it_is_drawn_once(page: Page) -> None:
    page.evaluate("() => call(1)")
    page.evaluate("() => call(2, 'b')")
    assert log(page) == ["a draws 1", "a closes", "b draws 2"]
    expect(page.locator("p")).to_have_text("2")
    assert page.evaluate("host.shadowRoot.adoptedStyleSheets.length") == 3


def test_a_file_that_did_not_come_is_asked_for_again(page: Page) -> None:
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort()

    page.route("**/entry.js", lose, times=2)
    page.evaluate("() => { window.first = call(1) }")
    for n in (1, 2):
        eventually(lambda: (log(page), len(lost))[1], n)
        page.clock.run_for(3_000)
    page.evaluate("() => first")
    assert log(page) == ["a draws 1"]


@pytest.mark.parametrize("name", ["style.js", "mount.js"])
def test_a_file_that_never_comes_is_said_and_the_next_call_draws(page: Page, name: str) -> None:
    page.route(f"**/{name}", lambda route: route.abort())
    page.evaluate("() => { window.first = call(1) }")
    eventually(lambda: page.clock.run_for(3_000) or log(page), ["not loaded"])
    page.evaluate("async () => (await first)?.()")
    page.unroute(f"**/{name}")
    page.evaluate("() => call(2)")
    assert log(page) == ["not loaded", "a draws 2"]


def test_the_keys_of_streamlit_stay_inside(page: Page) -> None:
    page.evaluate("() => call(1)")
    page.locator("p").focus()
    for key in ("r", "C", "x"):
        page.keyboard.press(key)
    assert log(page) == ["a draws 1", "x"]


OTHER_FILES = """
from tokviz.ui.kit import served

served._sum = lambda: "0123456789abcdef"
"""
DRAWN = """() => [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map(({ shadowRoot }) =>
  shadowRoot.querySelectorAll(".tokviz").length)"""


def test_an_open_page_goes_on_when_the_server_starts_again_with_other_files(browser: Browser, tmp_path: Path) -> None:
    Path(tmp_path, "sitecustomize.py").write_text(OTHER_FILES, "utf-8")
    with serving() as first:
        page, port = bare_page(browser, base_url=first.url), int(first.url.rsplit(":", 1)[1])
        opened(page)
        replace(page, "typed before")
        replay = page.context.new_page()
        replay.goto("/replay")
        expect(replay.locator("[data-step]")).to_have_attribute("data-step", "0")
        drawn = [settled(tab).evaluate(DRAWN) for tab in (page, replay)]
        first.stop()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        with serving(port=port, PYTHONPATH=os.pathsep.join(map(str, [tmp_path, ROOT]))):
            for tab in (page, replay):
                expect(tab.get_by_text("The server was started again.")).to_be_visible()
            assert [settled(tab).evaluate(DRAWN) for tab in (page, replay)] == drawn
            eventually(lambda: any("/tokviz/ui/0123456789abcdef/" in url for url in asked), True)
            replace(page, "typed after that")
            right(page, "typed after that", "o200k_base")
            replay.get_by_role("button", name="Forward one merge").click()
            expect(replay.locator("[data-step]")).to_have_attribute("data-step", "1")
        page.context.close()

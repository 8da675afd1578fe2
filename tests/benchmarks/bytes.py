"""What goes over the network, and how long a first visit takes on a slow one.

Prints for each step the kB over Streamlit's websocket and over HTTP, as they are sent; then the seconds to the first
tokens of a first and of a second visit at 1.5 Mbit/s and 100 ms. `bytes FOLDER ...` measures other states of the
repository too, in turns with this one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.benchmarks.figures import load
from tests.e2e.browser import ROOT, Server, launch, new_context, serving
from tests.e2e.typing import pick

QUIET_S = 1.5  # for which nothing comes: then a step has ended
SLOW = {"offline": False, "latency": 100, "downloadThroughput": 1_500_000 / 8, "uploadThroughput": 750_000 / 8}
SLOW_VISITS = 3


class Traffic:
    """What came to a page since this was last asked."""

    def __init__(self, page: Page):
        self.page = page
        self.cdp = page.context.new_cdp_session(page)
        self.cdp.send("Network.enable")
        self.streamed = self.fetched = 0
        self.last = time.monotonic()
        self.streams: set[str] = set()
        self.cdp.on("Network.webSocketCreated", self._on_socket)
        self.cdp.on("Network.webSocketFrameReceived", self._on_frame)
        self.cdp.on("Network.dataReceived", self._on_data)
        self.cdp.on("Network.loadingFinished", self._on_loaded)

    def _on_socket(self, event: dict[str, str]) -> None:
        if event["url"].endswith("/_stcore/stream"):
            self.streams.add(event["requestId"])

    def _on_frame(self, event: dict[str, object]) -> None:
        frame = event["response"]
        assert isinstance(frame, dict)
        self.last = time.monotonic()
        if event["requestId"] in self.streams:
            self.streamed += len(frame["payloadData"]) * 3 // 4  # in base64

    def _on_data(self, _: object) -> None:
        self.last = time.monotonic()

    def _on_loaded(self, event: dict[str, int]) -> None:
        self.fetched += event["encodedDataLength"]

    def rested(self) -> tuple[int, int]:
        """Wait until nothing comes. What came: bytes over Streamlit's websocket, and over HTTP."""
        self.last = time.monotonic()
        while time.monotonic() - self.last < QUIET_S:
            self.page.wait_for_timeout(100)
        came = self.streamed, self.fetched
        self.streamed = self.fetched = 0
        return came


def _choose(page: Page) -> None:
    pick(page, page.get_by_role("button", name="Add a tokenizer"), "GPT-2")


def _take_away(page: Page) -> None:
    page.get_by_role("button", name="Take GPT-2 away").first.click()


def _open_entry(page: Page) -> None:
    page.get_by_role("link", name="cl100k_base", exact=True).first.click()


def _write(page: Page) -> None:
    page.get_by_role("radio", name="Write").click()


# Each in a browser of its own: its name, where it begins, and what is done there.
STEPS: dict[str, tuple[str, Callable[[Page], None] | None]] = {
    "Tokens": ("/", None),
    "Tokens: a tokenizer chosen": ("/", _choose),
    "Learn": ("/learn", None),
    "Library": ("/library", None),
    "Library: one opened": ("/library", _open_entry),
    "Replay": ("/replay", None),
    "Compare": ("/compare", None),
    "Compare: a tokenizer taken away": ("/compare", _take_away),
    "Vocabulary": ("/vocabulary", None),
    "Train": ("/train", None),
    "Train: to Write": ("/train", _write),
}


@contextmanager
def _visitor(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    context = new_context(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
    yield context
    context.close()


def steps(browser: Browser, server: Server) -> dict[str, tuple[int, int]]:
    """The bytes of each step, and of a second visit to Tokens."""
    found = dict[str, tuple[int, int]]()
    for name, (place, act) in STEPS.items():
        with _visitor(browser, server) as context:
            page = context.new_page()
            traffic = Traffic(page)
            page.goto(place)
            first = traffic.rested()
            if act:
                act(page)
                first = traffic.rested()
            found[name] = first
            if name == "Tokens":
                page.goto("about:blank")
                traffic.rested()
                page.goto(place)
                found["Tokens: a second visit"] = traffic.rested()
    return found


def slow(browser: Browser, server: Server) -> tuple[float, float]:
    """Seconds to the first tokens on a slow network: of a first visit, and of a second."""
    with _visitor(browser, server) as context:
        page = context.new_page()
        traffic = Traffic(page)
        traffic.cdp.send("Network.emulateNetworkConditions", SLOW)
        took = []
        for _ in range(2):
            begun = time.perf_counter()
            page.goto("/", wait_until="commit")
            page.locator(".t").first.wait_for()
            took.append(time.perf_counter() - begun)
            traffic.rested()
        return took[0], took[1]


def main() -> None:
    roots = [Path(word) for word in sys.argv[1:]] + [ROOT]
    with sync_playwright() as playwright:
        browser = launch(playwright)
        took: dict[Path, list[tuple[float, float]]] = {root: [] for root in roots}
        sent = dict[Path, dict[str, tuple[int, int]]]()
        for turn in range(SLOW_VISITS):
            for root in roots:
                with serving(root=root) as server:
                    with _visitor(browser, server) as context:  # so that the server has drawn once
                        page = context.new_page()
                        page.goto("/library?open=cl100k_base")
                        page.get_by_role("button", name="Prove it").wait_for()  # its formats are known from then on
                    if turn == 0:
                        sent[root] = steps(browser, server)
                    took[root].append(slow(browser, server))
        print(f"kB over the websocket, and over HTTP: {', '.join(map(str, roots))}; {load()}")
        for name in sent[ROOT]:
            figures = (f"{sent[root][name][0] / 1000:8.1f} {sent[root][name][1] / 1000:8.1f}" for root in roots)
            print(f"  {name:28}", "   ".join(figures))
        print("s to the first tokens at 1.5 Mbit/s and 100 ms: of a first visit, and of a second")
        for root in roots:
            print(f"  {root}:", ", ".join(f"{first:.1f} {second:.1f}" for first, second in took[root]))
        browser.close()

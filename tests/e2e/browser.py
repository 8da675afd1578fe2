"""A real Chromium and a real server for the tests, and what every visit to a page is held to."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    FloatRect,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    expect,
)

from tests.waiting import PATIENCE_S
from tokviz.ui.server.machine import local_addresses

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
USUAL_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    *(
        os.path.expandvars(rf"%{folder}%\Google\Chrome\Application\chrome.exe")
        for folder in ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData")
    ),
)
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READY_S = 180  # a cold start compiles all of Streamlit
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]

Read = TypeVar("Read")
Scheme = Literal["light", "dark"]
Motion = Literal["no-preference", "reduce"]

expect.set_options(timeout=1000 * PATIENCE_S)


# -- waiting --


def eventually(read: Callable[[], Read], expected: object) -> Read:
    """Read until it is as expected: equal to this value, or accepted by this function. What was read then."""
    end = time.monotonic() + PATIENCE_S
    while True:
        found = read()
        if expected(found) if callable(expected) else found == expected:
            return found
        if time.monotonic() > end:
            wanted = "" if callable(expected) else f", not {expected!r}"[:1_000]
            pytest.fail(f"After {PATIENCE_S} seconds it is still {found!r}"[:1_000] + wanted)
        time.sleep(0.05)


def resting_box(locator: Locator) -> FloatRect:
    """Where an element is once it has stopped moving: at the same place in several looks, one after the other."""
    looks: list[FloatRect | None] = []

    def look() -> FloatRect | None:
        looks.append(locator.bounding_box())
        return looks[-1] if looks[-5:] == [looks[-1]] * 5 else None

    box = eventually(look, lambda box: box is not None)
    assert box
    return box


def fits(page: Page) -> None:
    """Wait until the page is no wider than its window."""
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


# -- the browser --


def launch(playwright: Playwright) -> Browser:
    """The Chrome or Chromium that is here, or else one that is fetched now; if neither, the test fails in one line."""
    named = os.environ.get("TOKVIZ_CHROME")
    if named:
        return _start(playwright, named) or pytest.fail(
            f"TOKVIZ_CHROME is {named}, which does not start.", pytrace=False
        )
    for get in (lambda: None, _install_with_apt, _install_with_playwright):
        get()
        for path in _found():
            browser = _start(playwright, path)
            if browser:
                return browser
    pytest.fail(
        "No Chrome or Chromium starts here, and none could be installed: install one, or name it in TOKVIZ_CHROME "
        'with its path, or run the other tests with -m "not browser".',
        pytrace=False,
    )


def _found() -> Iterator[str | None]:
    """Paths of browsers, best guess first; None stands for Playwright's own."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from filter(os.path.exists, USUAL_PLACES)
    yield None


def _start(playwright: Playwright, path: str | None) -> Browser | None:
    try:
        return playwright.chromium.launch(executable_path=path, args=LAUNCH)
    except Error:
        return None


def _install_with_apt() -> None:
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        import fcntl  # not on Windows

        with Path(__file__).open() as only:  # apt-get turns away a second one; here it waits, and has little to do then
            fcntl.flock(only, fcntl.LOCK_EX)
            _quietly("apt-get", "update")
            _quietly("apt-get", "install", "--yes", "--no-install-recommends", "chromium")


def _install_with_playwright() -> None:
    _quietly(sys.executable, "-m", "playwright", "install", "chromium")


def _quietly(*command: str) -> None:
    """Run it for up to five minutes. Whether it helped shows when the browser starts."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )


# -- the server --


@dataclass(frozen=True)
class Server:
    """A running server: its address without a slash at the end, its log, and the folder of its saved models.

    windows: those that are free, by what they were opened with. The next visit takes one of them.
    """

    url: str
    log: Path
    saved: Path
    process: subprocess.Popen[bytes]
    windows: dict[str, list[Window]] = field(default_factory=dict)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def serving(
    script: Path | str = "app.py",
    port: int = 0,
    root: Path = ROOT,
    start: Sequence[str | Path] = (),
    below: str = "",
    **environment: str,
) -> Iterator[Server]:
    """The app as `streamlit run app.py` serves it, on this port or a free one, saving into a folder of its own.

    root: the folder of the repository, or of another state of it. start: another command than that.
    below: the path before all addresses, such as "/a".
    """
    environment |= {"STREAMLIT_SERVER_BASE_URL_PATH": below} if below else {}
    start = start or (sys.executable, "-m", "streamlit", "run", script)
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        log_file, saved = Path(folder, "server.log"), Path(folder, "saved")
        saved.mkdir()
        with log_file.open("w") as log:
            process = subprocess.Popen(
                [*start, f"--server.port={port}", "--server.headless=true"],
                cwd=root,
                env=os.environ | {"TOKVIZ_SAVED": str(saved), "PYTHONPATH": str(root)} | environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        server = Server(f"http://127.0.0.1:{port}{below}", log_file, saved, process)
        try:
            _wait_until_ready(server, process)
            yield server
        finally:
            server.stop()


def _wait_until_ready(server: Server, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=10) as answer:
            if answer.read() == b"ok":
                return
        time.sleep(0.1)
    pytest.fail(f"The server did not start:\n{server.log.read_text()[-2000:]}", pytrace=False)


# -- a visit --

# Keeps in window.runs whether a run of the page's script is asked for that has not ended yet. The state that the page
# itself shows lags behind, and rests between a run that ends early and the one that follows it at once. Read off the
# bytes of Streamlit's messages: the field rerun_script of a BackMsg, and script_finished at the end of a ForwardMsg.
WATCH_RUNS = """
window.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    this.isOfTheScript = String(address[0]).endsWith("/_stcore/stream");
    if (this.isOfTheScript) this.addEventListener("message", ({ data }) => {
      const [field, how] = new Uint8Array(data).subarray(-2);
      if (data.byteLength < 100 && field === 0x30 && how < 4) window.runs = how === 2;   // 2: early, for another run
    });
  }
  send(message) {
    if (this.isOfTheScript && message[0] === 0x5a) window.runs = true;
    super.send(message);
  }
};
"""


def new_context(browser: Browser, **options: object) -> BrowserContext:
    """A browser context of which nothing is watched, and whose pages wait as long as all tests do."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    context.set_default_timeout(1000 * PATIENCE_S)
    context.add_init_script(WATCH_RUNS)
    return context


def bare_page(browser: Browser, **options: object) -> Page:
    """A page in a context of its own, where errors in the console fail no test. To close it, close its context."""
    return new_context(browser, **options).new_page()


class Window:
    """A browser context and what goes wrong in it: errors in the console, and requests that leave the server."""

    def __init__(self, browser: Browser, server: Server, **context: object):
        usual = {"base_url": server.url, "viewport": DESKTOP, "locale": "en-US"}
        self.context = new_context(browser, **(usual | context))
        self._empty = self.context.new_page()  # without a page the window would close, and each visit open another
        self.faults: list[str] = []
        own = urlsplit(server.url)
        self._netlocs = {own.netloc, *(f"{address}:{own.port}" for address in local_addresses())}  # of copied links
        self.context.on("page", lambda page: page.on("websocket", lambda socket: self._on_address(socket.url)))
        self.context.on("console", self._on_console)
        self.context.on("weberror", lambda error: self.faults.append(f"script: {error.error}"))
        self.context.on("request", lambda request: self._on_address(request.url))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _on_address(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("data", "blob", "about") and address.netloc not in self._netlocs:
            self.faults.append(f"left the machine: {url}")

    @contextlib.contextmanager
    def visit(
        self,
        viewport: ViewportSize = DESKTOP,
        color_scheme: Scheme = "light",
        reduced_motion: Motion = "no-preference",
    ) -> Iterator[Page]:
        """A page of a visitor who was never here before. At its end: no error in the console, and no request that
        left the server."""
        self.faults.clear()
        try:
            page = self.context.new_page()
            page.set_viewport_size(viewport)
            page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
            yield page
        finally:
            for page in self.context.pages:
                if page is not self._empty:
                    page.evaluate("location.protocol === 'http:' && localStorage.clear()")
                    page.close()
            self.context.clear_cookies()
        if self.faults:
            pytest.fail("\n".join(dict.fromkeys(self.faults)), pytrace=False)


@contextlib.contextmanager
def visiting(
    browser: Browser,
    server: Server,
    *,
    viewport: ViewportSize = DESKTOP,
    color_scheme: Scheme = "light",
    reduced_motion: Motion = "no-preference",
    **context: object,
) -> Iterator[Page]:
    """A visit in a window that no other visit is in, for a second visitor, or for settings of its own.

    A new window fetches and compiles Streamlit's scripts, so one that is free is taken again.
    """
    free = server.windows.setdefault(repr(context), [])
    window = free.pop() if free else Window(browser, server, **context)
    with window.visit(viewport, color_scheme, reduced_motion) as page:
        yield page
    free.append(window)


# In time and in frames: a slow machine draws few of them in that time.
_STILL = """ms => {
    const state = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
    const drawn = ({ shadowRoot }) => {
      const { call, drawn } = shadowRoot?.[Symbol.for("tokviz.mounted")] ?? {};
      return call && drawn === call;
    };
    const coming = ![...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].every(drawn);
    const loads = document.querySelector('[data-testid="stSkeleton"]');   // stands for a part of the page still to come
    if (state !== "notRunning" || window.runs || loads || coming) delete window.still;
    else window.still ??= { since: performance.now(), frames: 0 };
    return window.still && ++window.still.frames > ms / 20 && performance.now() - window.still.since >= ms;
}"""


def settled(page: Page, ms: int = 150) -> Page:
    """The page when its script has run and then rested for `ms`: what was just done takes a moment to start a run."""
    page.evaluate("delete window.still")
    page.wait_for_function(_STILL, arg=ms)
    return page


MANY_COLOURED = """tokens => {
  const hues = {};
  for (const token of tokens) (hues[token.textContent] ??= new Set()).add(/\\bh\\d\\b/.exec(token.className)[0]);
  return Object.keys(hues).filter(text => hues[text].size > 1);
}"""


def one_colour_each(tokens: Locator) -> None:
    """Each token has one colour, wherever it stands among these."""
    assert tokens.count() > 5
    assert tokens.evaluate_all(MANY_COLOURED) == []


# No run of the script dims what is old, and nothing fades in or out. Animations without an end never do end.
_AT_REST = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    if (app && (app.dataset.testScriptState !== "notRunning" || window.runs)) return false;
    const roots = [document];
    for (const root of roots) {
        for (const element of root.querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
    }
    return roots.flatMap((root) => root.getAnimations()).every(({ playState, effect }) =>
        playState !== "running" || effect.getComputedTiming().endTime === Infinity);
}"""


def axe(page: Page) -> None:
    """Fail if axe finds anything against WCAG 2.1 at levels A and AA, once the page is at rest."""
    page.wait_for_function(_AT_REST)
    if page.evaluate("() => window.axe === undefined"):  # half a megabyte, there until the page is loaded anew
        page.evaluate(Axe().axe_script)
    # only what is wrong comes back, in half of the time: all that was found right is a megabyte a page
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"], "preload": False}
    found = AxeResults(page.evaluate("options => axe.run(document, options)", options))
    if found.violations_count:
        pytest.fail(found.generate_report(), pytrace=False)

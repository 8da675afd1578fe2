"""The very first start: an empty folder for compiled code, and the pages that people open first, while all is compiled.

Prints how many seconds after it was opened each page is drawn whole: all pages one after the other on one server, and
each of them as the first page of a server of its own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.figures import load
from tests.e2e.browser import launch, new_context, serving
from tests.e2e.first_start import PAGES


def opened(pages: Mapping[str, Callable[[Page], None]]) -> None:
    """Start a server without compiled code, and open these pages in a new browser."""
    with tempfile.TemporaryDirectory() as code:
        begun = time.perf_counter()
        with serving(NUMBA_CACHE_DIR=code) as server, sync_playwright() as playwright:
            print(f"the server answers after {time.perf_counter() - begun:.1f} s, {load()}", flush=True)
            browser = launch(playwright)
            context = new_context(browser, base_url=server.url, viewport={"width": 1280, "height": 800})
            for name, draw in pages.items():
                page, since = context.new_page(), time.perf_counter()
                draw(page)
                took = time.perf_counter() - since
                compiled = len([*Path(code).rglob("*.nbi")])
                print(f"  {name:20} {took:5.1f} s, {compiled} kernels are compiled by then", flush=True)
                page.close()
            print(f"  {time.perf_counter() - begun:.1f} s since the start, {load()}", flush=True)
            browser.close()


def main() -> None:
    opened(PAGES)
    for name, draw in PAGES.items():
        opened({name: draw})

"""The first start on a machine: kernels take long to compile, and no page waits for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.benchmarks.corpora import english_and_code
from tests.e2e import first_start
from tests.e2e.browser import ROOT, serving, settled, visiting
from tests.e2e.test_journey import upload
from tokviz.kernels import PLAIN_BYTES

BEFORE_ALL = """
import pytest
from tests.compiling import never_ready

never_ready(pytest.MonkeyPatch())
"""


@pytest.fixture(scope="module")
def visitor(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A visitor of the app whose kernels are never compiled."""
    folder = tmp_path_factory.mktemp("uncompiled")
    Path(folder, "sitecustomize.py").write_text(BEFORE_ALL, "utf-8")
    found_in = os.pathsep.join(map(str, [folder, ROOT]))
    with serving(PYTHONPATH=found_in) as server, visiting(browser, server) as page:
        yield page


@pytest.mark.parametrize("name", first_start.PAGES)
def test_a_page_is_drawn_whole_before_anything_is_compiled(visitor: Page, name: str) -> None:
    first_start.PAGES[name](visitor)
    expect(visitor.get_by_role("alert")).to_have_count(0)


def test_an_upload_above_the_limit_waits_and_says_for_what(visitor: Page) -> None:
    visitor.goto("/train")
    settled(visitor)
    visitor.get_by_role("radio", name="Upload").click()
    upload(visitor, "long.txt", english_and_code(2 * PLAIN_BYTES).encode())
    expect(visitor.get_by_text("long.txt")).not_to_have_count(0)
    visitor.get_by_role("button", name="Train", exact=True).click()
    expect(visitor.get_by_role("heading", name="Compiling the trainer")).to_be_visible()
    visitor.get_by_role("button", name="Cancel").click()
    expect(visitor.get_by_text("Cancelled before the first merge.")).to_be_visible()

"""How the suite runs: which tests are left out, how hard Hypothesis tries, and where Python looks for garbage."""

from __future__ import annotations

import gc
import logging
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import tokviz.ui.server.limits  # noqa: F401 (every test meets the bounds of the app, whichever runs before it)

settings.register_profile("short", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", settings.get_profile("long"), max_examples=500, database=None)  # see fuzz.py


def _asks_for(mark: str, expression: str) -> bool:
    """Whether an -m expression names this mark other than to leave it out."""
    return mark in re.findall(r"\w+", re.sub(r"\bnot\s+\w+", "", expression))


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("long" if _asks_for("long", config.option.markexpr) else "short")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Modules and tests come to stay: looking for garbage among them again and again took a fifth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
        if item.get_closest_marker("longer") and _asks_for("long", config.option.markexpr):
            item.add_marker(pytest.mark.long)
    for mark in ("long", "packages"):
        if not _asks_for(mark, config.option.markexpr):
            left_out = [item for item in items if item.get_closest_marker(mark)]
            if left_out:
                config.hook.pytest_deselected(items=left_out)
                items[:] = [item for item in items if not item.get_closest_marker(mark)]
    # The quick ones first: they say sooner what is wrong, and Playwright leaves an event loop running behind it.
    # All tests of a file run in one go, where the first of them stands, so a file is quick or is not.
    # Of those in a browser the largest come first: so the processes end together, each with a short file.
    in_browser = {item.path: item.path.stat().st_size for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: (item.path in in_browser, -in_browser.get(item.path, 0)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """What the tests of a file leave, such as vocabularies, stays too: the tests of the next files need not look at it
    whenever they look for garbage."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path != item.path:
            gc.collect()
            gc.freeze()


class Kept(logging.Handler):
    """A handler that keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def failed_parts() -> Iterator[list[logging.LogRecord]]:
    """What parts and buttons of pages logged about faults of the code.

    A page shows such a fault as a note, so a test must fail on it. A test that makes a part fail empties the list.
    """
    handler, logger = Kept(), logging.getLogger("tokviz.ui.frame")
    logger.addHandler(handler)
    yield handler.records
    logger.removeHandler(handler)
    assert not [record.exc_text or record.exc_info for record in handler.records]

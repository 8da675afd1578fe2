"""Where the browser of the tests comes from: what is here, then what can be had, then one clear line."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

from tests.e2e import browser

HERE = "/somewhere/chromium"


class World:
    """A machine: the browsers that start on it, and what installing would add."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, here: set[str | None], root: bool, adds: dict[str, str | None]):
        self.here, self.ran = here, list[str]()

        def run(*command: str) -> None:
            self.ran.append(" ".join(command[-2:]))
            self.here |= {path for word, path in adds.items() if word in command and command[-1] == "chromium"}

        def start(playwright: Any, path: str | None) -> Any:
            return f"started {path}" if path in self.here else None

        def which(name: str) -> str | None:
            found = {"apt-get": "/usr/bin/apt-get", "chromium": HERE if HERE in self.here else None}
            return found.get(name)

        monkeypatch.delenv("TOKVIZ_CHROME", raising=False)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000, raising=False)
        monkeypatch.setattr(shutil, "which", which)
        monkeypatch.setattr(browser, "USUAL_PLACES", ())
        monkeypatch.setattr(browser, "_quietly", run)
        monkeypatch.setattr(browser, "_start", start)


def launch() -> Any:
    return browser.launch(None)  # type: ignore[arg-type]


def test_one_that_is_here_is_used_and_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, {HERE, None}, root=True, adds={})
    assert launch() == f"started {HERE}" and world.ran == []


def test_playwrights_own_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, {None}, root=True, adds={})
    assert launch() == "started None" and world.ran == []


def test_root_on_debian_installs_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, set(), root=True, adds={"apt-get": HERE, "playwright": None})
    assert launch() == f"started {HERE}" and world.ran == ["apt-get update", "--no-install-recommends chromium"]


def test_others_let_playwright_fetch_one(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, set(), root=False, adds={"apt-get": HERE, "playwright": None})
    assert launch() == "started None" and world.ran == ["install chromium"]


def test_where_nothing_helps_the_tests_fail_and_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, set(), root=True, adds={})
    with pytest.raises(pytest.fail.Exception, match="TOKVIZ_CHROME") as failed:
        launch()
    assert "\n" not in str(failed.value) and len(world.ran) == 3


def test_a_browser_that_is_named_is_the_one_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, {HERE}, root=True, adds={})
    monkeypatch.setenv("TOKVIZ_CHROME", "/elsewhere/chrome")
    with pytest.raises(pytest.fail.Exception, match="/elsewhere/chrome"):
        launch()
    world.here.add("/elsewhere/chrome")
    assert launch() == "started /elsewhere/chrome"

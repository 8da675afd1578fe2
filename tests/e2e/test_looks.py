"""Looks: states of pages are drawn, are the same as themselves, and differ once something has changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import Server
from tests.looks.capture import draw
from tests.looks.comparison import compare, differences
from tests.looks.state import State
from tests.looks.states import STATES

HOSTILE = "<img src=x onerror=alert(1)>"
DRAWN = ("library.unknown", "class.opened", "learn.1.1")


def cut(state: State) -> State:
    """The state as it opens, at one width and in one theme."""
    return State(state.name, state.address, widths=(390,), themes=("dark",))


def test_states_are_drawn_and_what_changed_is_shown(
    browser: Browser, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        for name in DRAWN:
            assert draw(cut(STATES[name]), browser, server, folder) == ""
    assert sorted(file.name for file in new.iterdir()) == sorted(
        f"{name}@390-dark.{kind}" for name in DRAWN for kind in ("png", "txt")
    )
    assert compare(old, new) == 0

    # one that changed, one that is gone, and one that cannot be drawn
    def change(page: Page) -> None:
        page.get_by_test_id("stMain").evaluate("(main, text) => { main.textContent = text }", HOSTILE)

    changed = State("class.opened", "/class", [change], widths=(390,), themes=("dark",))
    assert draw(changed, browser, server, new) == ""
    (new / "learn.1.1@390-dark.png").unlink()
    assert differences(old, new) == {
        "class.opened@390-dark": "picture and tree",
        "learn.1.1@390-dark": f"only in {old}",
    }
    assert compare(old, new, ["library.*"]) == 0
    assert compare(old, new) == 1
    assert "2 looks differ" in capsys.readouterr().out
    folder = new / "against-old"
    page = (folder / "index.html").read_text("utf-8")
    assert HOSTILE not in page and "&lt;img src=x" in page
    assert {file.name for file in folder.glob("class.*")} == {
        f"class.opened@390-dark.{side}.png" for side in ("old", "new", "difference")
    }

    def fail(page: Page) -> None:
        page.get_by_text("There is no such text.").click(timeout=1)

    assert "Timeout" in draw(State("class.opened", "/class", [fail]), browser, server, new)

"""Follows a training from the press of its button to its card, and counts the packages whose code runs."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import SHORT, app, at, button, upload
from tests.waiting import run_until
from tokviz.ui.server.line import Line

__all__ = ["app"]

HOME = Path(tokviz.__file__).parent
IN_UI = {f"ui/{name}" for name in ("frame", "kit", "server", "tokenview", "train")}
ELSEWHERE = {"base", "corpus", "kernels", "offline", "split", "tokenizer", "training"}


def is_shown(app: AppTest) -> bool:
    return any("Replay the merges" in one.label for one in app.button)


def test_a_training_goes_through_twelve_packages_from_the_press_to_the_card(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    files, ends = set[str](), threading.Event()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if ends.is_set():  # a thread of the line outlives this test
            sys.setprofile(None)
        elif event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    turn = Line.turn

    def watched(*given: Any) -> None:
        sys.setprofile(look)
        turn(*given)

    monkeypatch.setattr(Line, "turn", watched)
    threading.setprofile(look)
    try:
        run_until(button(app, "**Train**").click().run(), is_shown)
    finally:
        threading.setprofile(None)
        ends.set()
    ours = [Path(file).relative_to(HOME) for file in files if Path(file).is_relative_to(HOME)]
    assert {"/".join(path.parent.parts[:2]) for path in ours} - {"."} == IN_UI | ELSEWHERE

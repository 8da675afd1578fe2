"""The short form of the fuzzing, and that it finds what it looks for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests import fuzz


@pytest.mark.parametrize("seed", range(4))
def test_wild_patterns_cut_the_text_whole_or_say_why_not(seed: int) -> None:
    wild = fuzz.patterns()[0]
    assert wild.name == "wild patterns"
    wild.hold(seed, lambda: None)


def _crash() -> list[fuzz.Property]:
    import ctypes

    def hold(seed: int, beat: Any) -> None:
        beat()
        ctypes.string_at(0)

    return [fuzz.Property("crashes", hold)]


def _hang() -> list[fuzz.Property]:
    def hold(seed: int, beat: Any) -> None:
        beat()
        while True:
            pass

    return [fuzz.Property("hangs", hold)]


def _wrong() -> list[fuzz.Property]:
    def hold(seed: int, beat: Any) -> None:
        beat()
        time.sleep(0.2)
        raise AssertionError("it is wrong")

    return [fuzz.Property("wrong", hold)]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux says whether a process waits or works")
@pytest.mark.parametrize(
    ("part", "says"), [(_crash, "crashed with exit code"), (_hang, "has taken"), (_wrong, "it is wrong")]
)
def test_a_crash_a_hang_and_an_error_are_found(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], part: Any, says: str
) -> None:
    monkeypatch.setattr(fuzz, "HANG_S", 1)
    examples, found = fuzz.fuzz(part, 15, 7)
    assert examples and found
    told = capfd.readouterr().out
    assert "seed 7:" in told
    assert says in told

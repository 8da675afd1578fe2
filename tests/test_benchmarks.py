"""Which parts of the benchmarks a command asks for. What they measure is no test."""

from __future__ import annotations

import pytest

from tests.benchmarks.__main__ import PARTS, asked

pytestmark = pytest.mark.right


def test_a_command_names_parts_and_what_they_take() -> None:
    assert asked([]) == (PARTS, []) and asked(["library", "10"]) == (("library",), ["10"])
    parts = ("limits", "hostile-visitor")
    assert asked([*parts, "--ways", "floods"]) == (parts, ["--ways", "floods"]), "here floods is no part"


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["start", "floods", "--help"]])
def test_who_asks_for_help_runs_nothing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked(words)
    assert not ended.value.code and "python -m tests.benchmarks" in capsys.readouterr().out


def test_a_word_that_is_no_part_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked(["typng"])
    assert ended.value.code == 2 and capsys.readouterr().err.startswith("There is no part 'typng'. The parts are ")

"""The kinds of tasks, each over a view of its own: what it takes for right, and its hints."""

from __future__ import annotations

from typing import Any

import pytest

from tokviz.errors import InputError
from tokviz.lessons.sentences import plain
from tokviz.lessons.shown import Fact, LessonError, Shown
from tokviz.lessons.tasks import TASKS


def shown(**facts: Fact) -> Shown:
    return Shown("", {}, facts)


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        ("1,024", "done", "Right. It has 3.50 bytes."),
        (" 1024.0 ", "done", "Right."),
        (1024, "done", "Right."),
        ("2,000", "not yet", "These are bytes."),
        ("1000", "not yet", "1,000 is a little too low. Look twice."),
        ("600", "not yet", "600 is too low. Look twice."),
        ("12", "not yet", "12 is far too low. Look twice."),
        ("1025.5", "not yet", "1,025.5 is a little too high."),
        ("99999", "not yet", "99,999 is far too high."),
        ("-3", "not yet", "-3 is far too low."),
        ("1,02", "not done", "in figures"),
        ("one", "not done", "in figures"),
        ("٣", "not done", "in figures"),
        ("", "not done", "in figures"),
    ],
)
def test_a_number_is_judged_by_how_far_off_it_is(answer: Any, state: str, said: str) -> None:
    task = TASKS["number"](
        shown(tokens=1024, bytes=2000, rate=3.5),
        of="tokens",
        because="It has {rate} bytes.",
        misread={"bytes": "These are bytes."},
        low="Look twice.",
    )
    judged = task.judge(answer)
    assert judged.state == state
    assert said in plain(judged.says)


def test_a_number_that_is_not_whole_needs_two_decimals() -> None:
    task = TASKS["number"](shown(rate=26 / 7), of="rate")
    assert [task.judge(answer).state for answer in ("3.71", "3.7143", "3.7", "4")] == ["done", "done", *["not yet"] * 2]


def test_a_number_must_be_a_fact_and_cannot_be_mistaken_for_itself() -> None:
    with pytest.raises(LessonError, match="The fact “name” is no number"):
        TASKS["number"](shown(name="x", a=1, b=1), of="name")
    with pytest.raises(LessonError, match="are both 1"):
        TASKS["number"](shown(a=1, b=1), of="a", misread={"b": ""})
    for nonsense in (None, True, [], "1" * 200):
        with pytest.raises(InputError):
            TASKS["number"](shown(a=1), of="a").judge(nonsense)

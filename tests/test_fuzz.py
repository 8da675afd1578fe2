"""Wild patterns, which the fuzzing draws most of, and that the fuzzing finds what it looks for."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests import fuzz
from tokviz.base.errors import InputError, PatternError
from tokviz.split.cutting import cut
from tokviz.vocabulary.search import search
from tokviz.vocabulary.table import token_table

TEXTS = ["a" * 60 + "!", "a", "aa", " ", "\n", "\r\n", "b9", "é", "日本", "👍🏽", "\0", "\u2028", "ſK", "x" * 500]
PIECES = [
    *r"ab .^$\|()[]{}?*+-,!=<>:#'0é日",
    *r"\w \W \d \s \S \b \B \X \R \K \G \1 \p{L} \P{Lu} \x41 \N{DIGIT ONE} [^a] [a-z&&[^b]] [[:alpha:]]".split(),  # noqa: SIM905 (a list would be five times as long)
    *"(?: (?= (?! (?<= (?<! (?> (?i) (?i: (?s: (?P<x> (?P=x) (?R) (?1) (?|( (?#".split(),  # noqa: SIM905 (a list would be five times as long)
    *"?? *? +? ?+ *+ ++ {2} {2,} {,3} {1,3}+ {1000} {e<=1} {99999999999}".split(),  # noqa: SIM905 (a list would be five times as long)
    *("(?:a|aa)+$", "(?:a+)+b", "(a*)*", "|", "|[\\s\\S]"),
]
TABLE = token_table(tokviz.reference("gpt2").truncated(1_000))


def wild_pattern(chance: random.Random) -> str:
    """A regular expression, or something like one, that may fail in any way there is."""
    pattern = "".join(chance.choices(PIECES, k=chance.randint(1, 12)))
    if chance.random() < 0.5:  # one that has its brackets closed gets further
        pattern += ")" * (pattern.count("(") - pattern.count(")")) + "]" * (pattern.count("[") - pattern.count("]"))
    return pattern + ("|[\\s\\S]" if chance.random() < 0.7 else "")


@given(st.integers(0, 10**9))
def test_a_wild_pattern_cuts_the_text_whole_or_says_why_not(seed: int) -> None:
    chance = random.Random(seed)
    pattern, text = wild_pattern(chance), "".join(chance.choices(TEXTS, k=chance.randint(0, 12)))
    try:
        ends = cut(text, pattern).tolist()
    except PatternError as fault:
        said = str(fault)
    else:
        assert sorted(set(ends)) == ends and (ends[-1] if ends else 0) == len(text.encode()), (pattern, text)
        return
    assert said.isprintable(), pattern


@given(st.integers(0, 10**9))
def test_a_wild_pattern_is_searched_for_or_says_why_not(seed: int) -> None:
    try:
        search(TABLE, wild_pattern(random.Random(seed)), "pattern", np.ones(len(TABLE), np.bool_))
    except InputError as fault:
        said = str(fault)
    else:
        return
    assert said


HOLDS = """
from hypothesis import given, strategies as st
@given(st.integers())
def test_it_holds(number):
    %s
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("import ctypes; ctypes.string_at(0)", "Segmentation fault"),
        ("while True: pass", "Timeout"),
        ("assert number < 1_000, 'it is wrong'", "it is wrong"),
    ],
)
def test_a_crash_a_hang_and_an_error_are_found(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "HANG_S", 3)
    (file := tmp_path / "test_held.py").write_text(HOLDS % line)
    (tmp_path / "conftest.py").write_text((fuzz.ROOT / "tests" / "conftest.py").read_text())
    assert fuzz.fuzz([file], 0, 7) == (1, 1)
    told = capsys.readouterr().out
    assert "--hypothesis-seed=7" in told and says in told

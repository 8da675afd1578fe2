"""Chunks: named patterns cut where tiktoken cuts (see test_contract), custom ones where `regex` does, or say why not.

Whatever the pattern, the chunks are the text: nothing is dropped.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken.model import MODEL_TO_ENCODING

import tokviz
from tests.benchmarks import patterns
from tests.bounded import bounded
from tests.strategies import CUSTOM, wild_texts
from tests.waiting import PATIENCE_S
from tokviz.base.errors import PatternError, SettingError
from tokviz.base.text import clean
from tokviz.catalog.references import references
from tokviz.catalog.samples import sample
from tokviz.split import cutting
from tokviz.split.cutting import check_pattern, cut


def chunks(text: str, pattern: str) -> list[str]:
    data = text.encode()
    return [data[start:end].decode() for start, end in pairwise([0, *cut(text, pattern).tolist()])]


CUSTOMS = [CUSTOM, r"\s+|\S+", r"[\s\S]", r"(\w+)|(\W)", r"(?:a|b)+|[^ab]+", r"(?<=a)b|[\s\S]", r"\b\w|[\s\S]"]
CUSTOMS += ["(?s).{1,3}", r"a*|[\s\S]"]


@settings(max_examples=max(150, settings().max_examples))
@given(st.sampled_from(CUSTOMS), wild_texts)
def test_custom_patterns_cut_where_regex_does(pattern: str, text: str) -> None:
    """Groups do not matter, a look-behind sees what was cut before, and empty matches are skipped."""
    text = clean(text)
    assert chunks(text, pattern) == [match.group() for match in regex.finditer(pattern, text) if match.group()]
    assert chunks(text, "none") == [text] * bool(text)


# Patterns that leave something out


@pytest.mark.parametrize(
    ("text", "pattern", "offset"),
    [
        ("hello, world", r"\w+", 5),
        ("é, ü", r"\w+", 2),
        ("👍👍 x", "👍", 8),
        ("abc", "x", 0),
        ("abc", "", 0),
        ("ab", r"a\Kb", 0),
        ("a.b", r"(?r)\w", 0),
    ],
)
def test_a_gap_is_an_error_with_its_byte_offset(text: str, pattern: str, offset: int) -> None:
    with pytest.raises(PatternError, match=rf"cover.*bytes {offset} to .*\[\\s\\S\]") as caught:
        cut(text, pattern)
    assert caught.value.offset == offset
    tok = tokviz.Tokenizer("t", [], pattern=pattern)
    with pytest.raises(PatternError, match=f"bytes {offset} to"):
        tok.encode(text)
    with pytest.raises(PatternError, match=f"bytes {offset} to"):
        tokviz.train(text, 300, pattern=pattern)


@pytest.mark.right
@pytest.mark.parametrize("name", ["cl100k_base", "GPT-4o", "llama3", "o200k_harmny"])
def test_a_name_is_no_expression_that_cuts_nothing(name: str) -> None:
    for ask in (
        lambda: check_pattern(name),
        lambda: tokviz.train(f"{name} of a model", pattern=name),
        lambda: tokviz.count_chunks("text", name),
        lambda: tokviz.formats.load({"x": b"YQ== 0\n"}, pattern=name),
        lambda: tokviz.Tokenizer("t", [], pattern=name).encode("text"),
    ):
        with pytest.raises(PatternError, match=rf"There is no split pattern '{name}'\..* Choose one of: none, gpt2"):
            ask()


def test_the_pattern_that_is_meant_is_that_of_the_tokenizer_of_this_name() -> None:
    for name, theirs in {**dict(zip(references(), references(), strict=True)), **MODEL_TO_ENCODING}.items():
        if name not in cutting.PATTERNS and theirs in references():
            with pytest.raises(PatternError) as caught:
                check_pattern(name)
            meant = re.search(r"Did you mean (.*)\?", str(caught.value))
            assert not meant or references()[theirs].pattern in meant[1], name
            assert meant or name not in references()


def test_what_was_made_with_letters_as_a_pattern_opens(tmp_path: Path) -> None:
    made = tokviz.Tokenizer("t", [(97, 98)], pattern="ab")
    made.save(tmp_path / "t.json")
    assert tokviz.load(tmp_path / "t.json").encode("abab") == [256, 256]


# Patterns that run away


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("a" * 60 + "!", r"(?:a|a)+$"),
        ("a" * 60_000 + "!", r"(?:a+)+$|[\s\S]"),
        ("a" * 60 + "!", r"(?:a|aa)+$|[\s\S]"),
        ("a", "(?R)"),
    ],
)
def test_a_pattern_that_runs_away_is_stopped(monkeypatch: pytest.MonkeyPatch, text: str, pattern: str) -> None:
    bounded(monkeypatch, match_seconds=0.2)
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 0.4)
    begun = time.monotonic()
    with pytest.raises(PatternError, match=r"runs away.*byte 0") as caught:
        cut(text, pattern)
    assert caught.value.offset == 0
    assert time.monotonic() - begun < PATIENCE_S


def test_many_slow_matches_are_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 0.3)
    text = "é" + ("a" * 18 + "!") * 10_000
    with pytest.raises(PatternError, match="runs away") as caught:
        cut(text, r"(?:a|aa)+$|[\s\S]")
    assert 2 < caught.value.offset < len(text.encode())


def test_a_long_text_is_no_runaway(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one match may take is not what all of them may take together."""
    bounded(monkeypatch, match_seconds=0.15)
    text = "ab " * 100_000
    assert len(cut(text, CUSTOM)) == 200_000


def test_work_of_other_threads_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 0.5)
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            regex.match(r"(?:a|aa)+$", "a" * 26 + "!", concurrent=True)

    others = [threading.Thread(target=burn) for _ in range(3)]
    for other in others:
        other.start()
    try:
        assert len(cut("ab " * 20_000, CUSTOM)) == 40_000
    finally:
        stop.set()
        for other in others:
            other.join()


@pytest.mark.right
def test_all_matches_in_a_text_have_one_limit_and_the_caller_may_move_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 60.0)
    monkeypatch.setattr(cutting, "MOST_SECONDS", 0.04)
    fuzzy, text = r"(?b)(?:the cat){e<=4}|[\s\S]", sample("story").text[:3_000] * 100
    begun = time.thread_time()
    for refused in (
        lambda: cut(text, fuzzy),
        lambda: cut(text, fuzzy, seconds=0.03),
        lambda: tokviz.train(text, 257, pattern=fuzzy),
        lambda: tokviz.train(text, 257, pattern=fuzzy, pattern_seconds=0.03),
        lambda: tokviz.count_chunks(text, fuzzy),
    ):
        with pytest.raises(PatternError, match=r"runs away\. All matches together took more than 0\.\d+ seconds"):
            refused()
    assert time.thread_time() - begun < 1
    assert cut(text[:2_000], fuzzy, seconds=60)[-1] == len(text[:2_000].encode())
    assert tokviz.count_chunks(text[:2_000], fuzzy, pattern_seconds=60).n_bytes
    with pytest.raises(SettingError, match="pattern_seconds is 0"):
        tokviz.train(text, 257, pattern=fuzzy, pattern_seconds=0)


@pytest.mark.right
def test_groups_that_repeat_in_a_long_text_are_refused_before_any_match() -> None:
    nested, text = f"{'(' * 100}a{')' * 100}*+", "a" * 180_000
    tracemalloc.start()
    for refused in (lambda: cut(text, nested), lambda: tokviz.train(text, pattern=nested)):
        with pytest.raises(PatternError, match=r"100 groups.* 180,000 char.* 18,000,000 together, and 2,000,000 are"):
            refused()
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
    assert cut(text, nested.replace("(", "(?:")).tolist() == [180_000]
    assert cut(text[:20_000], nested).tolist() == [20_000]
    once = r"(?<!x)(a)|(b)|[\s\S]"  # whose groups match once each in a match, however long the text is
    assert cutting._REPEATS.search(once) is None and cutting._REPEATS.search(nested)


@pytest.mark.right
@pytest.mark.parametrize("case", patterns.CASES)
def test_own_patterns_take_little_memory_and_time(case: str) -> None:
    """The short form of `python -m tests.benchmarks patterns`."""
    seconds, more, said = patterns.taken(case, short=True)
    assert seconds < PATIENCE_S and more < 100e6
    assert ("are the limit" if "groups" in case else "All matches together") in said


# Patterns that are none


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(a", "position 2"),
        ("a)", "position"),
        ("\\", "position"),
        (r"\L<words>", "named list"),
        ("a{99999999999}", "counts in braces"),
        ("(?:[a-z]{1000}x){1000}", "1,000,000 times"),
        ("(" * 5_000 + ")" * 5_000, "shorter"),
        ("a" * 10_001, "10,001.*10,000"),
    ],
)
def test_a_pattern_that_does_not_compile_says_where(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says):
        check_pattern(pattern)
    with pytest.raises(PatternError, match=says):
        tokviz.Tokenizer("t", [], pattern=pattern)


@settings(max_examples=max(100, settings().max_examples))
@given(st.lists(st.sampled_from([*r"ab()[]{}|?*+\^$.,-<=!&~:#", r"\w", r"\p{", "(?", "(?<", "(?i", "{e<=1}", "(?r)"])))
def test_any_string_cuts_the_text_whole_or_is_an_error(pieces: list[str]) -> None:
    pattern, text = "".join(pieces), "ab (é) [b]\n"
    with contextlib.suppress(PatternError):
        assert "".join(chunks(text, pattern)) == text


def test_every_named_pattern_says_where_it_comes_from() -> None:
    for name, pattern in cutting.PATTERNS.items():
        assert pattern.name == name
        assert pattern.summary
        assert pattern.source or name == "none"

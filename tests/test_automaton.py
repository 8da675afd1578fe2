"""Automata cut exactly where the `regex` package does, or say that they cannot be proven to."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.strategies import wild_texts
from tokviz.base.errors import PatternError
from tokviz.base.text import clean
from tokviz.kernels.splitting import chunk_ends
from tokviz.split import automaton, cutting
from tokviz.split.automaton import Automaton, NotProven, compile_over, of_custom, representatives

NAMED = ["gpt2", "cl100k", "o200k"]


def ends_by_automaton(text: str, found: Automaton) -> list[int]:
    return chunk_ends(
        np.frombuffer(text.encode(), np.uint8), np.array([len(text.encode())]), found.symbols, found.table
    ).tolist()


def ends_by_regex(text: str, pattern: str, seen: str | None = None) -> list[int] | None:
    """Where the matches end, in bytes of `text`, which the pattern sees as `seen`. None where they leave a gap."""
    starts, ends = [0], []
    for match in regex.finditer(pattern, text if seen is None else seen):
        if match.start() != starts[-1]:
            return None
        if match.end() > match.start():
            starts.append(match.end())
            ends.append(len(text[: match.end()].encode()))
    return ends if starts[-1] == len(text) else None


def mapped(text: str) -> str:
    """The text as the named patterns see it: each character is one that stands for its class."""
    points: NDArray[np.uint32] = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return representatives()[points].tobytes().decode("utf-32-le")


# Named patterns


@pytest.mark.parametrize("name", NAMED)
@settings(max_examples=150)
@given(text=wild_texts)
def test_named_patterns_cut_where_regex_does(name: str, text: str) -> None:
    text = clean(text)
    assert ends_by_automaton(text, automaton.of_named(name)) == ends_by_regex(
        text, cutting.PATTERNS[name].regex, mapped(text)
    )


@pytest.mark.parametrize("name", NAMED)
def test_named_patterns_on_every_short_text(name: str) -> None:
    """All texts of up to three characters out of one or two of each class."""
    compiled = regex.compile(cutting.PATTERNS[name].regex)
    found = automaton.of_named(name)
    letters = "aAªſ\u03001! \n\t's/"
    for size in range(1, 4):
        for text in map("".join, itertools.product(letters, repeat=size)):
            ends = [len(text[: match.end()].encode()) for match in compiled.finditer(text)]
            assert ends_by_automaton(text, found) == ends, ascii(text)


@pytest.mark.parametrize("name", NAMED)
def test_every_code_point_is_cut_as_what_stands_for_it(name: str) -> None:
    """Each of the 1,112,064 characters alone has the symbol of its representative, so it is cut alike everywhere."""
    found = automaton.of_named(name)
    assert np.array_equal(found.symbols, found.symbols[representatives()])
    assert found.symbols.min() > 0
    points = [*range(0xD800), *range(0xE000, 0x110000)]
    text = "".join(map(chr, points[:: 1 if name == "gpt2" else 7]))
    assert ends_by_automaton(text, found) == ends_fast(text, name)


def ends_fast(text: str, name: str) -> list[int]:
    widths = [len(character.encode()) for character in text]
    offsets = [0, *itertools.accumulate(widths)]
    return [offsets[match.end()] for match in regex.finditer(cutting.PATTERNS[name].regex, mapped(text))]


@pytest.mark.parametrize("name", NAMED)
def test_long_runs(name: str) -> None:
    for run in (" ", "\n", "a", "1", "!", "\u0301", " \n", "a'", "aA", "é日👍", "'s", "\r", "ªA", "\t!"):
        for text in (run * 500, run * 500 + "x", run * 500 + "  x", run * 500 + "\n"):
            assert ends_by_automaton(text, automaton.of_named(name)) == ends_fast(text, name)
        begun = time.thread_time()
        assert cutting.cut(run * 50_000 + "x", name)[-1] == len(run.encode()) * 50_000 + 1
        assert time.thread_time() - begun < 10, "it reads on and on"


def test_stored_automata_are_what_the_compiler_makes() -> None:
    expressions = {name: pattern.regex or cutting.ANY for name, pattern in cutting.PATTERNS.items()}
    assert automaton.AUTOMATA.read_text(encoding="utf-8") == automaton.compile_named(expressions)


@pytest.mark.parametrize("name", NAMED)
def test_a_named_pattern_compiles_as_a_custom_one_too(name: str) -> None:
    """Then the classes are those of `regex`, which knows other letters: equal on what both know."""
    found = of_custom(cutting.PATTERNS[name].regex)
    assert isinstance(found, Automaton)
    text = "Don't stop: naïve ideas, 12345 of THEM'LL\r\n  go   on\n\n你好 "
    assert ends_by_automaton(text, found) == ends_by_automaton(text, automaton.of_named(name))


# Custom patterns

ATOMS = [" ", "a", "b", "ab", ".", "é", "日", "[ab]", "[^a]", r"\s", r"\S", r"\w", r"\W", r"\d", r"\n", r"\x41"]
ATOMS += [r"\p{L}", r"\p{Lu}", r"\P{L}", r"[^\s\p{L}]", r"[\r\n]", "(?i:s)", "(?i:[k-t])", "(?i:é)"]
REPEATS = ["", "", "", "?", "*", "+", "{2}", "{1,3}", "{2,}", "{0,2}"]
single = st.builds(
    lambda atom, repeat, possessive: atom + repeat + ("+" if possessive and repeat else ""),
    st.sampled_from(ATOMS),
    st.sampled_from(REPEATS),
    st.booleans(),
)
looks = st.sampled_from([r"(?!\S)", r"(?=\s)", "(?!a)", "(?=[ab])", "$"])
sequences = st.lists(st.one_of(single, single, single, looks), min_size=1, max_size=4).map("".join)
groups = st.recursive(
    sequences,
    lambda inner: st.builds(
        lambda opening, parts, repeat, tail: f"{opening}{'|'.join(parts)}){repeat}{tail}",
        st.sampled_from(["(?:", "(", "(?i:"]),
        st.lists(inner, min_size=1, max_size=3),
        st.sampled_from(REPEATS),
        st.one_of(st.just(""), sequences),
    ),
    max_leaves=4,
)
patterns = st.lists(groups, min_size=1, max_size=4).map("|".join)
small_points = np.array(sorted({*map(ord, "abksAKſKsS \n\r\t.1é日É!_٣\u0301")}), np.uint32)
small = st.text("".join(map(chr, small_points)), max_size=25)


def compiled_small(pattern: str) -> Automaton:
    """As `of_custom`, for the characters of `small` alone: a fraction of a millisecond."""
    found, table, _ = compile_over(pattern, small_points)
    symbols = np.zeros(automaton.N_POINTS, np.uint8)
    symbols[small_points] = found
    return Automaton(symbols, table)


def check_against_regex(pattern: str, texts: list[str]) -> None:
    try:
        found = compiled_small(pattern)
    except NotProven:
        return
    for text in texts:
        expected = ends_by_regex(text, pattern)
        ends = ends_by_automaton(text, found)
        if expected is None:
            assert (ends[-1] if ends else 0) < len(text.encode()), (pattern, text)
        else:
            assert ends == expected, (pattern, text)


@settings(max_examples=max(300, settings().max_examples))
@given(patterns, st.sampled_from(["", r"|[\s\S]"]), st.lists(small, min_size=1, max_size=8))
def test_random_patterns_cut_where_regex_does(pattern: str, rest: str, texts: list[str]) -> None:
    """With the rest they cover every text."""
    check_against_regex(pattern + rest, texts)


@pytest.mark.parametrize("longest", [3, pytest.param(6, marks=pytest.mark.long)])
def test_possessive_repeats_keep_what_they_took(longest: int) -> None:
    """Each is compiled, and gives nothing back even where that would help what follows: `a++a` matches nothing."""
    texts = ["".join(signs) for size in range(1, longest + 1) for signs in itertools.product("ab s", repeat=size)]
    repeats = ["?+", "*+", "++", "{2}+", "{1,3}+", "{2,}+", "{0,2}+"]
    for atom, repeat in itertools.product(["a", r"\w", "[^a]", "(?i:s)"], repeats):
        for after in ("", "a", r"\w", " ", r"\S*", "a?b"):
            pattern = rf"{atom}{repeat}{after}|[\s\S]"
            if repeat in ("?+", "*+", "{0,2}+") and after in ("", r"\S*"):
                with pytest.raises(NotProven, match="match nothing"):
                    compiled_small(pattern)
                continue
            found = compiled_small(pattern)
            for text in texts:
                assert ends_by_automaton(text, found) == ends_by_regex(text, pattern), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(?:ab)++|[^x]", "possessive"),
        ("a+?|[^x]", "lazy"),
        ("(?:a*)*b|[^x]", "empty"),
        (r"\ba|[\s\S]", "escape"),
        (r"(a)\1|[\s\S]", "escape"),
        ("(?<=a)b|[^x]", "group"),
        ("(?i)a|[^x]", "group"),
        ("(?!ab)a|[^x]", "look ahead"),
        ("^a|[^x]", "'\\^'"),
        (r"a$|[\s\S]", "line end"),
        ("a*", "match nothing"),
        ("", "match nothing"),
        ("a{e<=1}|[^x]", "'{'"),
        ("[[:alpha:]]|[^x]", "set within"),
        ("[]a]|[^x]", "begins with"),
        ("(?:(?:ab){40}){60}", "too large"),
        ("(?:.{1,40}a){1,40}|[^x]", "too large"),
        ("[" + "a-z" * 600 + r"]|[^a-z]", "too large"),  # it would be tried on all characters
        ("(" * 60 + "a" + ")" * 60, "deep"),
    ],
)
def test_what_is_not_proven_says_so_and_regex_does_the_work(pattern: str, says: str) -> None:
    reason = of_custom(pattern)
    assert isinstance(reason, str)
    assert regex.search(says, reason), reason
    assert cutting.automaton_of(pattern) is None
    for text in ("ab ab\nba a", "aab", "cd\n"):
        expected = ends_by_regex(text, pattern)
        if expected is None:
            with pytest.raises(PatternError):
                cutting.cut(text, pattern)
        else:
            assert cutting.cut(text, pattern).tolist() == expected


WIDE = [r"\w+|\W+", r"\s+(?!\S)|\s+|\S+", r"[\p{L}\p{M}]++|\p{N}{1,3}+|[\s\S]", r"(?i:[a-zß]+|'s)|[\s\S]"]
WIDE += [r"\p{Han}|\P{Han}+", "."]


@settings(max_examples=max(100, settings().max_examples))
@given(st.sampled_from(WIDE), wild_texts)
def test_custom_patterns_over_all_of_unicode(pattern: str, text: str) -> None:
    text = clean(text)
    found = of_custom(pattern)
    assert isinstance(found, Automaton)
    expected = ends_by_regex(text, pattern)
    assume(expected is not None)
    assert ends_by_automaton(text, found) == expected


def test_a_pattern_that_reads_on_and_on_is_left_to_regex(monkeypatch: pytest.MonkeyPatch) -> None:
    """a*[bc]|a looks at all that follows, for every a: the automaton gives up, and `regex` is stopped by its budget."""
    assert isinstance(of_custom("a*[bc]|a"), Automaton)
    assert cutting.cut("a" * 500, "a*[bc]|a").tolist() == list(range(1, 501))
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 0.2)
    with pytest.raises(PatternError, match="runs away"):
        cutting.cut("a" * 400_000, "a*[bc]|a")
    with pytest.raises(PatternError, match="runs away"):
        split_counts("a" * 400_000, "a*[bc]|a")


def split_counts(text: str, pattern: str) -> object:
    from tokviz import count_chunks

    return count_chunks(text, pattern)

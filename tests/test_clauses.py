"""Split patterns taken apart: the clauses' chunks are those of `cut`, and each clause is the one that matched."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import small_texts, wild_texts
from tokviz.base.errors import PatternError
from tokviz.base.text import clean
from tokviz.split.clause_sentences import named_sentences, sentence_of
from tokviz.split.clauses import clauses_of, pieces_of, take_apart
from tokviz.split.cutting import PATTERNS, check_pattern, cut

NAMED = ["gpt2", "cl100k", "o200k"]
# pattern -> its clauses
CUSTOM = {
    r"\w+|\W+": [r"\w+", r"\W+"],
    r"[a|b]+|\||(?:c|d)|[]|]|[^]|]": ["[a|b]+", r"\|", "(?:c|d)", "[]|]", "[^]|]"],
    r"(?i)[A-M]+|é+|[\s\S]": ["[A-M]+", "é+", r"[\s\S]"],
    "(?x) \\w+ # words | or so\n | \\W [|]? # )\n | .": [" \\w+ # words | or so\n ", " \\W [|]? # )\n ", " ."],
    r"(?:\s+(?!\S)|\S+|\s+)": [r"\s+(?!\S)", r"\S+", r"\s+"],
    r"(?i:a|b)|(?s:.)": ["(?i:a|b)", "(?s:.)"],
    r"(?<=a)b|(?P<x>c(d)?)|a(?#|)b?|[[:alpha:]|]|(?s:.)": [
        "(?<=a)b",
        "(?P<x>c(d)?)",
        "a(?#|)b?",
        "[[:alpha:]|]",
        "(?s:.)",
    ],
    r"(?V1)[[a-z]--[b|c]]+|(?s:.)": ["[[a-z]--[b|c]]+", "(?s:.)"],
    r"(?P<q>['\"]).*?(?P=q)|\b\w+\b|(?s:.)": [r"(?P<q>['\"]).*?(?P=q)", r"\b\w+\b", "(?s:.)"],
    r"[\s\S]+": [r"[\s\S]+"],
    r"|a|(?s:.)": ["", "a", "(?s:.)"],
}
texts = st.one_of(small_texts, wild_texts, st.text("abcd|]' \n\"", max_size=20))


@given(texts, st.sampled_from([*NAMED, *CUSTOM]))
def test_the_chunks_of_all_clauses_are_those_of_the_pattern(text: str, pattern: str) -> None:
    text = clean(text)
    pieces = pieces_of(text, pattern, 1000)
    data = text.encode()
    chunks = Counter(data[i:j] for i, j in pairwise([0, *cut(text, pattern).tolist()]))
    assert sum(piece.chunks for piece in pieces) == chunks.total()
    together: Counter[bytes] = Counter()
    for piece in pieces:
        assert (piece.chunks, piece.distinct) == (sum(n for _, n in piece.frequent), len(piece.frequent))
        together.update(dict(piece.frequent))
    assert together == chunks


@given(texts, st.sampled_from([*CUSTOM]))
def test_each_chunk_is_of_the_first_clause_that_matches_there(text: str, pattern: str) -> None:
    text = clean(text)
    apart = take_apart(pattern)
    alone = [regex.compile(apart.head + clause + apart.tail) for clause in apart.clauses]
    expected: list[Counter[bytes]] = [Counter() for _ in alone]
    at = 0
    while at < len(text):
        tried = [found.end() if (found := one.match(text, at)) else at for one in alone]
        first = next(i for i, end in enumerate(tried) if end > at)
        expected[first][text[at : tried[first]].encode()] += 1
        at = tried[first]
    assert [dict(piece.frequent) for piece in pieces_of(text, pattern, 1000)] == expected


def test_a_pattern_is_taken_apart_at_its_own_alternatives() -> None:
    for pattern, clauses in CUSTOM.items():
        check_pattern(pattern)
        apart = take_apart(pattern)
        assert list(apart.clauses) == clauses
        assert f"{apart.head}{'|'.join(apart.clauses)}{apart.tail}" == pattern


def test_what_a_group_around_a_clause_would_change_is_not_explained() -> None:
    patterns = r"(a)\1|b (?p)a|aa a|(?i)b a|(?:(?V1)b) (?R)?a|b (?i)(?-i:a|b) (a)?(?(1)b|c)|d (a)|\g<1>b"
    for pattern in patterns.split():
        with pytest.raises(PatternError, match="piece by piece"):
            take_apart(pattern)


def test_each_clause_of_the_named_patterns_has_its_sentence() -> None:
    clauses = [(name, clause) for name in NAMED for clause in take_apart(name).clauses]
    assert list(named_sentences()) == clauses
    assert set(PATTERNS) == {"none", *NAMED}
    for _, clause in clauses:
        assert sentence_of(clause)  # without its name: built from the tree


@pytest.mark.parametrize(
    ("clause", "flags", "sentence"),
    [
        (r"\p{L}{2,}", "", "At least two letters."),
        (r"[A-Z]+", "i", "One or more characters from “A” to “Z” in any case."),
        (r"http://\S+", "", "“http://”, then one or more characters that are no white-space character."),
        (r"(?:ab|\d)*", "", "(“ab”; or a digit), any number of times."),
        (r"\s++$", "", "One or more white-space characters, at the end of the text."),
        (r"x(?!\S)", "", "“x”, if a white-space character or the end of the text follows."),
        (r".+?", "", ""),
        (r".", "s", ""),
    ],
)
def test_sentences_are_built_from_the_tree(clause: str, flags: str, sentence: str) -> None:
    assert sentence_of(clause, flags=flags) == sentence


@given(wild_texts)
def test_clauses_of_a_text_are_its_chunks_and_what_pieces_count(text: str) -> None:
    text = clean(text)
    chunks = clauses_of(text, "gpt2")
    assert [len(text[:end].encode()) for end, _ in chunks] == cut(text, "gpt2").tolist()
    counts = [sum(clause == i for _, clause in chunks) for i in range(7)]
    assert counts == [piece.chunks for piece in pieces_of(text, "gpt2")]

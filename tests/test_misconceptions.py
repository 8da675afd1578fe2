"""Misconceptions: each is recounted naively, leads to the pair that its way of counting picks, and is false."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.strategies import Setting, settings_of_training
from tokviz.base.errors import SettingError
from tokviz.base.sentences import plain
from tokviz.catalog.samples import sample
from tokviz.teach.misconceptions import MISTAKES, Misconception, Pair, misconceptions, refutation, wrong_pairs
from tokviz.training.rules import TIES


def runs_counted_once(chunks: list[list[int]]) -> Counter[Pair]:
    """The pairs of each chunk; a place of a pair counts only if it does not overlap a counted place of that pair."""
    found: Counter[Pair] = Counter()
    for ids in chunks:
        last: dict[Pair, int] = {}
        for i, pair in enumerate(pairwise(ids)):
            if last.get(pair, -2) < i - 1:
                found[pair] += 1
                last[pair] = i
    return found


def across(setting: Setting, k: int) -> tuple[Counter[Pair], dict[Pair, list[int]]]:
    """All pairs of the corpus, chunks or not, and the bytes where a pair stands across the end of a chunk."""
    found: Counter[Pair] = Counter()
    crossing: dict[Pair, list[int]] = {}
    ends_of_texts, at = set(), 0
    for text in setting.texts:
        at += len(text.encode())
        ends_of_texts.add(at)
    chunks = setting.naive_places(k)
    end_of = {chunk[0][0]: chunk[0][0] + len(data) for chunk, (_, data) in zip(chunks, setting.chunks, strict=True)}
    for chunk, following in zip(chunks, [*chunks[1:], []], strict=True):
        found.update((left, right) for (_, left), (_, right) in pairwise(chunk))
        end = end_of[chunk[0][0]]
        if following and following[0][0] == end and end not in ends_of_texts:
            pair = (chunk[-1][1], following[0][1])
            found[pair] += 1
            crossing.setdefault(pair, []).append(chunk[-1][0])
    return found, crossing


def naive_choices(setting: Setting, k: int) -> dict[tuple[str, Pair], int]:
    """(kind, pair) -> the believed count, by counting plainly."""
    chunks, how, vocab = setting.naive[2][k], setting.how, setting.vocab
    true = naive.pair_counts(chunks)

    def first(stats: Counter[Pair], **other: str) -> list[Pair]:
        return naive.ranked(stats, vocab, **{**how, **other})[:1]

    found: dict[tuple[str, Pair], int] = {}
    for tie in TIES:
        if tie != setting.tie:
            found |= {("tie", pair): true[pair] for pair in first(true, tie=tie)}
    once = runs_counted_once(chunks)
    found |= {("overlap", pair): once[pair] for pair in first(once)}
    everywhere, crossing = across(setting, k)
    found |= {("boundary", pair): everywhere[pair] for pair in first(everywhere) if pair in crossing}
    if k:
        before = naive.pair_counts(setting.naive[2][k - 1])
        merged = setting.naive[0][k - 1][:2]
        left = [pair for pair in naive.ranked(before, vocab, **how) if pair != merged]
        found |= {("earlier", pair): before[pair] for pair in left[:1]}
    distinct = naive.pair_counts([list(ids) for ids in dict.fromkeys(tuple(ids) for ids in chunks)])
    found |= {("distinct", pair): distinct[pair] for pair in first(distinct)}
    tokens = Counter(id for ids in chunks for id in ids)
    crowd = min(id for id in tokens if tokens[id] == max(tokens.values()))
    with_it = [pair for pair in naive.ranked(true, vocab, **how) if crowd in pair]
    found |= {("token", pair): tokens[crowd] for pair in with_it[:1]}
    winner = setting.naive[0][k][:2]
    return {(kind, pair): count for (kind, pair), count in found.items() if pair != winner}


@settings(deadline=None)
@given(settings_of_training(max_merges=12), st.integers(0, 11))
def test_each_misconception_is_that_of_a_naive_recount_and_is_false(setting: Setting, k: int) -> None:
    training, records = setting.train(), setting.naive[0]
    if k >= len(records):
        assert misconceptions(training, len(records)) == wrong_pairs(training, len(records)) == []
        return
    found = misconceptions(training, k)
    assert {(one.kind, one.pair): one.believed for one in found} == naive_choices(setting, k)
    assert len(found) == len({(one.kind, one.pair) for one in found})
    true, offered = naive.pair_counts(setting.naive[2][k]), wrong_pairs(training, k)
    left, right, count, *_ = records[k]
    for one in [*found, *offered]:
        assert one.pair != one.winner == (left, right)
        assert (one.count, one.winner_count, one.step) == (true[one.pair], count, k)
        if one.kind == "boundary":
            bytes_there = across(setting, k)[1][one.pair]
            assert one.across == len(bytes_there)
            assert list(one.places) == bytes_there[: len(one.places)]
        assert plain(refutation(one, setting.vocab))
    pairs = [one.pair for one in offered]
    assert len(set(pairs)) == len(pairs) <= 3
    may_merge = {(left, right) for left, right, *_ in setting.naive_candidates(k)}
    assert len(pairs) >= min(3, len(may_merge) - 1)


def the_one(text: str, kind: str, k: int = 0, merges: int = 5, pattern: str = "gpt2") -> tuple[Misconception, str]:
    """The misconception of this kind at step k, and its refutation in words."""
    training = tokviz.train(text, 256 + merges, pattern=pattern)
    one = next(one for one in misconceptions(training, k) if one.kind == kind)
    return one, plain(refutation(one, training.tokenizer.vocab))


CASES = [
    ("bcab", "tie", 0, b"ab", (1, 1), "a + b occurs once, as does b + c. The tie goes to the first in the corpus."),
    (
        "bcaaaabc",
        "overlap",
        0,
        b"bc",
        (2, 2),
        "Places that overlap count too: aaa has a + a twice. b + c occurs 2 times,",
    ),
    ("n t n t n t", "boundary", 0, b"n ", (3, 0), "At 3 places, first at byte 0, a chunk ends between the two tokens."),
    ("abcabcab", "earlier", 1, b"bc", (2, 0), "Before the last merge b + c occurred 2 times, but each merge changes"),
    (
        "ab ab ab ab cd xcd ycd",
        "distinct",
        0,
        b"cd",
        (3, 3),
        "c + d occurs 3 times in distinct chunks, but a chunk counts",
    ),
    ("xaxbxcdede", "token", 0, b"xa", (3, 1), "x occurs 3 times, but pairs are counted, not tokens. x + a occurs once"),
]


@pytest.mark.parametrize(("text", "kind", "k", "pair", "counts", "said"), CASES)
def test_a_small_corpus_for_each(text: str, kind: str, k: int, pair: bytes, counts: tuple[int, int], said: str) -> None:
    one, words = the_one(text, kind, k)
    assert (bytes(one.pair), one.believed, one.count) == (pair, *counts)
    assert said in words


def test_the_kinds_are_in_their_order_and_steps_are_checked() -> None:
    training = tokviz.train(sample("tongue").text, 288)
    for k in range(32):
        order = [[*MISTAKES].index(one.kind) for one in misconceptions(training, k)]
        assert order == sorted(order)
        assert len(wrong_pairs(training, k, 5)) == 5
    for k in (-1, 33):
        with pytest.raises(SettingError, match="no step"):
            misconceptions(training, k)
    counts = tokviz.train(tokviz.count_chunks("ab cd ab"), 258)
    assert "boundary" not in {one.kind for one in misconceptions(counts, 0)}

"""One corpus under several split patterns: figures against `train`, forbidden merges against a naive count."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.strategies import PATTERNS, small_texts, wild_texts
from tokviz import limits, split
from tokviz.errors import PatternError
from tokviz.samples import sample
from tokviz.split import cut
from tokviz.split_lab import CORPUS_LIMIT, compare_patterns, finished, limited, train_freely, try_pattern
from tokviz.text import clean

corpora = st.lists(st.one_of(small_texts, wild_texts), max_size=3).map(lambda texts: [*texts, *texts[:1]])


def forbidden_naively(texts: list[str], pattern: str, merges: int, least: int) -> dict[int, tuple[int, int]]:
    """Rank -> (firings, those with a cut inside the new token), by a look at every token of every state."""
    datas = [text.encode() for text in texts]
    records, _, states = naive.train(datas, merges, min_count=least)
    cuts = [set(cut(text, pattern).tolist()) for text in texts]
    size = dict.fromkeys(range(256), 1)
    found: dict[int, tuple[int, int]] = {}
    for rank, (left, right, *_) in enumerate(records):
        new = 256 + rank
        size[new] = size[left] + size[right]
        spans = [
            (i, start, start + size[id])
            for i, ids in enumerate(states[rank + 1])
            for start, id in zip(accumulate([0, *(size[id] for id in ids)]), ids, strict=False)
            if id == new
        ]
        across = sum(any(start < place < end for place in cuts[i]) for i, start, end in spans)
        if across:
            found[rank] = (len(spans), across)
    return found


@given(corpora, st.sampled_from(PATTERNS), st.integers(0, 25), st.integers(1, 3))
def test_forbidden_merges_equal_a_naive_count(texts: list[str], pattern: str, merges: int, least: int) -> None:
    texts = [clean(text) for text in texts]
    free, _ = finished(train_freely(texts, 256 + merges, least))
    outcome = finished(try_pattern(free, pattern))
    assert {m.rank: (m.fired, m.across) for m in outcome.forbidden} == forbidden_naively(texts, pattern, merges, least)
    assert [m.across for m in outcome.forbidden] == sorted((m.across for m in outcome.forbidden), reverse=True)
    vocab, records = free.training.tokenizer.vocab, free.training.merges
    for merge in outcome.forbidden:
        assert merge.left + merge.right == vocab[records[merge.rank].id]
        assert merge.wholly == (merge.fired == merge.across)


@given(corpora, st.sampled_from(PATTERNS), st.integers(0, 25), st.integers(1, 3))
def test_figures_equal_those_of_train(texts: list[str], pattern: str, merges: int, least: int) -> None:
    texts = [clean(text) for text in texts]
    (outcome,) = compare_patterns(texts, [pattern], 256 + merges, least)
    training = tokviz.train(texts, 256 + merges, pattern=pattern, min_count=least)
    assert (outcome.tokens, outcome.merges) == (training.tokens_at(len(training.merges)), len(training.merges))
    assert (outcome.n_bytes, outcome.stopped) == (sum(len(text.encode()) for text in texts), training.stopped)
    cuts = [[0, *cut(text, pattern).tolist()] for text in texts]
    chunks = Counter(text.encode()[i:j] for text, ends in zip(texts, cuts, strict=True) for i, j in pairwise(ends))
    assert (outcome.chunks, outcome.distinct) == (chunks.total(), len(chunks))
    assert list(outcome.frequent) == chunks.most_common(6)
    tokens = [training.tokenizer.vocab[merge.id] for merge in training.merges]
    assert list(outcome.longest) == sorted(tokens, key=len, reverse=True)[:3]


def test_the_program_under_the_named_patterns() -> None:
    found = compare_patterns([sample("code").text], ["none", "gpt2", "cl100k", "o200k"])
    assert [(one.tokens, one.chunks, one.distinct) for one in found] == [
        (1565, 1, 1),
        (1731, 1202, 364),
        (1747, 1108, 400),
        (1749, 1114, 400),
    ]
    assert not found[0].forbidden
    assert (found[1].forbidden[2].left, found[1].forbidden[2].right, found[1].forbidden[2].across) == (b",", b" ", 59)


@pytest.mark.parametrize("pattern", ["(", "a", r"(?:a|aa)+$|(b+)+c"])
def test_a_pattern_that_cannot_split_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compare_patterns(["the cat " + "b" * 40], [pattern])


def test_a_pattern_whose_clauses_are_slow_is_still_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """An automaton splits by it at once. Only the `regex` package can tell its clauses apart, and it would not end.

    A slice ends before a match does, so a cancel is heard.
    """
    monkeypatch.setattr(limits, "MATCH_SECONDS", 0.2)
    monkeypatch.setattr(split, "LOOK_SECONDS", 0.01)
    free, _ = finished(train_freely(["! " + "x" * 60], 512, 2))
    steps = try_pattern(free, r"(?:x|xx)+[!]|[\s\S]")
    doing = []
    try:
        while True:
            doing.append(next(steps).doing)
    except StopIteration as end:
        found = end.value
    assert doing.count("Matching the clauses") > 3
    assert found.chunks == 62
    assert isinstance(found.pieces, PatternError)
    assert "too slowly, or not at all after byte 2" in found.pieces.what


def test_a_long_corpus_is_cut_and_none_is_no_fault() -> None:
    kept, left_out = limited(["a" * (CORPUS_LIMIT - 1), "é", "\ud800"])
    assert (len(kept), left_out) == (1, 5)
    assert limited(["", "é"]) == (("é",), 0)
    assert [one.tokens for one in compare_patterns([], PATTERNS)] == [0] * len(PATTERNS)

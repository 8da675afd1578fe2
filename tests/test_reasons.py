"""Why tokenizers differ: every reason that holds is named, none that does not, and there is always one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings

import tokviz
from tests.comparison_cases import CASES, SAMPLES, Case, Span, merges_of, spans
from tokviz import OPEN, SPLIT, WHOLE, Comparison, Encoding, Tokenizer
from tokviz.comparison.comparison import Cause
from tokviz.split.cutting import cut
from tokviz.split.specials import Specials

RankOf = Callable[[bytes, bytes], int | None]  # of a pair of tokens, by their bytes


def pair_ranks(tok: Tokenizer) -> RankOf:
    pairs = {(tok.vocab[left], tok.vocab[right]): rank for rank, (left, right) in enumerate(tok.merges)}
    return lambda left, right: pairs.get((left, right))


def byte_ranks(tok: Tokenizer) -> RankOf:
    ranks = {tok.vocab[id]: rank for rank, id in enumerate(tok.merge_ids.tolist())}
    return lambda left, right: ranks.get(left + right)


def closings(chunk: bytes, rank_of: RankOf) -> Iterator[tuple[int, int, bytes]]:
    """(rank, place, token made) of each merge in the order of time: the lowest rank, the leftmost of equals."""
    parts = [chunk[i : i + 1] for i in range(len(chunk))]
    while True:
        ranks = [rank_of(*pair) for pair in pairwise(parts)]
        if not any(rank is not None for rank in ranks):
            return
        rank, i = min((rank, i) for i, rank in enumerate(ranks) if rank is not None)
        yield rank, len(b"".join(parts[: i + 1])), parts[i] + parts[i + 1]
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def chunks(data: bytes, tokens: list[Span], pattern: str) -> list[tuple[int, int]]:
    """What the pattern cuts of each stretch between special tokens."""
    found, start = [], 0
    for stop, end in [(token.start, token.end) for token in tokens if token.special] + [(len(data), len(data))]:
        edges = [start, *(start + cut(data[start:stop].decode(), pattern)).tolist()]
        found += list(pairwise(edges))
        start = end
    return found


@dataclass
class Side:
    """What is known of one tokenizer on one text without the comparison's help."""

    tok: Tokenizer
    tokens: list[Span]
    chunks: list[tuple[int, int]]
    ordinary: set[bytes]
    rank_of: RankOf


def side(text: str, tok: Tokenizer, rank_of: RankOf, allowed: Specials) -> Side:
    tokens = spans(text, tok, allowed)
    ordinary = {tok.vocab[id] for id in [*tok.alphabet.tolist(), *tok.merge_ids.tolist()]}
    return Side(tok, tokens, chunks(text.encode(), tokens, tok.pattern), ordinary, rank_of)


def check_reasons(c: Comparison, at: int, a: int, b: int, sides: list[Side]) -> set[str]:
    """Each reason is looked into by itself, and so is each kind that is not named."""
    data, tok, rank_of = c.encodings[0].data, sides[b].tok, sides[b].rank_of
    mine = next(token for token in sides[a].tokens if token.start < at < token.end)
    w = data[mine.start : mine.end]
    reasons = c.reasons(at, a, b)
    kinds = [reason.kind for reason in reasons]
    assert reasons
    assert all(reason.token == w for reason in reasons)

    theirs = [(token.start, token.end) for token in sides[b].tokens if token.special]
    in_the_way = [(s, data[s:e]) for s, e in theirs if s < mine.end and e > mine.start]
    in_the_way += [(mine.start, w)] if mine.special else []
    named = [(reason.by.at, reason.by.token) for reason in reasons if reason.kind == "special"]
    assert sorted(named) == sorted(in_the_way)

    own_chunks = sides[b].chunks
    forced = {edge for place in theirs for edge in place}
    cuts = {end for _, end in own_chunks if mine.start < end < mine.end} - forced
    assert kinds.count("split") == bool(cuts)
    for reason in reasons:
        if reason.kind == "split":
            assert reason.by.at in cuts
            assert abs(reason.by.at - at) == min(abs(place - at) for place in cuts)
            assert reason.by.pattern == tok.pattern

    ordinary = sides[b].ordinary
    assert kinds.count("absent") == (w not in ordinary)

    alone = list(closings(w, rank_of))
    reached = w in ordinary and len(alone) == len(w) - 1  # cut at its edges, it comes to one token
    assert kinds.count("unreachable") == (w in ordinary and not reached)
    for reason in reasons:
        if reason.kind == "unreachable":
            left_open = sorted({*range(len(w))} - {place for _, place, _ in alone})
            parts = [w[s:e] for s, e in pairwise([*left_open, len(w)])]
            assert list(reason.by.parts) == parts

    around = [(s, e) for s, e in own_chunks if s <= mine.start and mine.end <= e]
    assert kinds.count("taken") == (reached and bool(around))
    for reason in reasons:
        if reason.kind == "taken":
            (start, end), edges = around[0], (mine.start, mine.end)
            story = ((rank, start + place, made) for rank, place, made in closings(data[start:end], rank_of))
            first = next(step for step in story if step[1] in edges)
            assert (reason.by.rank, reason.by.at, reason.by.token) == first
            assert c.encodings[b].seams[first[1]] == first[0]
            assert b"".join(reason.by.parts) == reason.by.token
            assert (first[0], first[2]) < (alone[-1][0], b"") or first == (alone[-1][0], mine.start, w)
    assert "other model" not in kinds
    return set(kinds)


def check_everywhere(text: str, toks: list[Tokenizer], ranks: list[RankOf], allowed: Specials) -> set[str]:
    c = tokviz.compare(text, toks, allowed_special=allowed)
    sides = [side(text, tok, rank_of, allowed) for tok, rank_of in zip(toks, ranks, strict=True)]
    met = set()
    for a, b in permutations(range(len(toks)), 2):
        mine, theirs = c.encodings[a].seams, c.encodings[b].seams
        for at in np.flatnonzero((mine < OPEN) & (theirs >= OPEN)).tolist():
            met |= check_reasons(c, at, a, b, sides)
    return met


@pytest.mark.longer
@settings(max_examples=max(60, settings().max_examples))
@given(CASES)
def test_reasons_are_those_that_hold(case: Case) -> None:
    check_everywhere(case.text, case.tokenizers, [pair_ranks(tok) for tok in case.tokenizers], case.allowed)


def test_the_cases_by_chance_meet_every_kind() -> None:
    met = set()
    for case in map(Case, range(60)):
        ranks = [pair_ranks(tok) for tok in case.tokenizers]
        met |= check_everywhere(case.text, case.tokenizers, ranks, case.allowed)
    assert met == {"split", "special", "absent", "taken", "unreachable"}


@given(CASES)
def test_there_is_a_reason_for_any_rank_file(case: Case) -> None:
    """Even one whose ids are in no learned order."""
    c = tokviz.compare(case.text, [case.handmade(), case.rank_file(), case.rank_file()])
    for a, b in permutations(range(3), 2):
        for at in range(1, len(c.encodings[0].data)):
            if c.encodings[a].seams[at] < OPEN <= c.encodings[b].seams[at]:
                assert c.reasons(at, a, b)


def test_reasons_of_the_references_on_real_text() -> None:
    story = (SAMPLES / "story.txt").read_text("utf-8")
    own = tokviz.train(story, vocab_size=600, pattern="none", name="own").tokenizer
    toks = [*map(tokviz.reference, ("gpt2", "cl100k_base", "o200k_base")), own]
    ranks = [*map(byte_ranks, toks[:3]), pair_ranks(own)]
    met = set()
    for name, length in (("story.txt", 1_000), ("code.py.txt", 1_000), ("mixed.txt", 300), ("tongue.txt", 200)):
        text = (SAMPLES / name).read_text("utf-8")[:length]
        met |= check_everywhere(text, toks[:3], ranks[:3], "all")
        met |= check_everywhere(text[:200], toks, ranks, "all")
    met |= check_everywhere("One.<|endoftext|>Two\n\n", toks, ranks, "all")
    assert met == {"split", "special", "absent", "taken"}


def test_other_model_where_no_merge_made_the_token() -> None:
    """No tokenizer here is of another kind yet; its encoding would look like this."""
    a, b = merges_of("a", "a+b", "ab+c"), Tokenizer("words", [], pattern="none")
    whole = Encoding(b"abc", np.array([SPLIT, OPEN, WHOLE], np.int32), whole={1: 700})
    reasons = Comparison((a, b), (a.explain("abc"), whole)).reasons(1, 0, 1)
    assert [(reason.kind, reason.by) for reason in reasons] == [
        ("absent", Cause()),
        ("other model", Cause(1, token=b"bc")),
    ]
    # the whole token reaches over an edge of one that B's merges would make: not "taken", for no merge took it
    both = merges_of("both", "a+b")
    whole = Encoding(b"abc", np.array([SPLIT, OPEN, WHOLE], np.int32), whole={1: None})
    reasons = Comparison((both, both), (both.explain("abc"), whole)).reasons(1, 0, 1)
    assert [(reason.kind, reason.by) for reason in reasons] == [("other model", Cause(1, token=b"bc"))]


def check_the_whole_is_its_parts(c: Comparison) -> None:
    """Counted over the text, and told for a span, the reasons are those that are given for each boundary."""
    size = len(c.encodings[0].data)
    found = c.differences(0, size)
    for a, b in permutations(range(len(c.encodings)), 2):
        places = np.flatnonzero((c.encodings[a].seams < OPEN) & (c.encodings[b].seams >= OPEN)).tolist()
        asked = {at: c.reasons(at, a, b) for at in places}
        counted = Counter(kind for reasons in asked.values() for kind in {reason.kind for reason in reasons})
        assert {kind: len(places) for kind, places in c.reason_places(a, b).items() if len(places)} == counted
        for kind, where in c.reason_places(a, b).items():
            assert where.tolist() == [at for at in places if kind in {reason.kind for reason in asked[at]}]
        pair = [difference for difference in found if (difference.a, difference.b) == (a, b)]
        assert [at for difference in pair for at in difference.cuts] == places
        for difference in pair:
            for at in difference.cuts:
                assert {r.token for r in asked[at]} == {c.encodings[a].data[difference.start : difference.end]}
                assert [r.kind for r in asked[at]] == [r.kind for r in difference.reasons]
            assert list(difference.reasons) == asked[difference.cuts[0]]


@given(CASES)
def test_counted_and_told_are_the_same_reasons(case: Case) -> None:
    c = tokviz.compare(case.text, case.tokenizers, allowed_special=case.allowed)
    check_the_whole_is_its_parts(c)


def test_counted_where_bytes_are_of_no_merge() -> None:
    """Look-ups, and bytes that no token covers, on either side."""
    a, b = merges_of("a", "a+b", "ab+c"), merges_of("b", "b+c", "c+a")
    wholes = [
        Encoding(b"abcab", np.array([SPLIT, OPEN, WHOLE, SPLIT, WHOLE], np.int32), b.alphabet, b.merge_ids, {1: 700}),
        Encoding(b"abcab", np.array([SPLIT, WHOLE, OPEN, OPEN, WHOLE], np.int32), whole={0: None, 3: None}),
    ]
    for whole in wholes:
        check_the_whole_is_its_parts(Comparison((a, b), (a.explain("abcab"), whole)))
    check_the_whole_is_its_parts(Comparison((a, b), (wholes[0], wholes[1])))

"""Two vocabularies laid over each other, against plain sets, lists and fractions of the same tokens."""

from __future__ import annotations

import base64
import gzip
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import floor, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.pages import ROOT
from tests.peers_cases import peer
from tests.strategies import hostile_tokenizers, small_texts
from tokviz import Tokenizer
from tokviz.overlap import overlap_at, weighted_overlap_at
from tokviz.overlay import (
    OrderParting,
    finding,
    most_moved,
    order_found,
    order_parting,
    overlay,
    parting_found,
    rank_bins,
)
from tokviz.peers import AnyTokenizer

trained = st.builds(
    lambda text, merges, pattern: tokviz.train(text, 256 + merges, pattern=pattern).tokenizer,
    small_texts,
    st.integers(0, 14),
    st.sampled_from(["none", "gpt2"]),
)
tokenizers = st.one_of(trained, hostile_tokenizers())


def made_by(tok: AnyTokenizer) -> list[bytes]:
    """The tokens of the merges, in rank order."""
    return [tok.vocab[id] for id in tok.merge_ids.tolist()]


def single(tok: AnyTokenizer) -> set[bytes]:
    return {token for id, token in tok.vocab.items() if id not in tok.special_ids and token}


def places(tokens: tuple[bytes, ...], rows: np.ndarray) -> list[bytes]:
    return [tokens[place] for place in rows.tolist()]


@given(tokenizers, tokenizers)
def test_an_overlay_is_what_sets_and_lists_say(a: Tokenizer, b: Tokenizer) -> None:
    two = overlay(a, b)
    in_a, in_b = made_by(a), made_by(b)
    for column, listed in enumerate((two.a, two.b)):
        assert set(places(listed.tokens, two.shared[:, column])) == single(a) & single(b)
    assert set(places(two.a.tokens, two.only_a)) == single(a) - single(b)
    assert set(places(two.b.tokens, two.only_b)) == single(b) - single(a)
    assert [two.a.tokens[place] for place, _ in two.shared] == [two.b.tokens[place] for _, place in two.shared]
    assert all(a.vocab[id] == token for id, token in zip(two.a.ids.tolist(), two.a.tokens, strict=True))
    assert set(two.specials.shared) == set(a.special_tokens) & set(b.special_tokens)
    assert set(two.specials.only_a) == set(a.special_tokens) - set(b.special_tokens)
    assert set(two.specials.only_b) == set(b.special_tokens) - set(a.special_tokens)

    ranks = [(in_a.index(token), in_b.index(token)) for token in in_a if token in in_b]
    assert two.ranks.tolist() == [list(pair) for pair in ranks]
    naive_bins = Counter((floor(2 * log2(y + 1)), floor(2 * log2(x + 1))) for x, y in ranks)
    bins = rank_bins(two)
    assert {place: n for place, n in np.ndenumerate(bins.counts) if n} == naive_bins
    for row, column in naive_bins:
        assert len(bins.of(two.ranks, column, row)) == naive_bins[row, column]

    factor = {pair: Fraction(pair[0] + 1, pair[1] + 1) for pair in ranks}
    moved = most_moved(two, 3, texts=False)
    earlier = sorted((pair for pair in ranks if factor[pair] > 1), key=lambda pair: (-factor[pair], pair))
    later = sorted((pair for pair in ranks if factor[pair] < 1), key=lambda pair: (factor[pair], pair))
    assert [*map(tuple, moved.earlier.tolist())] == earlier[:3]
    assert [*map(tuple, moved.later.tolist())] == later[:3]
    alike = sum((x < u) == (y < v) for (x, y), (u, v) in combinations(ranks, 2))
    assert two.pairs_in_order == (alike, len(ranks) * (len(ranks) - 1) // 2)

    sizes = range(256, 275)
    for one in overlap_at(two, sizes):
        first_a, first_b = set(in_a[: one.size - 256]), set(in_b[: one.size - 256])
        assert (one.shared, one.either) == (len(first_a & first_b), len(first_a | first_b))


@given(tokenizers, tokenizers)
def test_the_orders_part_where_a_plain_look_says_so(a: Tokenizer, b: Tokenizer) -> None:
    pairs = [[(tok.vocab[left], tok.vocab[right]) for left, right in tok.merges] for tok in (a, b)]
    longest = max(map(len, pairs))
    padded = [[*rows, *[None] * (longest - len(rows))] for rows in pairs]
    first = next((rank for rank in range(longest) if padded[0][rank] != padded[1][rank]), None)
    found = order_parting(overlay(a, b))
    assert (found.rank if found else None) == first
    assert parting_found(found, "a", "b").endswith(".")
    if found:
        there = [b"".join(rows[found.rank] or ()) or None for rows in padded]
        assert [found.a, found.b] == there
        assert bool(found.parts_a) == (there[0] == there[1])


@given(trained, trained, st.text("ab c", max_size=30))
def test_the_weighted_overlap_is_that_of_plain_counts(a: Tokenizer, b: Tokenizer, text: str) -> None:
    two = overlay(a, b)
    sizes = [256, 257, 260, 270]
    found = weighted_overlap_at(two, [a.explain(text)], [*b.explain_in_pieces(text, 5)], sizes)
    for size, share in zip(sizes, found, strict=True):
        uses = []
        for tok in (a, b):
            cut = tok.truncated(min(size, tok.vocab_size))
            uses.append(Counter(cut.vocab[id] for id in cut.encode(text)))
        larger = sum((uses[0] | uses[1]).values())
        assert share == (sum((uses[0] & uses[1]).values()) / larger if larger else None)


def test_look_ups_and_peers_are_compared_by_their_bytes() -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"xyz": 257, b"abc": 258}
    whole = Tokenizer.from_ranks("whole", ids, pattern="none", special_tokens={"<s>": 2**31 - 1})  # no table by id
    two = overlay(whole.truncated(257), whole)
    assert two.ranks.tolist() == [[0, 0]]
    assert two.shared[-1].tolist() == [257, 257]  # the look-up, which has no rank in the shorter one
    assert places(two.b.tokens, two.only_b) == [b"abc"]
    pieces = [[tok.explain("xyz"), tok.explain("abc")] for tok in (whole.truncated(257), whole)]
    assert weighted_overlap_at(two, *pieces, [258, 259]) == [1.0, 0.25]

    word_pieces = peer("WordPiece")
    two = overlay(word_pieces, whole)
    assert set(two.a.tokens) == single(word_pieces)
    assert len(two.a.tokens) + len(two.a.again) == sum(
        bool(token) and id not in word_pieces.special_ids for id, token in word_pieces.vocab.items()
    )
    assert set(places(two.a.tokens, two.shared[:, 0])) == single(word_pieces) & single(whole)
    assert not two.ranked
    assert not len(two.ranks)
    assert "in common" in finding(two, "a", "b") or "also in" in finding(two, "a", "b")
    assert weighted_overlap_at(overlay(word_pieces, word_pieces), *[[word_pieces.explain("the cat")]] * 2, [256]) == [
        1.0
    ]


def tokens_in_file(name: str) -> list[bytes]:
    """The tokens in tiktoken's own file, in the order of their ids."""
    lines = gzip.decompress((ROOT / "models" / f"{name}.tiktoken.gz").read_bytes()).split(b"\n")
    rows = [line.split() for line in lines if line]
    return [base64.b64decode(token) for token, _ in sorted(rows, key=lambda row: int(row[1]))]


# From tiktoken's own rank tables, and as the design has them: shared tokens, only in a, only in b, shared merges.
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("cl100k_base", "o200k_base", (85_033, 15_223, 114_965, 84_777)),
        pytest.param("r50k_base", "cl100k_base", None, marks=pytest.mark.long),
    ],
)
def test_an_overlay_of_references_is_that_of_tiktokens_tables(a: str, b: str, expected: tuple[int, ...] | None) -> None:
    tables = [tokens_in_file(name) for name in (a, b)]
    orders = [[token for token in table if len(token) > 1] for table in tables]
    tokens = [*map(set, tables)]
    two = overlay(tokviz.reference(a), tokviz.reference(b))
    numbers = (
        len(tokens[0] & tokens[1]),
        len(tokens[0] - tokens[1]),
        len(tokens[1] - tokens[0]),
        len(set(orders[0]) & set(orders[1])),
    )
    assert expected is None or numbers == expected
    assert (len(two.shared), len(two.only_a), len(two.only_b), len(two.ranks)) == numbers
    rank_in_b = {token: rank for rank, token in enumerate(orders[1])}
    ranks = [(rank, rank_in_b[token]) for rank, token in enumerate(orders[0]) if token in rank_in_b]
    assert two.ranks.tolist() == [list(pair) for pair in ranks]
    part = next(rank for rank in range(100_000) if orders[0][rank] != orders[1][rank])
    assert order_parting(two) == OrderParting(part, orders[0][part], orders[1][part])
    if expected:
        assert finding(two, a, b).replace("\u00a0", " ") == (
            "84.8 % of cl100k_base is also in o200k_base; 82.8 % of the shared merges come later there"
        )
        assert rank_bins(two).counts.shape == (36, 34)
        assert most_moved(two, 6).earlier.tolist()[0] == [73_411, 418]  # the virama of Devanagari
        assert most_moved(two, 6).later.tolist()[0] == [489, 197_717]
        at = [256 + 1_000, 100_256, 199_998]
        for one in overlap_at(two, at):
            first = [set(order[: one.size - 256]) for order in orders]
            assert (one.shared, one.either) == (len(first[0] & first[1]), len(first[0] | first[1]))


def test_findings_of_small_and_equal_vocabularies() -> None:
    none, one = Tokenizer("none", []), Tokenizer("one", [(97, 98)])
    two, other = Tokenizer("two", [(97, 98), (98, 99)]), Tokenizer("other", [(98, 99), (97, 98)])
    cases = [
        (none, none, "none and none have the same 256 tokens"),
        (one, one, "one and one have the same 257 tokens, learned in the same order"),
        (none, one, "All of none is also in one"),
        (one, Tokenizer("x", [(99, 99)]), "one and x share the 256 single bytes, and no merge"),
        (one, two, "All of one is also in two; the only shared merge comes at the same rank there"),
        (one, other, "All of one is also in other; the only shared merge comes later there"),
        (two, one, "99.6 % of two is also in one; the only shared merge comes at the same rank there"),
        (two, two, "two and two have the same 258 tokens, learned in the same order"),
        (two, other, "two and other have the same 258 tokens; 50.0 % of the shared merges come later there"),
    ]
    for a, b, said in cases:
        assert finding(overlay(a, b), a.name, b.name).replace("\u00a0", " ") == said
    assert order_found(overlay(one, two)) == ""
    assert order_found(overlay(two, two)) == "Both shared merges come in the same order in both."
    assert "0 %" in order_found(overlay(two, other)).replace("\u00a0", " ")
    assert parting_found(order_parting(overlay(none, one)), "none", "one") == "none has no merges."
    assert parting_found(order_parting(overlay(one, two)), "one", "two") == (
        "The first merge is the same in both. Then one has no more, and two goes on."
    )
    assert parting_found(None, "a", "b") == "All merges are the same in both, in the same order."

"""Next merges: each saving is what encoding again with the merge appended shows, under every kind of vocabulary."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import PATTERNS, small_texts, wild_texts
from tests.test_lookups import BYTES, SMALL, rank_files
from tokviz import Tokenizer, count_chunks, next_merges
from tokviz.errors import SettingError
from tokviz.next_merges import NextMerge, best_merges, merges_in_turn
from tokviz.samples import sample
from tokviz.text import clean

FEW, MANY = 60, 500


def appended(tok: Tokenizer, left: bytes, right: bytes) -> Tokenizer:
    """The tokenizer with one more merge behind all others."""
    if tok.by_bytes:
        ids = {**tok.rank_file, left + right: tok.n_vocab}
        return Tokenizer.from_ranks(tok.name, ids, pattern=tok.pattern, special_tokens={})
    id_of = {token: id for id, token in tok.vocab.items()}
    merges = [*tok.merges, (id_of[left], id_of[right])]
    ids = [*tok.merge_ids.tolist(), tok.n_vocab]
    return Tokenizer(tok.name, merges, pattern=tok.pattern, alphabet=tok.alphabet, merge_ids=ids)


def tokens(tok: Tokenizer, text: str) -> int:
    return len(tok.encode_ordinary(text))


def savings(tok: Tokenizer, text: str) -> dict[NextMerge, None]:
    """Every merge that could be appended, with what encoding again shows."""
    pairs = dict.fromkeys(
        (one.data, other.data) for one, other in pairwise(tok.explain(text).tokens()) if one.chunk == other.chunk
    )
    known = {*tok.vocab.values()}
    before = tokens(tok, text)
    return dict.fromkeys(
        NextMerge(*pair, before - tokens(appended(tok, *pair), text)) for pair in pairs if b"".join(pair) not in known
    )


def check(tok: Tokenizer, text: str) -> None:
    check_merges(tok, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(next_merges, "LISTED", 2)
        check_merges(tok, text)


def check_merges(tok: Tokenizer, text: str) -> None:
    counts = count_chunks(text, tok.pattern)
    every = savings(tok, text)
    found = best_merges(counts, tok, len(every) + 5)
    assert dict.fromkeys(found).keys() == every.keys() and len(found) == len(every)
    assert [merge.saved for merge in found] == sorted((merge.saved for merge in every), reverse=True)
    assert best_merges(counts, tok, 2) == found[:2]
    for merge in merges_in_turn(counts, tok, 6):
        every = savings(tok, text)
        assert merge in every and merge.saved == max(one.saved for one in every)
        tok = appended(tok, merge.left, merge.right)
    assert len(merges_in_turn(counts, tok, 0)) == 0


@st.composite
def cases(draw: st.DrawFn) -> tuple[Tokenizer, str]:
    """A trained tokenizer, its rank file, or a rank file with look-ups; and a text of the same letters."""
    kind = draw(st.sampled_from(["trained", "ranks", "look-ups"]))
    if kind == "look-ups":
        ids, pattern, text = draw(rank_files())
        text = (text + draw(st.sampled_from(["", "abab", "aaa", "é"]))) * draw(st.integers(1, 3))
        return Tokenizer.from_ranks("ranks", ids, pattern=pattern, special_tokens={}), text
    corpus = draw(st.one_of(small_texts, wild_texts.map(clean)))
    merges, pattern = draw(st.integers(0, 8)), draw(st.sampled_from(PATTERNS))
    tok = tokviz.train(corpus, 256 + merges, pattern=pattern).tokenizer
    if kind == "ranks":
        tok = Tokenizer.from_ranks("ranks", tok.rank_file, pattern=pattern, special_tokens={})
    return tok, corpus[: draw(st.integers(0, 40))] + draw(st.sampled_from(["", corpus[:20], "aaaa", "aabaab"]))


@given(cases())
@settings(max_examples=FEW)
@example((Tokenizer.from_ranks("small", SMALL, pattern="none", special_tokens={}), "abcdabcaddbcdabdd"))
# "ab" and "c" become "abc", which meets "d" and becomes the look-up "abcd" at once
@example((Tokenizer.from_ranks("x", BYTES | {b"ab": 256, b"abcd": 257}, pattern="none", special_tokens={}), "xabcdabc"))
def test_a_saving_is_what_encoding_again_shows(case: tuple[Tokenizer, str]) -> None:
    check(*case)


@pytest.mark.long
@given(cases())
@settings(max_examples=MANY)
def test_a_saving_is_what_encoding_again_shows_in_many_cases(case: tuple[Tokenizer, str]) -> None:
    check(*case)


def test_the_savings_under_a_reference_tokenizer() -> None:
    tok = tokviz.reference("cl100k_base")
    text = sample("story").text[:3_000] + " vegalite vegalite vegalite --==-- naïveté"
    counts = count_chunks(text, tok.pattern)
    in_turn = merges_in_turn(counts, tok, 8)
    ids = {**tok.rank_file, **{merge.token: tok.n_vocab + rank for rank, merge in enumerate(in_turn)}}
    again = Tokenizer.from_ranks("again", ids, pattern=tok.pattern, special_tokens={}, no_lookups=True)
    assert tokens(tok, text) - tokens(again, text) == sum(merge.saved for merge in in_turn)
    assert in_turn[0] == best_merges(counts, tok, 1)[0] and in_turn[0].saved >= 3


def test_counts_of_another_pattern_are_refused() -> None:
    with pytest.raises(SettingError, match="cut by the pattern 'none'"):
        best_merges(count_chunks("abc", "none"), tokviz.reference("gpt2"), 1)

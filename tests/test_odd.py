"""Odd tokens: each kind against its plain definition, and what encoding gives back against tiktoken."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.peers_cases import peer
from tests.strategies import PATTERNS, wild_texts
from tests.test_lookups import of_ranks, rank_files
from tests.test_use import by_trees
from tokviz import Tokenizer
from tokviz.base.text import clean
from tokviz.split.cutting import cut, cut_each
from tokviz.ui.frame.tokenizers import reference_witness
from tokviz.ui.vocabulary.odd_kinds import reference_odd_tokens
from tokviz.vocabulary import texts as token_texts
from tokviz.vocabulary.odd import OddTokens, Residue, never_used, residues
from tokviz.vocabulary.texts import incomplete, incomplete_pairs, mixes_scripts, unreachable
from tokviz.vocabulary.use import use_in_text, use_in_training

LETTERS = [*b" aA'1", *"é日👍".encode()]


@st.composite
def vocabularies(draw: st.DrawFn) -> Tokenizer:
    """Merges of any tokens in any order, so that some are never made; ids that are not ranks."""
    tokens = [*LETTERS]
    pairs = []
    seen = {bytes([byte]) for byte in range(256)}
    spelt = {byte: bytes([byte]) for byte in range(256)}
    for _ in range(draw(st.integers(0, 14))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if spelt[left] + spelt[right] in seen:
            continue
        id = 300 + 2 * len(pairs)
        spelt[id] = spelt[left] + spelt[right]
        seen.add(spelt[id])
        pairs.append((left, right))
        tokens.append(id)
    pattern = draw(st.sampled_from([*PATTERNS, r"(?<=a)a|[\s\S]+?"]))
    specials = draw(st.sampled_from([{}, {"a": 999}]))
    ids = range(300, 300 + 2 * len(pairs), 2)
    return Tokenizer("any", pairs, merge_ids=[*ids], pattern=pattern, special_tokens=specials)


def decoded(token: bytes) -> str | None:
    return token.decode() if token.decode("utf-8", "replace").encode() == token else None


def ordinary(tok: Tokenizer) -> dict[int, bytes]:
    return {id: token for id, token in tok.vocab.items() if id not in tok.special_ids}


@given(st.sampled_from([*PATTERNS, r"(?<=a)b|[\s\S]"]), st.lists(wild_texts, max_size=6))
def test_many_texts_are_each_cut_by_themselves(pattern: str, texts: list[str]) -> None:
    texts = [clean(text) for text in texts]
    places = np.cumsum([0, *(len(text.encode()) for text in texts)])
    ends = [end + place for text, place in zip(texts, places.tolist(), strict=False) for end in cut(text, pattern)]
    assert cut_each([text.encode() for text in texts], pattern).tolist() == ends
    tok = tokviz.train("the cat", vocab_size=260, pattern=pattern).tokenizer
    each = [text.encode() for text in texts]
    encoding = tok.explain_chunks(b"".join(each), cut_each(each, pattern))
    assert encoding.ids.tolist() == [id for text in texts for id in tok.encode(text)]


@given(st.text("ab c\n", max_size=60), st.integers(0, 12), st.integers(1, 3), st.sampled_from([0, 0.3, 1]))
def test_what_is_unused_and_what_is_absorbed_is_so_in_the_trees(
    text: str, merges: int, least: int, most: float
) -> None:
    training = tokviz.train(text, vocab_size=256 + merges, special_tokens=["b b"])
    tok, use = training.tokenizer, use_in_training(training)
    made, remain = by_trees(tok, text)
    assert set(never_used(tok, use)) == set(ordinary(tok)) - set(made)
    found = residues(tok, use, most_share=most, least_made=least)
    naive = {
        id: Residue(id, made[id], remain[id])
        for id in tok.merge_ids.tolist()
        if made[id] >= least and remain[id] / made[id] <= most
    }
    assert {residue.id: residue for residue in found} == naive
    assert found == sorted(found, key=lambda residue: (residue.share, -residue.made, residue.id))


def check_unreachable(tok: Tokenizer) -> None:
    found = {one.id: one for one in unreachable(tok)}
    for id, token in ordinary(tok).items():
        text = decoded(token)
        ids = () if text is None else tuple(tok.encode_ordinary(text))
        if text is None:
            assert found[id].why == "incomplete"
        elif ids == (id,):
            assert id not in found
        else:
            why = "split" if len(cut(text, tok.pattern)) > 1 else "merges"
            assert (found[id].why, found[id].becomes) == (why, ids)
    assert len(found) == sum(id in found for id in ordinary(tok))


@given(vocabularies())
def test_a_token_is_unreachable_if_encoding_its_text_gives_others(tok: Tokenizer) -> None:
    check_unreachable(tok)


@given(rank_files())
def test_look_ups_are_reached(case: tuple[dict[bytes, int], str, str]) -> None:
    ids, pattern, _ = case
    tok = of_ranks(ids, pattern)
    check_unreachable(tok)
    assert all(one.why != "merges" for one in unreachable(tok))
    check_unreachable(tok.truncated(256 + len(tok.merge_ids) // 2))


@pytest.mark.parametrize(
    ("name", "cut_by_the_pattern"),
    [("gpt2", 0), ("cl100k_base", 0), pytest.param("o200k_base", 12, marks=pytest.mark.long)],
)
def test_unreachable_tokens_are_those_that_tiktoken_does_not_give(name: str, cut_by_the_pattern: int) -> None:
    theirs, tok = reference_witness(name), tokviz.reference(name)
    naive = Counter[str]()
    missed = set()
    for id, token in ordinary(tok).items():
        text = decoded(token)
        if text is None or theirs.encode_ordinary(text) != [id]:
            missed.add(id)
            naive["incomplete" if text is None else "split"] += 1
    odd = reference_odd_tokens(name)
    assert {one.id for one in odd.unreachable} == missed
    assert Counter(one.why for one in odd.unreachable) == naive
    assert naive["split"] == cut_by_the_pattern
    assert len(odd.incomplete) == naive["incomplete"]
    left, right = odd.pairs.varied(1)[0]
    assert theirs.encode_ordinary(theirs.decode([left, right])) == [left, right]


@settings(max_examples=12)
@given(vocabularies())
def test_incomplete_tokens_their_pairs_and_duplicates_are_those_of_a_plain_search(tok: Tokenizer) -> None:
    tokens = ordinary(tok)
    without_text = [id for id, token in tokens.items() if decoded(token) is None]
    assert sorted(incomplete(tok)) == sorted(without_text)
    text_of = {(a, b): decoded(tokens[a] + tokens[b]) for a, b in product(without_text, repeat=2)}
    same = {pair for pair, text in text_of.items() if text is not None and tok.encode_ordinary(text) == [*pair]}
    found = incomplete_pairs(tok)
    assert found.count == sum(text is not None for text in text_of.values())
    assert found.given_back == len(same)
    assert set(found.leading) <= same
    assert len(set(found.leading)) == len(found.leading) == min(len(same), token_texts.LEADING)
    ranked = [
        (not mixes_scripts(text_of[pair] or ""), -len(tokens[pair[0]] + tokens[pair[1]])) for pair in found.leading
    ]
    assert ranked == sorted(ranked)
    groups: dict[str, set[int]] = {}
    for id, token in tokens.items():
        if (text := decoded(token)) and text.strip():
            groups.setdefault(text.strip(" ").lower(), set()).add(id)
    assert sorted(map(sorted, OddTokens(tok).duplicates)) == sorted(
        sorted(group) for group in groups.values() if len(group) > 1
    )
    top = OddTokens(tok).longest[:5]
    assert [len(tokens[id]) for id in top] == sorted(map(len, tokens.values()), reverse=True)[:5]


def test_pairs_that_are_too_many_are_counted_but_not_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = Tokenizer("bytes", [])
    monkeypatch.setattr(token_texts, "BATCH", 500)
    whole = incomplete_pairs(tok)
    assert whole.given_back == whole.count == 30 * 64
    monkeypatch.setattr(token_texts, "MOST_PAIRS", 1_919)
    assert incomplete_pairs(tok) == token_texts.IncompletePairs(30 * 64, None, ())


def test_a_peer_has_only_the_kinds_that_need_no_merges() -> None:
    bert = peer("WordPiece")
    use = use_in_text([bert.explain("a parrot in a tree")], 0)
    unused = never_used(bert, use)
    assert set(unused).isdisjoint(bert.encode("a parrot in a tree"))
    assert len(unused) == len({id for id in bert.vocab if id not in bert.special_ids}) - len(use.whole)
    odd = OddTokens(bert)
    assert (odd.unreachable, odd.pairs.count) == ([], 0)
    assert len(bert.vocab[odd.longest[0]]) == max(map(len, bert.vocab.values()))

"""Encoding: the ids are tiktoken's, the seams are those of the naive algorithm, and all that is read off them is so."""

from __future__ import annotations

import itertools
import random
import sys
import unicodedata
from dataclasses import replace
from functools import cache
from pydoc_data.topics import topics

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.golden import generate
from tests.oracles import REFERENCES, witness
from tests.strategies import PATTERNS, TIES, chunks_of, small_texts, wild_texts
from tests.test_contract import ranks
from tokviz import OPEN, SPLIT, WHOLE, Encoding
from tokviz.base.text import clean

MANUAL = "\n".join(topics.values())
SEPARATOR = "<|endoftext|>"
CHARACTERS = [chr(point) for point in range(sys.maxunicode + 1) if not 0xD800 <= point < 0xE000]
# Blocks of 256 that hold a character, and one in 16 of all others: nobody knows these apart.
IN_USE = [
    one
    for start in range(0, len(CHARACTERS), 256)
    for block in [CHARACTERS[start : start + 256]]
    for one in block[:: 1 if any(unicodedata.category(one) not in ("Cn", "Co") for one in block) else 16]
]
NEIGHBOURS = ["", "a", "Z", " ", "1", "\n", "'", "é", "!"]


@cache
def trained(pattern: str, tie: str = "first") -> tokviz.Tokenizer:
    corpus = MANUAL[:20_000] + "".join(generate.EDGE_CASES.values())
    return tokviz.train(
        corpus, 256 + 400, pattern=pattern, special_tokens=["<|endoftext|>", "[é b]"], tie=tie
    ).tokenizer


any_tokenizer = st.one_of(
    st.sampled_from(list(REFERENCES)).map(tokviz.reference), st.sampled_from(PATTERNS).map(trained)
)
texts = st.one_of(wild_texts, small_texts, st.sampled_from(list(generate.EDGE_CASES.values())))


# The ids of the reference tokenizers are tiktoken's


def test_golden_encodings() -> None:
    for row in generate.read("encodings.jsonl"):
        text, tok = generate.EDGE_CASES[row["case"]], tokviz.reference(row["encoding"])
        encoding = tok.explain(text)
        assert encoding.ids.tolist() == row["ids"], row
        assert tok.decode_bytes(row["ids"]) == encoding.data == clean(text).encode()


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=max(150, settings().max_examples))
@given(text=wild_texts)
def test_ids_are_tiktokens_on_wild_text(name: str, text: str) -> None:
    assert tokviz.reference(name).encode_ordinary(text) == witness(name).encode(text, disallowed_special=())


@pytest.mark.parametrize(
    "characters", [IN_USE, pytest.param(CHARACTERS, marks=pytest.mark.long)], ids=["in use", "all"]
)
@pytest.mark.parametrize("name", REFERENCES)
def test_ids_are_tiktokens_on_every_code_point(name: str, characters: list[str]) -> None:
    """Each between two neighbours drawn for it, all in one text."""
    choose = random.Random(name)
    text = "".join(
        before + character + after
        for character, before, after in zip(
            characters,
            choose.choices(NEIGHBOURS, k=len(characters)),
            choose.choices(NEIGHBOURS, k=len(characters)),
            strict=True,
        )
    )
    assert_same_ids(name, text)


def assert_same_ids(name: str, text: str, allowed: frozenset[str] | set[str] = frozenset()) -> None:
    encoding = tokviz.reference(name).explain(text, allowed)
    theirs = witness(name).encode_to_numpy(text, allowed_special=allowed, disallowed_special=())
    if not np.array_equal(encoding.ids, theirs):
        same = min(len(theirs), len(encoding))
        apart = int(np.flatnonzero(np.append(encoding.ids[:same] != theirs[:same], True))[0])
        place = int(encoding.ends[apart]) if apart < len(encoding) else 0
        pytest.fail(f"the ids part near {encoding.data[max(place - 40, 0) : place + 40]!r}")


@pytest.mark.parametrize("name", REFERENCES)
def test_surrogates_count_as_tiktoken_counts_them(name: str) -> None:
    halves = ["\ud800", "\udbff", "\udc00", "\udfff", "\ud83d", "\udc4d", "a", " ", "\ufeff"]
    for text in map("".join, itertools.product(halves, repeat=3)):
        assert tokviz.reference(name).encode(text) == witness(name).encode(text)


@pytest.mark.parametrize("name", REFERENCES)
def test_runs_of_any_length(name: str) -> None:
    for run in (" ", "\n", "\t", "\r\n", "a", "0", "!", "é", "\u3000", " \n", "ab", "日"):
        for n in [*range(1, 12), 63, 64, 65, 127, 128, 129, 1_000]:
            for text in (run * n, f"x{run * n}", f"{run * n}x", f"{run * n}\n", f" {run * n} "):
                assert tokviz.reference(name).encode(text) == witness(name).encode(text), ascii(text[:9])


@pytest.mark.parametrize("name", REFERENCES)
def test_a_book_and_long_chunks(name: str) -> None:
    """Longer than what is remembered, and longer than where tiktoken changes its own way of merging."""
    assert_same_ids(name, MANUAL)
    choose = random.Random(5)
    for alphabet in ("abcdefghijklmnopqrstuvwxyz", "aeiounst", "日本語中文字", "!?#=-/*"):
        assert_same_ids(name, "".join(choose.choice(alphabet) for _ in range(20_000)))


@pytest.mark.parametrize("name", REFERENCES)
def test_special_tokens_are_tiktokens(name: str) -> None:
    tok, judge = tokviz.reference(name), witness(name)
    text = "a".join(["", *tok.special_tokens, *tok.special_tokens, ""])
    for n in range(len(tok.special_tokens) + 1):
        for allowed in map(set, itertools.combinations(tok.special_tokens, n)):
            theirs = judge.encode(text, allowed_special=allowed, disallowed_special=())
            assert tok.encode(text, allowed, ()) == theirs
    assert tok.encode(text, "all") == judge.encode(text, allowed_special="all")


# The ids of a trained tokenizer are those of the naive algorithm


@given(st.sampled_from(PATTERNS), wild_texts)
def test_trained_tokenizers_encode_as_the_naive_algorithm_does(pattern: str, text: str) -> None:
    tok, text = trained(pattern), clean(text)
    chunks = [data for _, data, _ in chunks_of((text,), pattern, ())]
    assert tok.encode_ordinary(text) == naive.encode(chunks, tok.merges)


@given(st.sampled_from(["gpt2", "cl100k", "o200k"]), st.sampled_from(TIES), wild_texts)
def test_trained_tokenizers_encode_as_tiktoken_does(pattern: str, tie: str, text: str) -> None:
    tok = trained(pattern, tie)
    judge = tiktoken_of(pattern, tie)
    assert tok.encode(text, "all") == judge.encode(text, allowed_special="all")


@cache
def tiktoken_of(pattern: str, tie: str) -> tiktoken.Encoding:
    tok = trained(pattern, tie)
    encoding = {pattern: encoding for encoding, pattern in REFERENCES.items()}[pattern]
    specials = tok.special_tokens
    return tiktoken.Encoding(
        "trained",
        pat_str=witness(encoding)._pat_str,
        mergeable_ranks={token: id for id, token in tok.vocab.items() if id not in specials.values()},
        special_tokens=specials,
    )


@given(any_tokenizer, st.lists(texts, max_size=5))
def test_what_was_encoded_before_changes_nothing(tok: tokviz.Tokenizer, several: list[str]) -> None:
    fresh = tok.renamed("fresh")
    assert [fresh.encode_ordinary(text) for text in several] == [tok.encode_ordinary(text) for text in several]
    joined = SEPARATOR.join(several)
    specials = {SEPARATOR: tok.special_tokens[SEPARATOR]}
    ids = tok.with_special_tokens(specials).encode(joined, "all") if joined else []
    pieces = [tok.with_special_tokens(specials).encode(text, "all") for text in several]
    separated = [id for piece in pieces for id in [*piece, specials[SEPARATOR]]][:-1]
    assert ids == separated


@given(any_tokenizer, texts)
def test_all_ways_of_encoding_agree(tok: tokviz.Tokenizer, text: str) -> None:
    ids = tok.encode(text, disallowed_special=())
    assert ids == tok.encode_ordinary(text)
    array = tok.encode_array(text)
    assert array.dtype == np.int32
    assert array.tolist() == ids
    assert tok.decode_bytes(ids) == clean(text).encode()
    assert tok.decode(ids) == clean(text)


# What is read off an encoding


@given(any_tokenizer, texts)
def test_tokens_tile_the_bytes(tok: tokviz.Tokenizer, text: str) -> None:
    encoding = tok.explain(text, "all")
    tokens = encoding.tokens()
    assert len(tokens) == len(encoding) == len(encoding.ids) == len(encoding.ends) == len(encoding.ranks)
    assert [token.start for token in tokens] == [0, *encoding.ends.tolist()][: len(tokens)]
    assert [token.end for token in tokens] == encoding.ends.tolist()
    assert b"".join(token.data for token in tokens) == encoding.data
    assert [token.id for token in tokens] == encoding.ids.tolist()
    pieces = chunks_of((clean(text),), tok.pattern, tuple(tok.special_tokens))
    chunks = [number for number, (_, data, _) in enumerate(pieces) for _ in data]
    for token in tokens:
        assert {token.chunk} == set(chunks[token.start : token.end])
        assert token.start < token.end
        assert token.data == encoding.data[token.start : token.end] == tok.vocab[token.id]
        assert token.special == (token.id in tok.special_tokens.values())
        assert token.text is None or token.text.encode() == token.data
        if token.rank is not None:
            assert tok.merge_ids[token.rank] == token.id
        else:
            assert token.special or len(token.data) == 1


@given(any_tokenizer, texts)
def test_seams_mean_what_they_say(tok: tokviz.Tokenizer, text: str) -> None:
    encoding = tok.explain(text, "all")
    seams = encoding.seams
    assert (len(seams), seams.dtype) == (len(encoding.data), np.int32)
    merged = seams[(seams >= 0) & (seams < OPEN)]
    assert (merged < len(tok.merge_ids)).all()
    starts = {token.start for token in encoding.tokens()}
    assert starts == {at for at, seam in enumerate(seams.tolist()) if seam in (OPEN, SPLIT)}
    chunk_starts = {at for at, _, _ in chunks_of((clean(text),), tok.pattern, tuple(tok.special_tokens))}
    assert {at for at, seam in enumerate(seams.tolist()) if seam == SPLIT} == chunk_starts
    inside = {at for token in encoding.tokens() if token.special for at in range(token.start + 1, token.end)}
    assert {at for at, seam in enumerate(seams.tolist()) if seam == WHOLE} == inside


@given(any_tokenizer, texts, st.data())
def test_a_step_equals_the_truncated_tokenizer(tok: tokviz.Tokenizer, text: str, data: st.DataObject) -> None:
    encoding = tok.explain(text, "all")
    used = sorted({rank for rank in encoding.ranks.tolist() if rank >= 0})
    near = st.sampled_from(used).flatmap(lambda rank: st.integers(rank, rank + 1)) if used else st.nothing()
    k = data.draw(st.one_of(near, st.integers(0, len(tok.merge_ids))))
    step, truncated = encoding.at(k), tok.truncated(256 + k).explain(text, "all")
    assert step == truncated
    assert step.seams.tolist() == truncated.seams.tolist()
    assert step.ids.tolist() == truncated.ids.tolist()
    assert step.whole == truncated.whole
    assert encoding.tokens_at[k] == len(step) and encoding.at(10**6) == encoding
    assert step.at(k + 1) == step
    assert len(encoding.tokens_at) == len(tok.merge_ids) + 1


def test_a_step_of_a_reference_is_tiktoken_with_fewer_tokens() -> None:
    """No truncated tokenizer of ours takes part in this."""
    name, k = "cl100k_base", 10_000
    multi = [(token, id) for token, id in sorted(ranks(name).items(), key=lambda item: item[1]) if len(token) > 1]
    single = {token: id for token, id in ranks(name).items() if len(token) == 1}
    judge = tiktoken.Encoding(
        "fewer", pat_str=witness(name)._pat_str, mergeable_ranks=single | dict(multi[:k]), special_tokens={}
    )
    text = MANUAL[:5_000] + "".join(map(clean, generate.EDGE_CASES.values()))
    assert tokviz.reference(name).explain(text).at(k).ids.tolist() == judge.encode_ordinary(text)


@given(any_tokenizer, texts, st.integers(0, 300_000))
def test_trees_are_made_of_the_merges(tok: tokviz.Tokenizer, text: str, k: int) -> None:
    encoding = tok.explain(text, "all").at(k)
    for i, token in enumerate(encoding.tokens()):
        tree = encoding.tree(i)
        assert (tree.start, tree.end, tree.id, tree.rank) == (token.start, token.end, token.id, token.rank)
        leaves = []
        for node in tree.walk():
            assert tok.vocab[node.id] == encoding.data[node.start : node.end]
            if node.parts:
                left, right = node.parts
                assert (left.start, left.end, right.end) == (node.start, right.start, node.end)
                assert tok.merges[node.rank] == (left.id, right.id)
                assert tok.merge_ids[node.rank] == node.id
                assert all(part.rank is None or part.rank < node.rank for part in node.parts)
            else:
                assert node.rank is None
                leaves.append((node.start, node.end))
        if token.special:
            assert leaves == [(token.start, token.end)]
        else:
            assert leaves == [(at, at + 1) for at in range(token.start, token.end)]


@given(any_tokenizer, texts, st.integers(-3, 80), st.integers(-3, 80))
def test_parts_keep_their_seams(tok: tokviz.Tokenizer, text: str, start: int, length: int) -> None:
    encoding = tok.explain(text, "all")
    part = encoding.part(start, length)
    size, end = len(encoding.data), part.start + len(part.data)
    assert part.data == encoding.data[part.start : end]
    part.data.decode()
    assert part.start <= min(max(start, 0), size)
    assert end >= min(max(start, 0) + max(length, 0), size)
    assert part.seams[1:].tolist() == encoding.seams[part.start + 1 : end].tolist()
    inside = [token for token in encoding.tokens() if part.start <= token.start < end]
    assert part.ids.tolist() == [token.id for token in inside]
    assert sum(len(token.data) for token in inside) == len(part.data)
    assert [token.special for token in part.tokens()] == [token.special for token in inside]
    if part.data:
        assert part.seams[0] == SPLIT
        assert part.cut == (encoding.seams[part.start] == OPEN)
    # no wider than it must be: no boundary that would do lies nearer
    boundaries = [t.start for t in encoding.tokens() if encoding.data[t.start] & 0xC0 != 0x80] + [size]
    assert part.start == max(at for at in boundaries if at <= min(max(start, 0), size))
    assert end == min(at for at in boundaries if at >= min(max(start, 0) + max(length, 0), size))
    nested = part.part(2, 3)
    assert nested.data == encoding.data[nested.start : nested.start + len(nested.data)]


def test_ids_that_no_merge_made_come_from_whole() -> None:
    seams = np.array([SPLIT, WHOLE, SPLIT, SPLIT, OPEN, 0], np.int32)
    encoding = Encoding(b"abcdef", seams, merge_ids=np.array([900], np.int32), whole={0: 500, 2: None})
    assert encoding.ids.tolist() == [500, -1, 100, 900]
    special = replace(encoding, special_ids=frozenset({500}))
    assert [token.special for token in special.tokens()] == [True, False, False, False]
    assert [(t.id, t.data, t.rank, t.chunk, t.special) for t in encoding.tokens()] == [
        (500, b"ab", None, 0, False),
        (None, b"c", None, 1, False),
        (100, b"d", None, 2, False),
        (900, b"ef", 0, 2, False),
    ]
    assert (encoding.tree(0).id, encoding.tree(0).parts) == (500, ())
    assert encoding.tree(1).id is None
    assert encoding.at(0).ids.tolist() == [500, -1, 100, 101, 102]
    assert len(encoding) == 3 and encoding.tokens_at.tolist() == [4, 3]


def test_half_a_character_is_not_text() -> None:
    tokens = tokviz.Tokenizer("bytes", []).explain("é").tokens()
    assert [(token.data, token.text) for token in tokens] == [(b"\xc3", None), (b"\xa9", None)]

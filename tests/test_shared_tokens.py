"""The tokens that two vocabularies share, against plain sets of the same tokens."""

from __future__ import annotations

import base64
import gzip

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.pages import ROOT
from tests.peers_cases import peer
from tests.strategies import hostile_tokenizers, small_texts
from tokviz import Tokenizer
from tokviz.comparison.shared_tokens import SharedTokens, finding, shared_tokens
from tokviz.tokenizer.peers import AnyTokenizer

trained = st.builds(
    lambda text, merges, pattern: tokviz.train(text, 256 + merges, pattern=pattern).tokenizer,
    small_texts,
    st.integers(0, 14),
    st.sampled_from(["none", "gpt2"]),
)
tokenizers = st.one_of(trained, hostile_tokenizers())


def single(tok: AnyTokenizer) -> set[bytes]:
    return {token for id, token in tok.vocab.items() if id not in tok.special_ids and token}


def agrees(a: AnyTokenizer, b: AnyTokenizer) -> None:
    two, of_a, of_b = shared_tokens(a, b), single(a), single(b)
    both = (a, two.in_a, of_a & of_b), (b, two.in_b, of_a & of_b)
    for tok, ids, tokens in (*both, (a, two.only_a, of_a - of_b), (b, two.only_b, of_b - of_a)):
        assert len(ids) == len(tokens) and {tok.vocab[id] for id in ids.tolist()} == tokens
        assert (np.diff(ids) > 0).all() and not tok.special_ids & {*ids.tolist()}
        lowest = {tok.vocab[id]: id for id in sorted(tok.vocab.keys() - tok.special_ids, reverse=True)}
        assert ids.tolist() == [lowest[tok.vocab[id]] for id in ids.tolist()]
    assert two.longest == max(map(len, of_a & of_b), default=0)


@given(tokenizers, tokenizers)
def test_shared_tokens_are_what_sets_say(a: Tokenizer, b: Tokenizer) -> None:
    agrees(a, b)


def test_look_ups_and_peers_are_compared_by_their_bytes() -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"xyz": 257, b"abc": 258}
    whole = Tokenizer.from_ranks("whole", ids, pattern="none", special_tokens={"<s>": 2**31 - 1})  # no table by id
    agrees(whole.truncated(257), whole)
    two = shared_tokens(whole.truncated(257), whole)
    assert two.only_b.tolist() == [258]  # the look-up is in both, though the shorter one has no merge for it
    agrees(peer("WordPiece"), whole)


def tokens_in_file(name: str) -> set[bytes]:
    """The tokens in tiktoken's own file."""
    lines = gzip.decompress((ROOT / "models" / f"{name}.tiktoken.gz").read_bytes()).split(b"\n")
    return {base64.b64decode(line.split()[0]) for line in lines if line}


def test_shared_tokens_of_references_are_those_of_tiktokens_tables() -> None:
    of_a, of_b = map(tokens_in_file, ("cl100k_base", "o200k_base"))
    a, b = tokviz.reference("cl100k_base"), tokviz.reference("o200k_base")
    two = shared_tokens(a, b)
    numbers = len(of_a & of_b), len(of_a - of_b), len(of_b - of_a)
    assert (len(two.in_a), len(two.only_a), len(two.only_b)) == numbers == (85_033, 15_223, 114_965)
    assert {a.vocab[id] for id in two.only_a.tolist()} == of_a - of_b
    assert {b.vocab[id] for id in two.only_b.tolist()} == of_b - of_a
    assert finding(two, "cl100k_base", "o200k_base").replace("\u00a0", " ") == (
        "84.8 % of cl100k_base is also in o200k_base, and 42.5 % of o200k_base is in cl100k_base"
    )


def test_findings_of_small_and_equal_vocabularies() -> None:
    none, one = Tokenizer("none", []), Tokenizer("one", [(97, 98)])
    two, other = Tokenizer("two", [(97, 98), (98, 99)]), Tokenizer("other", [(98, 99), (97, 98)])
    cases = [
        (none, none, "none and none have the same 256 tokens"),
        (one, one, "one and one have the same 257 tokens"),
        (two, other, "two and other have the same 258 tokens"),
        (none, one, "All of none is also in one, and 99.6 % of one is in none"),
        (one, Tokenizer("x", [(99, 99)]), "one and x share 256 single bytes, and no longer token"),
        (two, one, "99.6 % of two is also in one, and all of one is in two"),
        (two, Tokenizer("y", [(97, 98), (99, 99)]), "99.6 % of two is also in y, and 99.6 % of y is in two"),
    ]
    for a, b, said in cases:
        assert finding(shared_tokens(a, b), a.name, b.name).replace("\u00a0", " ") == said
    none_at_all = SharedTokens(*[np.empty(0, np.int64)] * 4, longest=0)
    assert finding(none_at_all, "a", "b") == "a and b have no token in common"

"""The same tokenizer or not: the reference tokenizers, against themselves, each other, and copies with one change."""

from __future__ import annotations

import pytest
import tiktoken

import tokviz
from tests import oracles
from tests.test_same import GPT2, rebuilt
from tokviz import Tokenizer, same


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", pytest.param("o200k_base", marks=pytest.mark.long)])
def test_references_are_certified_against_themselves(name: str) -> None:
    tok = tokviz.reference(name)
    assert same(tok, tok.renamed("copy")).equal
    ids = {token: id for id, token in tok.vocab.items() if token.decode("utf-8", "ignore") not in tok.special_tokens}
    again = Tokenizer.from_ranks("again", ids, pattern=tok.pattern, special_tokens=tok.special_tokens)
    assert same(tok, again).equal


def test_gpt2_from_pairs_is_certified_and_one_dropped_merge_is_found() -> None:
    gpt2 = tokviz.reference("gpt2")
    assert same(gpt2, rebuilt(gpt2, False)).equal
    place = gpt2.rank_of(b" loser")
    assert place is not None
    merges, ids = list(gpt2.merges), gpt2.merge_ids.tolist()
    del merges[place], ids[place]
    found = same(gpt2, rebuilt(gpt2, False, merges=merges, merge_ids=ids)).difference
    assert found is not None
    assert (found.kind, found.text) == ("merge", " loser")
    ranks = {token: id for id, token in gpt2.vocab.items() if id not in gpt2.special_tokens.values()}
    del ranks[b" loser"]
    without = tiktoken.Encoding("without", pat_str=GPT2, mergeable_ranks=ranks, special_tokens={})
    assert found.ids == (tuple(oracles.witness("gpt2").encode(" loser")), tuple(without.encode(" loser")))

"""A token's relations are the merges read from both ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import settings_of_training
from tokviz import Tokenizer
from tokviz.vocabulary.family import NAMED, Family, Relations, relations


def naive_relations(tokenizer: Tokenizer, id: int, merges: int) -> Relations:
    made = {int(new): pair for new, pair in zip(tokenizer.merge_ids[:merges], tokenizer.merges[:merges], strict=True)}
    wholes = [new for new, pair in made.items() if id in pair]
    return Relations(made.get(id), tuple(wholes[:NAMED]), len(wholes))


@given(setting=settings_of_training(), data=st.data())
def test_relations_are_the_merges_read_from_both_ends(setting, data) -> None:
    tokenizer = setting.train().tokenizer
    merges = data.draw(st.integers(0, len(tokenizer.merges)))
    family = Family(tokenizer)
    for id in [*range(97, 104), 256, 257, 260, 270, 10_000, -1]:
        assert relations(family, id) == naive_relations(tokenizer, id, len(tokenizer.merges))
        assert relations(family, id, merges) == naive_relations(tokenizer, id, merges)


def test_relations_of_a_reference() -> None:
    gpt2 = tokviz.reference("gpt2")
    the = gpt2.encode(" the")[0]
    family = Family(gpt2)
    found = relations(family, the)
    assert [gpt2.vocab[part] for part in found.made_of or ()] == [b" t", b"he"]
    assert found == naive_relations(gpt2, the, len(gpt2.merges))
    assert [gpt2.vocab[whole] for whole in found.part_of[:2]] == [b" they", b" their"]
    assert relations(family, gpt2.special_tokens["<|endoftext|>"]) == Relations(None, (), 0)


def test_a_token_that_no_pair_makes_is_made_of_nothing() -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"xyz": 257}
    tok = Tokenizer.from_ranks("gap", ids, pattern="none", special_tokens={})
    family = Family(tok)
    assert relations(family, 257) == Relations(None, (), 0)
    assert relations(family, 256) == Relations((97, 98), (), 0)
    assert relations(family, -1) == Relations(None, (), 0)

"""BPE-dropout and other ways to encode, against the ordinary encoding and the package `tokenizers`."""

from __future__ import annotations

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.base.errors import InputError, SettingError, UnknownNameError
from tokviz.catalog.samples import sample
from tokviz.formats import dump
from tokviz.teach.dropout import LIMIT, encode_with_dropout
from tokviz.teach.other_encoders import ENCODERS, encode_with, random_texts
from tokviz.tokenizer.encoding import OPEN

STORY = tokviz.train(sample("story").text, vocab_size=600).tokenizer
SMALL = tokviz.train("aaabdaaabac abab dada", vocab_size=270, pattern="none").tokenizer
TEXTS = st.text(st.sampled_from("abcd theriv.\n é👍"), max_size=40)


def from_package(text: str, p: float) -> list[int]:
    """What `tokenizers` gives with this probability, in our ids."""
    tok = tokenizers.Tokenizer.from_str(dump(STORY, "hf")["tokenizer.json"].decode())
    tok.model.dropout = p
    return [int(id) for id in tok.encode(text).ids]


@given(TEXTS, st.integers(0, 2**31))
def test_without_dropout_it_is_the_ordinary_encoding_and_with_all_left_out_it_is_bytes(text: str, seed: int) -> None:
    for tok in (STORY, SMALL):
        assert encode_with_dropout(tok, text, 0, seed) == tok.explain(text)
        assert len(encode_with_dropout(tok, text, 1, seed)) == len(text.encode())


@given(TEXTS, st.floats(0, 1), st.integers(0, 2**31))
def test_a_draw_decodes_to_the_text_and_each_of_its_tokens_is_made_by_its_merges(
    text: str, p: float, seed: int
) -> None:
    for tok in (STORY, SMALL):
        drawn = encode_with_dropout(tok, text, p, seed)
        assert tok.decode(drawn.ids.tolist()) == text
        assert drawn == encode_with_dropout(tok, text, p, seed)
        assert ((drawn.seams >= OPEN) >= (tok.explain(text).seams > OPEN)).all()  # chunks stay apart
        for i in range(len(drawn)):
            for node in drawn.tree(i).walk():
                if node.parts:
                    left, right = (tok.vocab[part.id] for part in node.parts if part.id is not None)
                    assert tok.rank_of_pair(left, right) == node.rank


def test_the_extremes_are_those_of_the_package_tokenizers() -> None:
    for text in ("the river and the wood", "Every bead has a hollow.", "naïve 👍"):
        for p in (0, 1):
            assert encode_with_dropout(STORY, text, p, 1).ids.tolist() == from_package(text, float(p))


def test_what_makes_no_sense_is_refused() -> None:
    for p in (-0.1, 1.1, "0.5", None, float("nan")):
        with pytest.raises(SettingError, match="from 0 to 1"):
            encode_with_dropout(SMALL, "a", p, 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="20,000 bytes"):
        encode_with_dropout(SMALL, "a" * (LIMIT + 1), 0.5, 1)
    with pytest.raises(UnknownNameError, match="rank, learned"):
        encode_with("magic", SMALL, "a")
    with pytest.raises(InputError, match="5,000 bytes"):
        encode_with("rank", SMALL, "a" * 5_001)


@given(TEXTS)
def test_one_pass_in_learned_order_gives_what_ranks_give(text: str) -> None:
    for tok in (STORY, SMALL):
        ids = tok.encode_ordinary(text)
        assert encode_with("rank", tok, text).ids.tolist() == ids
        assert encode_with("learned", tok, text).ids.tolist() == ids
        assert encode_with("lookup", tok, text).ids.tolist() == ids
        for name in ENCODERS:
            assert tok.decode(encode_with(name, tok, text).ids.tolist()) == text


def test_the_other_orders_do_differ() -> None:
    texts = [*random_texts(SMALL, 80, seed=1)]
    differing = {
        name: sum(encode_with(name, SMALL, text) != encode_with("rank", SMALL, text) for text in texts)
        for name in ENCODERS
    }
    drawn = {tuple(encode_with_dropout(STORY, "the river and the wood", 0.3, seed).ids.tolist()) for seed in range(50)}
    assert len(drawn) > 20
    assert differing["rank"] == differing["learned"] == 0
    assert all(differing[name] > 3 for name in ("reversed", "longest", "left"))

"""Vocabularies that lack bytes: what no token has becomes the unknown token or nothing, as in `tokenizers`."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Theirs
from tokenizers import models, pre_tokenizers, trainers

from tests.formats_cases import hard_texts, in_gguf, theirs
from tokviz import Tokenizer, compare, same
from tokviz.base.errors import FormatError
from tokviz.catalog.samples import sample
from tokviz.comparison.export import prove
from tokviz.formats import dump, load
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.tokenizer.live_text import LiveText
from tokviz.vocabulary.table import token_table

LINES = [*sample("story").text.splitlines(), *sample("mixed").text.splitlines()]
WORDS = [*"abc XYZ,.\x03\u00e9\u8a9e\U0001f389\u0416\n", "\u00a9\x03\u00a9", " the", "the\x03the", "[UNK]", "12"]


def trained(choose: random.Random, unknown: str | None) -> dict[str, bytes]:
    """As many people make one: byte-level, without an alphabet that is given."""
    made = Theirs(models.BPE(unk_token=unknown, fuse_unk=choose.random() < 0.5))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["[UNK]"] if unknown else []
    trainer = trainers.BpeTrainer(vocab_size=choose.randint(80, 300), special_tokens=special, show_progress=False)
    made.train_from_iterator(choose.sample(LINES, min(len(LINES), choose.randint(1, 9))), trainer)
    return {"tokenizer.json": made.to_str().encode()}


def assert_as_theirs(choose: random.Random, n_texts: int) -> None:
    files = trained(choose, choose.choice([None, "[UNK]"]))
    tok, judge = load(files), theirs(files)
    again, written = load(dump(tok, "tokviz")), load(dump(tok, "hf"))
    assert same(tok, again).equal and same(tok, written).equal
    for _ in range(n_texts):
        text = "".join(choose.choices(WORDS, k=choose.randint(0, 9)))
        judge.encode_special_tokens = True
        ids = judge.encode(text).ids
        found = tok.explain(text)
        assert tok.encode_ordinary(text) == ids == [id for id in found.ids.tolist() if id >= 0], (text, files)
        assert found.data.decode() == text and len(found) == len(ids)
        assert again.explain(text) == found and written.encode_ordinary(text) == ids
        judge.encode_special_tokens = False
        assert tok.encode(text, "all") == judge.encode(text).ids, (text, files)


@pytest.mark.longer
@given(st.integers(0, 10**9))
def test_files_without_an_alphabet_give_the_ids_of_tokenizers(seed: int) -> None:
    assert_as_theirs(random.Random(seed), 6)


def fields_of(**model: Any) -> dict[str, bytes]:
    fields = json.loads(dump(Tokenizer("x", [(104, 117), (256, 103)], pattern="none"), "hf")["tokenizer.json"])
    fields["model"] |= model
    return {"tokenizer.json": json.dumps(fields).encode()}


VOCAB: dict[str, int] = json.loads(fields_of()["tokenizer.json"])["model"]["vocab"]


def without(*signs: str, **model: Any) -> Tokenizer:
    return load(fields_of(vocab={token: id for token, id in VOCAB.items() if token not in signs}, **model))


def test_what_no_token_has_is_a_whole_span() -> None:
    tok = without("!")
    found = tok.explain("h!ug!!")
    assert found.whole == {0: 257, 4: None} and found.seams.tolist() == [SPLIT, WHOLE, WHOLE, WHOLE, OPEN, WHOLE]
    assert [(token.id, token.data) for token in found.tokens()] == [(257, b"h!ug"), (None, b"!!")]
    assert tok.encode("h!ug!!") == [257] and tok.explain("!").ids.tolist() == [-1]


def test_the_export_of_a_vocabulary_that_lacks_bytes_is_proven() -> None:
    tok = without("!", unk_token="A", fuse_unk=True)
    assert prove(tok, "hf", dump(tok, "hf"), ["h!ug!!", "!", "hug"]).equal


def test_what_becomes_of_unknown_ones_makes_tokenizers_differ() -> None:
    found = same(without("!", unk_token="A"), without("!", unk_token="A", fuse_unk=True)).difference
    assert found is not None and found.text == "!!" and found.ids == ((65, 65), (65,))


def test_pages_and_lists_know_only_tokens_that_are_there() -> None:
    tok = without("!", "a")
    table, text = token_table(tok), "hug! aah!"
    assert [*table.ids] == sorted(tok.vocab) and table.counted_at[table.ids == 104].tolist() == [104]
    assert {*ordinary_ids(tok)} == {*tok.vocab}
    live = LiveText([tok])
    assert live.patch(0, 0, text)[0].seams.tolist() == tok.explain(text).seams.tolist()
    assert [*compare(text, [tok, Tokenizer("b", [], pattern="none")]).differences(0, 9)]
    assert tok.explain_each([b"a!", b"hug"]).ids.tolist() == [-1, 257]


def test_bytes_that_no_text_has_may_lack() -> None:
    signs = [sign for sign, id in VOCAB.items() if id in (0xC0, 0xC1, *range(0xF5, 0x100))]
    tok, whole = without(*signs), load(fields_of())
    for text in hard_texts(200):
        assert tok.explain(text).seams.tolist() == whole.explain(text).seams.tolist()
    assert tok.vocab.keys() == {*whole.vocab} - {0xC0, 0xC1, *range(0xF5, 0x100)}
    assert prove(tok, "hf", dump(tok, "hf"), hard_texts(100)).equal
    with pytest.raises(FormatError, match="has bytes that no token has"):
        dump(tok, "tiktoken")


def test_llama_cpp_merges_nothing_over_what_it_lacks() -> None:
    tokens = [*(sign for sign in VOCAB if sign != "!")]
    merges = ["h u", "hu g"]
    tok = load(in_gguf(Tokenizer("x", []), token_list=tokens, token_types=[1] * len(tokens), token_merges=merges))
    assert [tokens[id] for id in tok.encode("h!ug")] == ["h", "u", "g"]
    with pytest.raises(FormatError, match="merges what is around a byte"):
        dump(tok, "hf")


def test_an_added_token_that_is_written_as_a_byte_of_no_text_takes_its_place() -> None:
    """As in DeepSeek's first files."""
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    files = fields_of()
    fields = json.loads(files["tokenizer.json"]) | {"added_tokens": [{"id": VOCAB["õ"], "content": "õ", **added}]}
    tok = load({"tokenizer.json": json.dumps(fields).encode()})
    assert tok.encode("hugõ") == [257, VOCAB["õ"]] and tok.alphabet[0xF5] == -1


def test_tokens_that_no_merge_makes_are_never_made() -> None:
    said: list[str] = []
    tok = load(fields_of(vocab=VOCAB | {"xyz": 300, "\u203c": 301}))
    assert dict(tok.spare) == {300: b"xyz", 301: "\u203c".encode()}
    assert tok.encode("xyz\u203c") == [*"xyz\u203c".encode()] and tok.decode([301]) == "\u203c" and not said

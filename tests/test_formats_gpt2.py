"""GPT-2's two files and those of plain JSON: the originals byte for byte, layouts, and damage that is named."""

from __future__ import annotations

import hashlib
import json

import pytest

import tokviz
from tests.formats_cases import HUG, hard_texts
from tests.oracles import witness
from tests.test_contract import definition
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.formats import dump, load

# GPT-2's files


def test_gpt2s_own_files_are_written_byte_for_byte() -> None:
    files = dump(tokviz.reference("gpt2"), "gpt2")
    hashes = definition("gpt2")["hashes"]
    assert hashlib.sha256(files["encoder.json"]).hexdigest() == hashes["ids"]
    assert hashlib.sha256(files["vocab.bpe"]).hexdigest() == hashes["merges"]


def test_gpt2s_own_files_need_nothing_beside_them() -> None:
    files = dump(tokviz.reference("gpt2"), "gpt2")
    renamed = {"vocab.json": files["encoder.json"], "merges.txt": files["vocab.bpe"].replace(b"#version: 0.2\n", b"")}
    for these in (files, renamed):
        loaded = load(these)
        assert (loaded.pattern, dict(loaded.special_tokens)) == ("gpt2", {"<|endoftext|>": 50256})
        for text in hard_texts(200):
            assert loaded.encode(text, "all") == witness("gpt2").encode(text, allowed_special="all"), text


def test_a_special_token_that_is_written_like_another_token_is_refused() -> None:
    for text in ("a", "Ġ", "Ġa"):
        with pytest.raises(FormatError, match=f"special token '{text}' is written like the ordinary token"):
            dump(Tokenizer("x", [(32, 97)], special_tokens={text: 300}), "gpt2")


ENCODER, MERGES = dump(HUG, "gpt2").values()


@pytest.mark.parametrize(
    ("encoder", "merges", "says"),
    [
        (ENCODER.replace(b'"hug": 257', b'"hug": 256'), MERGES, "gives the id 256 to two tokens, 'ug' and 'hug'"),
        (ENCODER.replace(b'"hug": 257', b'"hug": 257.0'), MERGES, "token 'hug' has no id"),
        (ENCODER.replace(b'"hug"', b'"ug"'), MERGES, "'ug' is in it twice"),
        (ENCODER.replace(b'"a": 97, ', b""), MERGES, "no token for the byte 61"),
        (ENCODER[:-1], MERGES, "damaged.*line 1, column"),
        (ENCODER, MERGES + b"u g", "makes 'ug' twice, by the merges number 2 and 4"),
        (ENCODER, MERGES + b"x y\n", r"merges 'x' and 'y' \(number 4\), but 'xy' is no token"),
        (ENCODER, MERGES + b"u  g\n", "no pair of tokens at line 4"),
        (ENCODER, MERGES.replace(b"u g\nh ug", b"h ug\nu g"), "^vocab.bpe .* only a later merge, number 3"),
        (ENCODER, MERGES.replace(b"\nh ug", b""), "no merge makes: 'hug'"),
        (ENCODER, MERGES + b"\xff", "is no text: byte"),
    ],
)
def test_damage_to_gpt2s_files_is_named(encoder: bytes, merges: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        load({"encoder.json": encoder, "vocab.bpe": merges}, pattern="gpt2", special_tokens=["<|a|>", "<|b|>"])


# Plain JSON


def test_plain_json_has_the_layout_of_the_notebook() -> None:
    vocab, merges = map(json.loads, dump(HUG, "vocab-merges").values())
    tokens = {int(id): token for id, token in vocab.items()}  # as the notebook reads them
    learned = {tuple(merge["pair"]): merge["new_id"] for merge in merges}
    assert (tokens[257], tokens[32], tokens[300]) == ("hug", "Ġ", "<|a|>")
    assert learned == {(117, 103): 256, (104, 256): 257}


def test_a_vocabulary_of_characters_is_refused() -> None:
    characters = {id: chr(id) for id in range(256)} | {256: "Ġ", 257: "Ġt"}
    files = {"vocab.json": json.dumps(characters), "merges.json": json.dumps([{"pair": [256, 116], "new_id": 257}])}
    with pytest.raises(FormatError, match=r"vocab\.json is a vocabulary of characters, not of bytes"):
        load({name: text.encode() for name, text in files.items()}, pattern="gpt2")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pair": [117], "new_id": 258}, "no merge at number 3"),
        ({"pair": [117, 103], "new_id": 258}, "needs the id 258 at merge 3"),
        ({"pair": [117, 103], "new_id": 257}, "makes 'hug' of 'u' and 'g' at merge 3"),
        ({"pair": [117, 103], "new_id": 256}, "makes 'ug' twice, by the merges number 1 and 3"),
    ],
)
def test_damage_to_plain_merges_is_named(change: dict, says: str) -> None:
    files = dump(HUG, "vocab-merges")
    files["merges.json"] = json.dumps([*json.loads(files["merges.json"]), change]).encode()
    with pytest.raises(FormatError, match=says):
        load(files, pattern="gpt2", special_tokens="all")

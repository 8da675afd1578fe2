"""Reference tokenizers: read from the bundled files alone, checked, and their merges recovered exactly."""

from __future__ import annotations

import gzip
import shutil
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics

import pytest
import tiktoken

import tokviz
from tests.oracles import witness
from tests.test_contract import INDEX, one_name_an_id
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.once import Once
from tokviz.base.wording import vocabulary_size
from tokviz.catalog import references
from tokviz.catalog.packages import plain_name
from tokviz.formats.bundled import packaged
from tokviz.tokenizer.peers import size_in_words

MANUAL = "\n".join(topics.values())[:100_000]


def test_the_references_there_are() -> None:
    assert list(tokviz.references()) == list(INDEX)
    assert {"gpt2", "cl100k_base", "o200k_base"} <= set(INDEX)
    for name, entry in tokviz.references().items():
        assert entry.name == name
        assert all([entry.title, entry.source, entry.used_by])


@pytest.mark.parametrize("name", INDEX)
def test_figures_are_tiktokens(name: str) -> None:
    tok, judge = tokviz.reference(name), witness(name)
    assert tok.name == name
    row = tokviz.references()[name]
    assert tok.n_vocab == judge.n_vocab == row.n_vocab
    assert size_in_words(tok) == vocabulary_size(*row.size)
    special_tokens = one_name_an_id(judge._special_tokens)
    assert tok.special_tokens == special_tokens
    assert tok.vocab == {judge.encode_single_token(token): token for token in judge.token_byte_values()} | {
        id: token.encode() for token, id in special_tokens.items()
    }
    assert tokviz.reference(name) is tok
    assert (tok.history, tok.made_from) == (None, None)


def test_an_unknown_name_is_told_what_was_meant_and_which_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'gpt5'\. Did you mean gpt-5\? .*gpt2.*cl100k_base.*o200k_base"):
        tokviz.reference("gpt5")
    with pytest.raises(UnknownNameError, match=r"tokenizer of Llama 3; the package llama-models has it\."):
        tokviz.reference("Llama 3")
    for name in ("Qwen 3", "gemma", "SmolLM2", "Pythia", "phi-4", "DeepSeek R1"):
        with pytest.raises(UnknownNameError, match=r"No package has .*Download tokenizer\.json .*drop it on Library"):
            references.named(name)
        with pytest.raises(FormatError, match=r"pass it to tokviz\.reference"):
            tokviz.load(name)


@pytest.mark.right
def test_a_model_gives_the_tokenizer_that_it_uses() -> None:
    for name, theirs in tiktoken.model.MODEL_TO_ENCODING.items():
        if theirs in INDEX:
            assert tokviz.reference(name) is tokviz.reference(theirs) is references.named(name.upper())


def test_no_name_is_that_of_two_tokenizers() -> None:
    of_packages = [name for row in packaged().values() for name in (row.key, *row.models)]
    of_tiktoken = {*INDEX, *tiktoken.model.MODEL_TO_ENCODING}
    assert len(of_packages) == len({*of_packages} - of_tiktoken)
    assert all(plain_name(name) == name for name in references.names())


def test_the_special_tokens_of_harmony_are_read_as_tiktoken_reads_them() -> None:
    tok, base = tokviz.reference("o200k_harmony"), tokviz.reference("o200k_base")
    text = "<|start|>user<|message|>Hi<|end|><|reserved_200500|><|endofprompt|>"
    assert tok.encode(text, allowed_special="all") == witness("o200k_harmony").encode(text, allowed_special="all")
    assert tok.encode_ordinary(text) == base.encode_ordinary(text)


# Recovered merges

FILES = [*{row["file"]: name for name, row in INDEX.items()}.values()]  # one name for each vocabulary


@cache
def rebuilt(name: str) -> Tokenizer:
    """The same tokenizer from its recovered pairs, which merge pair by pair and not by bytes."""
    tok = tokviz.reference(name)
    return Tokenizer("rebuilt", tok.merges, pattern=tok.pattern, alphabet=tok.alphabet, merge_ids=tok.merge_ids)


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 10])
@pytest.mark.parametrize("name", FILES)
def test_every_token_is_what_the_merges_make_of_its_bytes(name: str, step: int) -> None:
    tok = rebuilt(name)
    for token in [*tok.vocab.values()][::step]:
        assert tok.merged(token) == [token]


# No network, and files that are damaged


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> Once:
    """As in a fresh process: nothing has been read yet. What was read before is still there in the answer."""
    warm = references._references
    monkeypatch.setattr(references, "references", cache(references.references.__wrapped__))
    monkeypatch.setattr(references, "_references", Once(references._read))
    return warm


@pytest.fixture
def models(cold, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(references.MODELS / "index.toml", tmp_path)
    shutil.copy(references.MODELS / INDEX["gpt2"]["file"], tmp_path)
    monkeypatch.setattr(references, "MODELS", tmp_path)
    return tmp_path / INDEX["gpt2"]["file"]


def refused(says: str, folder: Path) -> None:
    with pytest.raises(FormatError, match=rf"^r50k_base\.tiktoken\.gz .*{says}.*models/fetch\.py") as caught:
        references.reference("gpt2")
    assert str(folder) not in str(caught.value)


def test_a_missing_file_says_how_to_bring_it_back(models: Path) -> None:
    models.unlink()
    refused("cannot be read: No such file", models.parent)


def test_a_file_that_ends_too_soon(models: Path) -> None:
    data = models.read_bytes()
    for size in (0, 1, 9, 100, len(data) // 2, len(data) - 1):
        models.write_bytes(data[:size])
        refused("", models.parent)


def test_a_file_with_a_wrong_byte(models: Path) -> None:
    data = models.read_bytes()
    for place in (0, 100, 5_000, len(data) // 2, len(data) - 6):
        models.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        refused("cannot be read", models.parent)


def test_another_vocabulary_than_the_pinned_one(models: Path) -> None:
    raw = gzip.decompress(models.read_bytes())
    models.write_bytes(gzip.compress(raw.replace(b"IQ== 0", b"IQ== 1", 1)))
    refused("sha256", models.parent)

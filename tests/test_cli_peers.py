"""The command line with tokenizers of others: their own packages encode, and what needs merges refuses them by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

from tests.command_line import call, good
from tests.peers_cases import word_piece

TEXT = "The cat sat on the mat, unbelievably.\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("words.json").write_bytes(word_piece())
    return "words.json"


def test_its_package_encodes(file: str) -> None:
    theirs = tokenizers.Tokenizer.from_file(file)
    theirs.no_truncation()
    theirs.no_padding()
    ids = theirs.encode(TEXT, add_special_tokens=False).ids
    assert len(ids) > 8
    assert json.loads(good("encode", "-t", file, "--json", stdin=TEXT))["ids"] == ids
    assert good("decode", "-t", file, stdin=" ".join(map(str, ids))) == theirs.decode(ids)
    (counted,) = json.loads(good("count", "-", "-t", file, "--json", stdin=TEXT))["files"]
    assert counted["tokens"] == {file: len(ids)}
    shown = good("show", "-t", file, stdin=TEXT)
    assert shown.replace("│", "").replace("↵", "") == TEXT
    said = good("compare", "-t", file, "-t", "gpt2", stdin=TEXT)
    assert "They disagree in" in said and "a token of WordPiece" in said


def test_what_needs_merges_refuses_it_by_name(file: str) -> None:
    for arguments, ends in (("same gpt2 words.json", 2), ("convert words.json --to hf -o out.json", 1)):
        result = call(*arguments.split())
        assert result.exit_code == ends and not Path("out.json").exists()
        said = "The merges of words are not known: words.json is a tokenizer of the type 'WordPiece'."
        assert said in result.stderr

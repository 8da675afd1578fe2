"""`tokviz encode --out`: which files are encoded, what their outputs are called, and what is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tokviz
from tests.command_line import call, good
from tokviz.bulk.manifest import NAME

GPT2 = tokviz.reference("gpt2")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders with a file of the same name, one that git ignores, and one that is not UTF-8."""
    monkeypatch.chdir(tmp_path)
    for name, data in {
        "a/x.txt": b"the cat",
        "b/x.txt": b"in the hat",
        "b/notes 日.md": "naïve\x1b[31m".encode(),
        "b/latin.txt": b"caf\xe9",
        "b/ignored.log": b"no",
        "b/.gitignore": b"*.log\n.gitignore\n",
        "c.txt": b"so it goes",
    }.items():
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "corpus"


def outputs(folder: Path) -> dict[str, list[int]]:
    return {path.relative_to(folder).as_posix(): np.load(path).tolist() for path in folder.rglob("*.npy")}


def test_an_output_has_the_name_of_its_file_or_its_path_inside_the_folder_that_was_named(corpus: Path) -> None:
    first = call("encode", "-t", "gpt2", "--out", "ids", "corpus", "corpus/c.txt", "corpus/a", "corpus/../corpus/c.txt")
    assert first.exit_code == 0 and first.stdout == ""
    assert "ids: 4 files encoded to" in first.stderr and "tokens and" in first.stderr and "MB a second" in first.stderr
    assert "Skipped 1 file:\n  corpus/b/latin.txt: is not UTF-8: byte 3" in first.stderr
    expected = {"a/x.txt": "the cat", "b/x.txt": "in the hat", "b/notes 日.md": "naïve\x1b[31m", "c.txt": "so it goes"}
    assert outputs(Path("ids")) == {f"{name}.npy": GPT2.encode(text) for name, text in expected.items()}
    again = call("encode", "-t", "gpt2", "--out", "ids", "corpus", "--threads", 1)
    assert again.exit_code == 0 and "ids: nothing is left to encode; 4 files finished before." in again.stderr
    alone = json.loads(good("encode", "-t", "gpt2", "--out", "corpus/ids", "corpus/c.txt", "corpus/a/x.txt", "--json"))
    assert [row["output"] for row in alone["encoded"]] == ["c.txt.npy", "x.txt.npy"]
    assert alone["tokens"] == sum(row["tokens"] for row in alone["encoded"]) and alone["bytes"] == 17
    # the folder of the outputs may be inside of one that is encoded
    inside = json.loads(good("encode", "-t", "gpt2", "--out", "corpus/ids", "corpus", "--json", "--repair"))
    assert {row["input"] for row in inside["encoded"]} == {
        f"corpus/{name}" for name in ("a/x.txt", "b/x.txt", "b/notes 日.md", "b/latin.txt")
    }
    assert [row["output"] for row in inside["finished"]] == ["c.txt.npy"]


def test_a_changed_file_is_said_and_replaced_only_when_asked_to(corpus: Path) -> None:
    good("encode", "-t", "gpt2", "--out", "ids", "corpus/c.txt")
    (corpus / "c.txt").write_text("so it went")
    refused = call("encode", "-t", "gpt2", "--out", "ids", "corpus/c.txt")
    assert refused.exit_code == 1
    assert refused.stderr == (
        "Error: corpus/c.txt is not the text that c.txt.npy was made of: it changed, or is another file. "
        "Choose another folder, or replace what is there. The option --force does the latter.\n"
    )
    good("encode", "-t", "gpt2", "--out", "ids", "corpus/c.txt", "--force")
    assert outputs(Path("ids")) == {"c.txt.npy": GPT2.encode("so it went")}
    other = call("encode", "-t", "cl100k_base", "--out", "ids", "corpus/a", "--force")
    assert other.exit_code == 1 and "which is not this 'cl100k_base'" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--out", "ids"], 1, "Standard input cannot be encoded to a folder"),
        (["--out", "ids", "-", "corpus"], 1, "Standard input cannot be encoded to a folder"),
        (["--out", "ids", "nowhere"], 1, "There is no file or folder nowhere."),
        (["--out", "corpus", "corpus/c.txt"], 1, "corpus/c.txt is in corpus, the folder for the outputs. Choose"),
        (["--out", "link", "corpus"], 1, "corpus is in link, the folder for the outputs. Choose"),
        (["--out", "corpus/c.txt", "corpus"], 1, "c.txt cannot be written: a file has the name of its folder"),
        (["--out", "ids", "corpus/a/x.txt", "corpus/b/x.txt"], 1, "would have one output, x.txt. Name a folder"),
        (["--out", "ids", "corpus", "--threads", "0"], 2, "Invalid value for '--threads'"),
        (["--out", "ids", "corpus", "--format", "csv"], 2, "Invalid value for '--format'"),
        (["corpus"], 1, "corpus is a folder. Name a file, or encode all files in the folder with --out DIR."),
        (["corpus/c.txt", "corpus/a/x.txt"], 2, "need"),
        (["corpus/c.txt", "--format", "parquet"], 2, "need"),
    ],
    ids=str,
)
def test_what_cannot_be_encoded_is_said_before_anything_is_written(
    corpus: Path, arguments: list[str], code: int, said: str
) -> None:
    Path("link").symlink_to("corpus")
    result = call("encode", "-t", "gpt2", *arguments)
    assert result.exit_code == code and said in result.stderr and result.stdout == ""
    assert not Path("ids", NAME).exists()


def test_a_file_that_cannot_be_read_is_1_and_ctrl_c_is_130(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    os.mkfifo("pipe")
    result = call("encode", "-t", "gpt2", "--out", "ids", "corpus/c.txt", "pipe")
    assert result.exit_code == 1 and "pipe: it is a device or a pipe" in result.stderr
    assert outputs(Path("ids")) == {"c.txt.npy": GPT2.encode("so it goes")}

    def interrupted(*_: object, **__: object) -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("tokviz.cli.bulk.encode_files", interrupted)
    result = call("encode", "-t", "gpt2", "--out", "ids", "corpus")
    assert (
        result.exit_code == 130 and "Run the same command again: it encodes only what is not finished." in result.stderr
    )

"""`tokviz train`: the model is that of the library, and no file is lost or half written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokviz
from tests.command_line import call, good
from tests.test_cli_count import write
from tokviz.base.errors import PatternError
from tokviz.catalog import saved
from tokviz.formats.tokviz import dump, loads
from tokviz.split import cutting
from tokviz.training.learning import ENDED

TEXTS = ("the cat in the hat sat on the mat. ", "the hat of the cat, and \x1b[31m नमस्ते\n")


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number}.txt" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_bytes(text.encode())
    return paths


@pytest.mark.parametrize(("tie", "pattern"), [("lowest", "none"), ("hf", r"\S+|\s+")])
def test_the_model_is_that_of_the_library(corpus: list[Path], tmp_path: Path, tie: str, pattern: str) -> None:
    out = tmp_path / "mine.json"
    good("train", *corpus, "-o", out, "--vocab-size", 275, "--tie", tie, "--pattern", pattern, "--threads", 3)
    same = tokviz.train(corpus, vocab_size=275, tie=tie, pattern=pattern, name="mine")
    assert out.read_bytes() == dump(same.tokenizer)
    assert tokviz.load(out).encode("the cat") == same.tokenizer.encode("the cat")
    assert loads(out.read_bytes()).history  # what the app reads when the file is uploaded


def test_a_pattern_of_ones_own_may_take_as_long_as_it_needs(
    corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "MOST_SECONDS", 0.0)
    slow = r"(?<!x)\w+|[\s\S]"  # which no automaton can cut
    with pytest.raises(PatternError, match="All matches together"):
        tokviz.train(corpus, vocab_size=260, pattern=slow)
    good("train", *corpus, "-o", tmp_path / "mine.json", "--vocab-size", 260, "--pattern", slow)
    good("count-chunks", *corpus, "-o", tmp_path / "0.npz", "--pattern", slow)


def test_a_model_in_the_folder_of_the_library_is_in_the_library(
    corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    good("train", *corpus, "-o", tmp_path / "mine.json", "--vocab-size", 260)
    assert saved.names() == ["mine"] and saved.open_saved("mine").vocab_size == 260
    assert good("encode", "-t", "mine", stdin="at") == "256\n"


def test_verbose_prints_each_merge(corpus: list[Path], tmp_path: Path) -> None:
    lines = good("train", *corpus, "-o", tmp_path / "mine.json", "--vocab-size", 300, "-v").splitlines()
    tok = tokviz.load(tmp_path / "mine.json")
    assert tok.history and len(lines) == 1 + len(tok.history) and lines[0].split()[:3] == ["merge", "count", "replaced"]
    for line, merge in zip(lines[1:], tok.history, strict=True):
        assert [*map(int, line.split()[:3])] == [merge.rank + 1, merge.count, merge.replaced]
        assert line.isprintable()
    assert lines[1].endswith("  a + t = at")


def test_json_says_what_came_of_it(corpus: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "mine.json"
    result = call("train", *corpus, "-o", out, "--vocab-size", 260, "--json", "--verbose")
    assert json.loads(result.stdout) == {
        "file": str(out),
        "vocab_size": 260,
        "merges": 4,
        "stopped": "size",
        "bytes": len("".join(TEXTS).encode()),
        "tokens": len(tokviz.load(out).encode(TEXTS[0])) + len(tokviz.load(out).encode(TEXTS[1])),
    }
    assert result.stderr.count("\n") == 5


def test_it_says_why_it_stopped(corpus: list[Path], tmp_path: Path) -> None:
    result = call("train", *corpus, "-o", tmp_path / "mine.json", "--min-count", 100)
    assert result.exit_code == 0 and ENDED["min_count"] in result.stderr and result.stdout == ""


def test_a_corpus_that_is_not_utf8_is_refused_or_repaired(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus.txt", tmp_path / "mine.json"
    corpus.write_bytes(b"caf\xe9 " * 20)
    refused = call("train", corpus, "-o", out, "--vocab-size", 260)
    assert refused.exit_code == 1 and "corpus.txt is not UTF-8: byte 3" in refused.stderr and not out.exists()
    repaired = call("train", corpus, "-o", out, "--vocab-size", 260, "--repair")
    assert repaired.exit_code == 0 and "20 faults became U+FFFD" in repaired.stderr
    assert tokviz.load(out).merges == tokviz.train("caf\ufffd " * 20, vocab_size=260).tokenizer.merges


def test_a_model_that_exists_is_replaced_only_when_asked_to(corpus: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "mine.json"
    out.write_text("precious")
    refused = call("train", *corpus, "-o", out)
    assert refused.exit_code == 1 and "--force" in refused.stderr and out.read_text() == "precious"
    good("train", *corpus, "-o", out, "--vocab-size", 260, "--force")
    assert tokviz.load(out).vocab_size == 260


def test_one_that_appears_meanwhile_is_kept(
    corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokviz.cli.train.check_output", lambda output, force: None)
    out = tmp_path / "mine.json"
    out.write_text("precious")
    refused = call("train", *corpus, "-o", out, "--vocab-size", 260)
    assert refused.exit_code == 1 and out.read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"mine.json", *(path.name for path in corpus)}


@pytest.mark.right
@pytest.mark.parametrize(
    ("arguments", "ends"),
    [
        ("-o nowhere/mine.json", 1),
        ("-o .", 1),
        ("nowhere.txt -o mine.json", 1),
        ("-o mine.json --vocab-size 5", 2),
        ("-o mine.json --tie coin", 2),
        ("-o mine.json --pattern (", 2),
        ("-o mine.json --repair --dask local", 2),
    ],
)
def test_a_wrong_call_is_said_and_writes_nothing(
    corpus: list[Path], arguments: str, ends: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    result = call("train", corpus[0], *arguments.split())
    assert result.exit_code == ends and result.stdout == "" and result.stderr
    assert ends == 2 or (result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1)
    assert {*tmp_path.iterdir()} == before


@pytest.mark.right
@pytest.mark.parametrize("command", ["train --vocab-size 275 -o", "count-chunks -o"])
def test_a_folder_is_read_as_its_files(command: str, corpus: list[Path], tmp_path: Path) -> None:
    (tmp_path / "folder" / "b").mkdir(parents=True)
    for path in corpus:
        path.rename(tmp_path / "folder" / "b" / path.name)
    files = sorted((tmp_path / "folder" / "b").iterdir())
    write(
        tmp_path / "folder",
        {
            "picture.png": b"\x89PNG" * 100,
            "late.txt": b"a" * 2_000_000 + b"\xff",
            "wide": "wide".encode("utf-16"),
            "b/out": "out",
        },
    )
    write(tmp_path, {"folder/.gitignore": "out\n.gitignore\n"})
    good(*command.split(), tmp_path / "one", *files)
    result = call(*command.split(), tmp_path / "folder" / "two", tmp_path / "folder")
    assert result.exit_code == 0 and "Skipped 3 files:" in result.stderr and "picture.png is not UTF-8" in result.stderr
    other = good(
        *command.split(), tmp_path / "folder" / "two", tmp_path / "folder", "--force"
    )  # it is in the folder now
    written = [(folder / name).read_bytes() for folder, name in ((tmp_path, "one"), (tmp_path / "folder", "two"))]
    assert written[0].replace(b'"one"', b'"two"') == written[1] and other == ""


@pytest.mark.right
def test_a_folder_of_rows_and_one_of_counts(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"rows/a.jsonl": '{"text": "the cat"}\n', "rows/README.md": "# Rows", "a.txt": "the cat", "empty/.git/x": ""},
    )
    good("train", "--column", "text", tmp_path / "rows", "-o", tmp_path / "rows.json", "--vocab-size", 258)
    (tmp_path / "counts").mkdir()
    good("count-chunks", tmp_path / "a.txt", "-o", tmp_path / "counts" / "0.npz")
    good("train", tmp_path / "counts", "-o", tmp_path / "counts.json", "--vocab-size", 258)
    one, other = (tokviz.load(tmp_path / name) for name in ("rows.json", "counts.json"))
    assert one.merges == other.merges and len(one.merges) == 2
    refused = call("train", tmp_path / "empty", "-o", tmp_path / "none.json")
    assert refused.exit_code == 1 and "There is no text in the folder" in refused.stderr


@pytest.mark.right
def test_what_is_no_text_is_refused_with_the_option_that_helps(tmp_path: Path) -> None:
    write(tmp_path, {"bin.dat": bytes(range(256)) * 4, "0.parquet": b"PAR1\xff"})
    assert "--repair" in call("train", tmp_path / "bin.dat", "-o", tmp_path / "mine.json").stderr
    for path in (tmp_path / "0.parquet", tmp_path):
        assert (
            "0.parquet is a Parquet file. Name the column" in call("train", path, "-o", tmp_path / "mine.json").stderr
        )

"""The texts in a column of files: the counts are those of the rows as texts, and what cannot be read is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokviz
from tests.test_shards import same
from tokviz.base.errors import InputError, SettingError
from tokviz.corpus.columns import checked_files, texts_in_column


def write_rows(folder: Path, kind: str, texts: list[str | None]) -> Path:
    """A file of JSON lines or a Parquet file, with the texts in the column "body"."""
    path = folder / f"rows{kind}"
    if kind == ".parquet":
        arrow = pytest.importorskip("pyarrow", reason="reading Parquet needs pyarrow")
        from pyarrow import parquet

        columns = {"n": list(range(len(texts))), "body": arrow.array(texts, arrow.string())}
        parquet.write_table(arrow.table(columns), path, row_group_size=2)
    else:
        lines = (json.dumps({"n": i, "body": text}, ensure_ascii=i % 2 == 0) for i, text in enumerate(texts))
        path.write_text("".join(f"{line}\n\n" for line in lines), encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("kind", [".jsonl", ".parquet"])
def test_rows_are_texts(tmp_path: Path, kind: str) -> None:
    texts = ["the cat", "", None, " in\nthe", "hat 👍", "नमस्ते ", "the", "x" * 70, "\u2028 the hat"]
    path = write_rows(tmp_path, kind, texts)
    rows = [text for text in texts if text is not None]
    assert list(texts_in_column([path, path], "body")) == rows * 2
    assert same(tokviz.count_chunks(texts_in_column([path], "body")), tokviz.count_chunks(rows))
    for column, error in (("m", (InputError, SettingError)), ("n", InputError)):
        with pytest.raises(error, match=r"rows"):
            list(texts_in_column([path], column))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"not JSON|cannot be read as Parquet"):
        list(texts_in_column([path], "body"))


def test_damage_in_the_rows_of_parquet_is_told(tmp_path: Path) -> None:
    path = write_rows(tmp_path, ".parquet", ["the cat", "the hat"])
    whole = path.read_bytes()
    for damage in b"cat", b"\7\0\0\0":  # bytes of a text, and its length
        path.write_bytes(whole.replace(damage, b"\xff" * len(damage)))
        with pytest.raises(InputError, match=r"rows\.parquet cannot be read as Parquet: .*[^.]\. Choose"):
            list(texts_in_column([path], "body"))


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "a.parquet").write_text("a")
    (tmp_path / "a.jsonl").write_text('{"body": "a"}\n{"body" "b"}\n')
    for name, column, says in (
        ("b.txt", None, r"b\.txt cannot be read: No such file"),
        ("a.txt", "body", r"a\.txt has no columns: its name does not end in \.parquet, \.jsonl"),
        ("a.parquet", None, r"a\.parquet is a Parquet file\. Name the column"),
        ("a.parquet", "body", r"a\.parquet cannot be read as Parquet"),
    ):
        with pytest.raises((InputError, SettingError), match=says):
            checked_files([tmp_path / name], column)
    texts = texts_in_column([tmp_path / "a.jsonl"], "body")
    assert next(texts) == "a"  # a file is not read further than its rows are asked for
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: this is not JSON"):
        next(texts)


@pytest.mark.right
def test_a_name_in_capitals_says_the_kind_too(tmp_path: Path) -> None:
    assert [*texts_in_column([write_rows(tmp_path, ".JSONL", ["one", "two"])], "body")] == ["one", "two"]
    (tmp_path / "ROWS.PARQUET").write_bytes(b"no matter what")
    with pytest.raises(SettingError, match="is a Parquet file"):
        checked_files([tmp_path / "ROWS.PARQUET"], None)

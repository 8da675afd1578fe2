"""Files as shards: whichever way they are parted, the counts are those of whole files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.strategies import Setting, settings_of_training
from tests.test_shards import same
from tokviz.chunk_counts import join
from tokviz.errors import InputError, SettingError
from tokviz.file_shards import shards_of, texts_of


def counts_of(paths: list[Path], pattern: str = "gpt2", specials=(), column=None, size=1 << 26) -> tokviz.ChunkCounts:
    """The counts of files, shard by shard."""
    shards = shards_of(paths, pattern, specials, column, size)
    parts = [tokviz.count_chunks(texts_of(shard), pattern, specials, shard=n) for n, shard in enumerate(shards)]
    return join(reversed(parts))


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


@settings(max_examples=40)
@given(settings_of_training(), st.integers(1, 40))
def test_parted_text_files_count_as_whole_ones(setting: Setting, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i}.txt") for i in range(len(setting.texts))]
        for path, text in zip(paths, setting.texts, strict=True):
            path.write_bytes(text.encode())
        if paths:
            whole = tokviz.count_chunks(paths, setting.pattern, setting.special_tokens)
            assert same(counts_of(paths, setting.pattern, setting.special_tokens, size=size), whole)


def test_a_large_text_is_parted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + english_and_code(300_000).encode())
    shards = shards_of([path, path], "o200k", size=50_000)
    assert len(shards) >= 12 and {shard.path for shard in shards} == {path}
    assert same(counts_of([path, path], "o200k", size=50_000), tokviz.count_chunks([path, path], "o200k"))
    for pattern, specials in (("none", ()), (r"(?<=a)b|[\s\S]", ()), ("gpt2", ("<s>",))):
        assert [shard.whole for shard in shards_of([path], pattern, specials, size=50_000)] == [True]
    data = bytearray(path.read_bytes())
    for at in (200_000, 7):  # the byte order mark counts, as it does where the file is read whole
        data[at] = 0xFF
        path.write_bytes(data)
        shards = shards_of([path], "gpt2", size=50_000)
        with pytest.raises(InputError, match=rf"a\.txt is not UTF-8: byte {at:,} is FF") as caught:
            [*map(list, map(texts_of, shards))]
        assert caught.value.offset == at
    path.write_bytes(data[:199_000])
    with pytest.raises(InputError, match=r"a\.txt became shorter while it was read"):
        [*map(list, map(texts_of, shards[1:]))]


@pytest.mark.parametrize("kind", [".jsonl", ".parquet"])
def test_rows_are_texts(tmp_path: Path, kind: str) -> None:
    texts = ["the cat", "", None, " in\nthe", "hat 👍", "नमस्ते ", "the", "x" * 70, "\u2028 the hat"]
    path = write_rows(tmp_path, kind, texts)
    whole = tokviz.count_chunks([text for text in texts if text is not None])
    for size in (1, 30, 100, 1 << 26):
        assert same(counts_of([path], column="body", size=size), whole)
    shards = shards_of([path], "gpt2", (), "body", 1)
    assert len(shards) > 3
    for column, error in (("m", (InputError, SettingError)), ("n", InputError)):
        with pytest.raises(error, match=r"rows"):
            counts_of([path], column=column)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"became shorter|not JSON|cannot be read as Parquet"):
        list(texts_of(shards[-1]))
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"became shorter|cannot be read as Parquet"):
        list(texts_of(shards[-1]))


def test_damage_in_the_rows_of_parquet_is_told(tmp_path: Path) -> None:
    path = write_rows(tmp_path, ".parquet", ["the cat", "the hat"])
    whole = path.read_bytes()
    for damage in b"cat", b"\7\0\0\0":  # bytes of a text, and its length
        path.write_bytes(whole.replace(damage, b"\xff" * len(damage)))
        with pytest.raises(InputError, match=r"rows\.parquet cannot be read as Parquet: .*[^.]\. Choose"):
            counts_of([path], column="body")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "a.parquet").write_text("a")
    (tmp_path / "a.jsonl").write_text('{"body": "a"}\n{"body" "b"}\n')
    for name, column, says in (
        ("b.txt", None, r"b\.txt cannot be read: No such file"),
        ("a.txt", "body", r"a\.txt has no columns: its name does not end in \.parquet, \.jsonl"),
        ("a.parquet", None, r"a\.parquet is a Parquet file\. Name the column"),
        ("a.parquet", "body", r"a\.parquet cannot be read as Parquet"),
        ("a.jsonl", "body", r"a\.jsonl, line at byte 14: this is not JSON"),
    ):
        with pytest.raises((InputError, SettingError), match=says):
            counts_of([tmp_path / name], column=column)

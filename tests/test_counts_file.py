"""A file of counts gives back what was saved. A damaged or forged one is refused, and says what is wrong."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training
from tests.test_shards import same
from tokviz.base.errors import FormatError, InputError, SettingError
from tokviz.corpus import counts_file

COUNTS = tokviz.count_chunks(["the cat<s>", "the naïve hat"], special_tokens=["<s>", "<e>"], shard=3)
ARRAYS = ("data", "ends", "counts", "firsts")
FILE = counts_file.dump(COUNTS)
# What 0.1.0 wrote: a line of JSON, the sha256 of that line, and the arrays.
OF_0_1_0 = b'{"format": "tokviz counts", "version": 1, "pattern": "gpt2"}\n' + b"0" * 64 + b"\n" + bytes(range(256))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mine.npz"


def load(data: bytes, path: Path) -> tokviz.ChunkCounts:
    path.write_bytes(data)
    return tokviz.load_counts(path)


def forged(fields: dict[str, Any] | None = None, **arrays: Any) -> bytes:
    """A file that numpy reads, whatever it says."""
    with np.load(io.BytesIO(FILE)) as packed:
        parts = dict(packed)
    header = json.loads(parts.pop("tokviz_counts").tobytes()) | (fields or {})
    file = io.BytesIO()
    np.savez(file, tokviz_counts=np.frombuffer(json.dumps(header).encode(), np.uint8), **{**parts, **arrays})
    return file.getvalue()


@settings(max_examples=20)
@given(settings_of_training(), st.none() | st.integers(0, 2**53 - 1))
def test_counts_come_back_as_they_were(tmp_path_factory, setting: Setting, shard: int | None) -> None:
    path = tmp_path_factory.getbasetemp() / "some.npz"
    counts = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens, shard)
    counts.save(path)
    loaded = tokviz.load_counts(str(path))
    assert same(loaded, counts) and loaded.shards == counts.shards == ({} if shard is None else {shard: counts.n_bytes})
    assert loaded.special_tokens == counts.special_tokens
    assert counts_file.dump(loaded) == path.read_bytes()
    assert counts_file.is_counts(path.read_bytes()[: counts_file.HEAD]) and counts_file.is_file(path)
    more = tokviz.count_chunks("more", setting.pattern, setting.special_tokens, shard and shard - 1)
    if shard != 0:  # the arrays that were read can be used further
        assert same(more + loaded, more + counts)


def test_the_same_shards_give_the_same_file_in_any_order(path: Path) -> None:
    a, b, c = (tokviz.count_chunks(text, r"\w+|\W", shard=n) for n, text in enumerate(["a b", "b c", ""]))
    assert counts_file.dump(a + b + c) == counts_file.dump(c + (b + a))
    (a + c).save(path)
    with counts_file.unpacked(path) as (_, _, header):
        assert (header["shards"], header["chunks"], header["chunk_bytes"]) == ([[0, 3], [2, 0]], 3, 3)


def test_numpy_reads_it_without_pickle() -> None:
    with np.load(io.BytesIO(FILE), allow_pickle=False) as packed:
        assert [*packed] == ["tokviz_counts", *ARRAYS]
        assert all(np.array_equal(packed[name], getattr(COUNTS, name)) for name in ARRAYS)


def is_refused(data: bytes, path: Path) -> bool:
    """If not, what was changed says nothing of the counts, as the dates in a zip."""
    try:
        loaded = load(data, path)
    except FormatError as fault:
        return str(fault).startswith("mine.npz ")
    assert counts_file.dump(loaded) == FILE
    return False


def test_a_change_of_a_byte_is_noticed_or_changes_nothing(path: Path) -> None:
    changed = [FILE[:at] + bytes([FILE[at] ^ 1 << at % 8]) + FILE[at + 1 :] for at in range(0, len(FILE), 3)]
    assert sum(is_refused(data, path) for data in changed) > len(changed) // 2
    assert all(is_refused(FILE[:size], path) for size in range(0, len(FILE), 37))
    assert not any(is_refused(data, path) for data in [FILE, FILE[:10] + b"date" + FILE[14:]])


def test_the_place_of_the_damage_is_named(path: Path) -> None:
    at = FILE.index(COUNTS.firsts.tobytes()) + 9
    with pytest.raises(FormatError, match=r"^mine\.npz is damaged: Bad CRC-32 for file 'firsts\.npy'"):
        load(FILE[:at] + b"?" + FILE[at + 1 :], path)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"format": "another"}, "its header is not that of its arrays"),
        ({"version": 3}, "'version' is 3, and this tokviz reads version 2"),
        ({"pattern": None}, "'pattern' is None"),
        ({"pattern": "(", "regex_version": "1"}, "does not compile"),
        ({"pattern": r"\w+"}, "a version of the regex package belongs to"),
        ({"special_tokens": "<s>"}, "'special_tokens' is '<s>', which is not a list"),
        ({"special_tokens": ["<s>", "<s>"]}, "named twice"),
        ({"special_tokens": ["<s>"]}, "there is not one number for each special token"),
        ({"special_counts": [1, -1]}, r"'special_counts\[1\]' is -1"),
        ({"special_counts": [2, 0]}, "up to chunk 4 the chunks have more bytes"),
        ({"shards": [[3, 1.5]]}, r"'shards\[0\]\[1\]' is 1.5"),
        ({"shards": [[4, 20], [3, 4]]}, "the numbers of the shards do not rise"),
        ({"shards": [[3, 20]]}, "their bytes are not those of the corpus"),
        ({"shards": [[3, 1], [4, 23]]}, "'firsts' has chunk 1 past the end of its shard"),
        ({"n_bytes": 2**53}, "'n_bytes' is"),
        ({"n_bytes": 25, "shards": []}, "do not have the bytes of the corpus"),
    ],
    ids=str,
)
def test_a_header_that_cannot_be_right_is_refused(fields: dict[str, Any], says: str, path: Path) -> None:
    with pytest.raises(FormatError, match=says):
        load(forged(fields), path)


def test_a_header_that_would_fill_the_memory_is_not_unfolded(path: Path) -> None:
    with pytest.raises(FormatError, match=r"has 2,0.* bytes, but what its JSON holds could take 70,0.* in memory"):
        load(forged({"shards": [[]] * 500_000}), path)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"ends": COUNTS.ends[[0, 1, 1, 3]]}, "at chunk 3 'ends' does not rise"),
        ({"ends": np.add(COUNTS.ends, [0, 0, 0, 1])}, "at chunk 4 'ends' does not rise, or does not fit"),
        ({"ends": COUNTS.ends + 1}, "'firsts' has chunk 2 before"),
        ({"ends": COUNTS.ends * 2**60}, "'ends' does not rise, or does not fit"),
        ({"ends": COUNTS.ends[:3]}, "their arrays are not of one length"),
        ({"counts": COUNTS.counts * 0}, "chunk 1 that it never occurs"),
        ({"counts": COUNTS.counts + 1}, "more bytes than the corpus"),
        ({"firsts": COUNTS.firsts[::-1]}, "chunk 2 before the end of"),
        ({"firsts": COUNTS.firsts + 10}, "past the end of its shard"),
        ({"data": COUNTS.data ^ 128}, "a chunk is not UTF-8"),
        ({"data": np.frombuffer(COUNTS.data.tobytes().replace(b"hat", b"cat"), np.uint8)}, "was there before"),
        ({"counts": COUNTS.counts.astype(float)}, "counts.npy says another size"),
        ({"more": COUNTS.counts}, "it does not hold the arrays of counts and nothing else"),
    ],
    ids=str,
)
def test_arrays_that_cannot_be_right_are_refused(arrays: dict[str, Any], says: str, path: Path) -> None:
    with pytest.raises(FormatError, match=says):
        load(forged(**arrays), path)


def test_no_array_is_made_that_is_larger_than_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither from a number in an array's own header, nor from one in the zip, nor from what compression hides."""
    monkeypatch.setattr(np.lib.format, "read_array", None)  # would make it
    large = io.BytesIO()
    np.lib.format.write_array_header_1_0(large, {"descr": "<i8", "fortran_order": False, "shape": (10**12,)})
    for hidden in (b"", bytes(10_000_000)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if hidden else zipfile.ZIP_STORED) as packed:
            for name in ("tokviz_counts", *ARRAYS):
                packed.writestr(f"{name}.npy", large.getvalue() + hidden)
        with pytest.raises(FormatError, match=r"its arrays are compressed|says another size than its own"):
            tokviz.load_counts(path)
        assert path.stat().st_size < 1_000_000
    central = FILE.rindex(b"PK\1\2")  # of the last array: its sizes stand at bytes 20 to 28
    sizes = struct.pack("<II", 2**31, 2**31)
    with pytest.raises(FormatError, match=r"or have more than the [0-9,]+ bytes of the file"):
        load(FILE[: central + 20] + sizes + FILE[central + 28 :], path)


def test_no_chunk_ends_inside_a_character(path: Path) -> None:
    counts = tokviz.count_chunks("é", "none")
    parts = replace(counts, ends=np.array([1, 2]), counts=np.array([1, 1]), firsts=np.array([0, 1]))
    with pytest.raises(FormatError, match="a chunk is not UTF-8"):
        load(counts_file.dump(parts), path)


def test_what_is_no_file_of_counts_is_refused(tmp_path: Path) -> None:
    tokviz.train("abab", 257).tokenizer.save(tmp_path / "model.json")
    np.savez(tmp_path / "others.npz", a=COUNTS.data)
    (tmp_path / "old.counts").write_bytes(OF_0_1_0)
    (tmp_path / "empty").write_bytes(b"")
    for name, says in (
        ("model.json", "holds no chunk counts"),
        ("others.npz", "holds no chunk counts"),
        ("old.counts", "it is of tokviz 0.1.0. Count again with count-chunks"),
        ("empty", "holds no chunk counts"),
        ("none", "cannot be read: No such file"),
        (".", "it is a folder"),
    ):
        with pytest.raises(FormatError, match=says):
            tokviz.load_counts(tmp_path / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FormatError, match="is no file"):
            tokviz.load_counts(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a path"):
        tokviz.load_counts(3)


def test_counts_that_cannot_be_saved_leave_what_was_there(path: Path) -> None:
    path.write_text("precious")
    for wrong in (
        replace(COUNTS, counts=COUNTS.counts * 2),
        replace(COUNTS, counts=COUNTS.counts[:-1]),
        replace(COUNTS, firsts=COUNTS.firsts.astype(np.int32)),
        replace(COUNTS, special_counts=(1,)),
        replace(COUNTS, shards={3: 2**53}),
        replace(COUNTS, shards={4: 20, 3: 4}),
        replace(COUNTS, shards={}, n_bytes=2**53),
    ):
        with pytest.raises(SettingError, match="cannot be saved"):
            wrong.save(path)
    assert path.read_text() == "precious"

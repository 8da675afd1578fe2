"""A file of counts gives back what was saved. A damaged or forged one is refused, and says what is wrong and where."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training
from tests.test_shards import same
from tokviz import counts_file
from tokviz.errors import FormatError, InputError, SettingError

COUNTS = tokviz.count_chunks(["the cat<s>", "the naïve hat"], special_tokens=["<s>", "<e>"], shard=3)
FILE = b"".join(counts_file.dump(COUNTS))
FIELDS, *_ = map(json.loads, FILE.splitlines()[:1])


def forged(fields: dict | None = None, **arrays: object) -> bytes:
    """A file whose sums are right, whatever it says."""
    parts = {name: np.asarray(arrays.get(name, getattr(COUNTS, name))) for name in counts_file.ARRAYS}
    fields = {**FIELDS, "sums": {name: sha256(part.tobytes()).hexdigest() for name, part in parts.items()}} | (
        fields or {}
    )
    line = json.dumps(fields).encode() + b"\n"
    return b"".join([line, f"{sha256(line).hexdigest()}\n".encode(), *(part.tobytes() for part in parts.values())])


@settings(max_examples=20)
@given(settings_of_training(), st.none() | st.integers(0, 2**53 - 1))
def test_counts_come_back_as_they_were(tmp_path_factory, setting: Setting, shard: int | None) -> None:
    path = tmp_path_factory.getbasetemp() / "some.counts"
    counts = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens, shard)
    counts.save(path)
    loaded = tokviz.load_counts(str(path))
    assert same(loaded, counts) and loaded.shards == counts.shards == ({} if shard is None else {shard: counts.n_bytes})
    assert loaded.special_tokens == counts.special_tokens
    assert b"".join(counts_file.dump(loaded)) == path.read_bytes()
    assert counts_file.is_counts(path.read_bytes()[: counts_file.HEAD])
    more = tokviz.count_chunks("more", setting.pattern, setting.special_tokens, shard and shard - 1)
    if shard != 0:  # the arrays that were read can be used further
        assert same(more + loaded, more + counts)


def test_the_same_shards_give_the_same_file_in_any_order() -> None:
    a, b, c = (tokviz.count_chunks(text, r"\w+|\W", shard=n) for n, text in enumerate(["a b", "b c", ""]))
    assert counts_file.dump(a + b + c) == counts_file.dump(c + (b + a))
    assert json.loads(counts_file.dump(a + c)[0])["shards"] == [[0, 3], [2, 0]]


def test_every_change_of_a_byte_is_noticed() -> None:
    for at in range(len(FILE)):
        for change in (1, 128):
            with pytest.raises(FormatError, match=r"^mine\.counts (is damaged|holds no chunk counts|has version)"):
                counts_file.load(FILE[:at] + bytes([FILE[at] ^ change]) + FILE[at + 1 :], "mine.counts")


def test_a_file_that_is_cut_short_or_has_more_is_refused() -> None:
    for data in (*(FILE[:size] for size in range(len(FILE))), FILE + b"\0"):
        with pytest.raises(FormatError, match=r"^The file (is damaged|holds no chunk counts)"):
            counts_file.load(data)


def test_the_place_of_the_damage_is_named() -> None:
    at = len(FILE) - len(COUNTS.data) - 2
    with pytest.raises(FormatError, match=rf"in bytes {at - 30:,} to {at + 2:,}, which are its 'firsts'"):
        counts_file.load(FILE[:at] + b"?" + FILE[at + 1 :])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"version": 2}, "version 2; this tokviz reads version 1"),
        ({"pattern": None}, "'pattern' is None"),
        ({"pattern": "(", "regex_version": "1"}, "does not compile"),
        ({"pattern": r"\w+"}, "'regex_version' belongs to"),
        ({"regex_version": "1"}, "'regex_version' belongs to"),
        ({"special_tokens": "<s>"}, "'special_tokens' is '<s>', which is not a list"),
        ({"special_tokens": ["<s>", "<s>"]}, "named twice"),
        ({"special_tokens": ["<s>"]}, "'special_counts' does not have one number"),
        ({"special_counts": [1, -1]}, "'special_counts' at place 1 is -1"),
        ({"special_counts": [2, 0]}, "up to chunk 4 the chunks have more bytes"),
        ({"shards": [[3, 1.5]]}, r"'shards' at place 0 is \[3, 1.5\]"),
        ({"shards": [[2**53, 24]]}, "'shards' at place 0"),
        ({"shards": [[3, 20], [3, 4]]}, "the numbers of 'shards' do not rise"),
        ({"shards": [[3, 20]]}, "the bytes of 'shards' are not 'n_bytes'"),
        ({"shards": [[3, 1], [4, 23]]}, "'firsts' has chunk 1 where no shard has so many bytes"),
        ({"n_bytes": 2**53}, "'n_bytes' is"),
        ({"n_bytes": 25, "shards": []}, "do not have the bytes of the corpus"),
        ({"chunks": 10**12}, "'chunks' is 1,000,000,000,000, which is too many"),
        ({"chunks": 10**9, "chunk_bytes": 10**12}, r"is damaged: it has \d+ bytes, and 1,024,000,000,6"),
        ({"sums": None}, "'sums' does not have one sha256"),
        ({"sums": {}}, "'sums' does not have one sha256"),
    ],
    ids=str,
)
def test_a_first_line_that_cannot_be_right_is_refused(fields: dict, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        counts_file.load(forged(fields))


def test_a_first_line_that_would_fill_the_memory_is_not_unfolded() -> None:
    with pytest.raises(FormatError, match=r"has 2,0.* bytes, but what its JSON holds could take 70,0.* in memory"):
        counts_file.load(forged({"shards": [[]] * 500_000}))


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"ends": COUNTS.ends[[0, 1, 1, 3]]}, "at chunk 3 of 4, 'ends' does not rise"),
        ({"ends": np.add(COUNTS.ends, [0, 0, 0, 1])}, "at chunk 4 of 4, 'ends' does not rise, or does not fit"),
        ({"ends": COUNTS.ends + 1}, "'firsts' has chunk 2 before"),
        ({"ends": COUNTS.ends - 3}, "'ends' does not rise, or does not fit"),
        ({"ends": COUNTS.ends * 2**60}, "'ends' does not rise, or does not fit"),
        ({"counts": COUNTS.counts * 0}, "chunk 1 that it never occurs"),
        ({"counts": COUNTS.counts * 2**61}, "more bytes than the corpus"),
        ({"counts": COUNTS.counts + 1}, "more bytes than the corpus"),
        ({"firsts": COUNTS.firsts[::-1]}, "chunk 2 before the end of"),
        ({"firsts": COUNTS.firsts - 1}, "chunk 1 before the end of"),
        ({"firsts": COUNTS.firsts + 10}, "where no shard has so many bytes"),
        ({"data": COUNTS.data ^ 128}, "'data' is not UTF-8"),
        ({"data": np.frombuffer(COUNTS.data.tobytes().replace(b"hat", b"cat"), np.uint8)}, "was there before"),
    ],
    ids=str,
)
def test_arrays_that_cannot_be_right_are_refused(arrays: dict, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        counts_file.load(forged(**arrays))


def test_no_chunk_ends_inside_a_character() -> None:
    counts = tokviz.count_chunks("é", "none")
    parts = replace(counts, ends=np.array([1, 2]), counts=np.array([1, 1]), firsts=np.array([0, 1]))
    with pytest.raises(FormatError, match="'ends' has the end of chunk 1 inside a character"):
        counts_file.load(b"".join(counts_file.dump(parts)))


def test_what_is_no_file_of_counts_is_refused(tmp_path: Path) -> None:
    tokviz.train("abab", 257).tokenizer.save(tmp_path / "model.json")
    (tmp_path / "empty").write_bytes(b"")
    for name, says in (
        ("model.json", "holds no chunk counts"),
        ("empty", "holds no chunk counts"),
        ("none", "cannot be read: No such file"),
        (".", "is no file"),
    ):
        with pytest.raises(FormatError, match=says):
            tokviz.load_counts(tmp_path / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FormatError, match="is no file"):
            tokviz.load_counts(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a path"):
        tokviz.load_counts(3)
    with pytest.raises(InputError, match="is bytes"):
        counts_file.load("text")


def test_counts_that_cannot_be_saved_leave_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.counts"
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
    with pytest.raises(InputError, match="is not counts"):
        counts_file.dump("text")


def test_files_are_joined_in_any_order_and_named_when_they_do_not_fit(tmp_path: Path) -> None:
    texts = ["ab cd ", "", "cd ab", "naïve ab"]
    for number, text in enumerate(texts):
        tokviz.count_chunks(text, shard=number).save(tmp_path / f"{number}.counts")
    tokviz.count_chunks("ab").save(tmp_path / "none.counts")
    tokviz.count_chunks("ab", "cl100k", shard=9).save(tmp_path / "9.counts")
    paths = sorted(tmp_path.glob("?.counts"))
    assert same(counts_file.join_files(paths[3::-1]), tokviz.count_chunks(texts))
    assert same(counts_file.join_files([tmp_path / "none.counts"]), tokviz.count_chunks("ab"))
    for some, says in (
        ([*paths[:2], paths[0]], r"Shard 0 is in .*0\.counts and in .*0\.counts\. Leave one of them out"),
        ([paths[1], paths[4]], r"1\.counts and .*9\.counts were made with different patterns: 'gpt2' and 'cl100k'"),
        ([paths[1], tmp_path / "none.counts"], r"none\.counts does not say which shard it is"),
        ([tmp_path / "none.counts", paths[1]], r"none\.counts does not say which shard it is"),
        ([tmp_path / "none.counts"] * 2, r"none\.counts does not say which shard it is"),
        ([paths[1], tmp_path / "lost.counts"], r"^lost\.counts cannot be read"),
        ([], "no counts to join"),
    ):
        with pytest.raises((SettingError, FormatError), match=says):
            counts_file.join_files(some)

"""Corpora larger than memory: read in blocks, counted by many threads and in shards, they come to what a text does."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tests.bounded import bounded
from tests.strategies import Setting, settings_of_training
from tests.test_shards import same
from tokviz.base.errors import InputError, PatternError, SettingError
from tokviz.corpus import counters, reading, stretches
from tokviz.corpus import counting as corpus
from tokviz.kernels import uniting
from tokviz.split.cutting import automaton_of, cut

HARD = (
    "Don't  stop:\r\n\r\n   naïve ideas,\t\t 12345 of THEM'LL   \n \n x\u3000\u3000日本語 👍🏽👍🏽 e\u0301e\u0301"
    "   <|e|>  <|e|><|e|>é!é a b a  b''s 'S 'ſ \u2028 \x85end  "
)


@contextmanager
def small_parts(size: int, threads: int) -> Iterator[pytest.MonkeyPatch]:
    """Within this block, so many threads count, and parts have about `size` bytes, however short a text is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "LEAST_PART", size)
        patch.setattr(counters, "LEAST_PART", size)
        patch.setattr(stretches, "MOST_PART", size)
        patch.setattr(stretches, "WINDOW", 2 * size)
        patch.setattr(uniting, "WORTH_SHARING", size)
        patch.setattr(corpus, "CPUS", threads)
        patch.setattr(corpus, "WORTH_THREADS", 0)
        yield patch


@pytest.mark.longer
@example(Setting((HARD, HARD), 6, "cl100k", ("<|e|>", "<|e|><|e|>", "a b")), 7, 10, 3)
@example(Setting((HARD, HARD), 6, r"a*[bc]|[\s\S]"), 11, 10, 2)
@example(Setting((HARD, HARD), 6, r"(?<=a)b|[\s\S]", ("a b",)), 5, 10, 1)
@given(
    settings_of_training(),
    st.sampled_from([1, 2, 3, 5, 8, 64, 1000]),
    st.sampled_from([1, 3, 7, 1000]),
    st.integers(1, 8),
)
def test_a_file_read_in_blocks_of_any_size_counts_as_a_text(
    setting: Setting, block: int, part: int, threads: int
) -> None:
    """Blocks end within characters, chunks, special tokens and runs of white space, and are parted for threads."""
    whole = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens)
    trained = tokviz.train(setting.texts, 262, pattern=setting.pattern, special_tokens=setting.special_tokens)
    with TemporaryDirectory() as folder, small_parts(part, threads) as patch:
        patch.setattr(reading, "BLOCK", block)
        patch.setattr(reading, "HASHED_LATER", part)
        paths = [Path(folder) / str(i) for i in range(len(setting.texts))]
        for path, text in zip(paths, setting.texts, strict=True):
            path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert same(tokviz.count_chunks(paths, setting.pattern, setting.special_tokens), whole)
        assert same(tokviz.count_chunks(iter(setting.texts), setting.pattern, setting.special_tokens), whole)
        again = tokviz.train(paths, 262, pattern=setting.pattern, special_tokens=setting.special_tokens)
    sums = [text["sha256"] for text in again.tokenizer.made_from["texts"]]
    assert sums == [hashlib.sha256(b"\xef\xbb\xbf" + text.encode()).hexdigest() for text in setting.texts]
    assert again.merges == trained.merges
    assert again.kept.data == trained.kept.data
    assert again.kept.order.tolist() == trained.kept.order.tolist()
    assert again.kept.starts.tolist() == trained.kept.starts.tolist()


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_faults_in_a_file_are_named_as_those_in_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    file = tmp_path / "broken.txt"
    monkeypatch.setattr(reading, "BLOCK", block)
    for raw in (b"ab\ncaf\xe9", b"\xef\xbb\xbfab\n\n\xf0\x9f\x91", b"\xff\xfea\0b\0", b"a\xed\xa0\x80", b"\xef\xbb"):
        file.write_bytes(raw)
        with pytest.raises(InputError) as expected:
            tokviz.read_text(raw, "broken.txt")
        with pytest.raises(InputError) as caught:
            tokviz.count_chunks(file)
        assert (str(caught.value), caught.value.offset) == (str(expected.value), expected.value.offset)


@given(
    st.text(st.sampled_from(HARD), min_size=1, max_size=80),
    st.sampled_from(["gpt2", "cl100k", "o200k", r"\w+|\W+", r"a*b|[\s\S]", r"\S+|\s++$|\s"]),
    st.integers(2, 8),
    st.integers(1, 30),
)
def test_many_threads_count_as_one(text: str, pattern: str, threads: int, size: int) -> None:
    """Wherever a text is parted for them, a chunk ends there, and the parts come to the same as the whole."""
    found = automaton_of(pattern)
    data = text.encode()
    ends = cut(text, pattern).tolist()
    for start in range(len(data)):
        place = found.place_to_part(data[start:])
        if place is not None:
            at = start + place
            before, behind = (cut(part.decode(), pattern) for part in (data[:at], data[at:]))
            assert [*before, *(behind + at)] == ends
    chunks = [data[i:j] for i, j in pairwise([0, *ends])]
    specials = ("<|e|>", "a b")
    with small_parts(size, threads):
        assert list(tokviz.count_chunks(text, pattern)) == list(Counter(chunks).items())
        some, one = (corpus.begin_counting([text, text], pattern, specials, threads=n) for n in (threads, 1))
        assert [*some.run()][-1] == [*one.run()][-1] == 2 * len(data)
        (counts, kept_part), (expected, expected_part) = some.result(), one.result()
    kept, expected_kept = kept_part(), expected_part()
    assert same(counts, expected)
    assert kept.data == expected_kept.data
    assert kept.order.tolist() == expected_kept.order.tolist()
    assert kept.starts.tolist() == expected_kept.starts.tolist()


def test_only_the_head_of_a_large_corpus_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "the cat in the hat, the cat <s>on the mat " * 10
    everything = tokviz.train([text, text], 270, special_tokens=["<s>"])
    monkeypatch.setattr(corpus, "KEPT_LIMIT", 101)
    for block in (7, 1000):
        monkeypatch.setattr(reading, "BLOCK", block)
        training = tokviz.train([text, text], 270, special_tokens=["<s>"])
        assert training.merges == everything.merges and training.n_bytes == everything.n_bytes
        assert 90 < training.kept_bytes <= 101
        assert training.kept.data == text.encode()[: training.kept_bytes]
        assert training.window(0, 10**9).data == training.kept.data
        assert training.window(10**6, 50).data == b""
        for start in range(0, training.kept_bytes - 40, 7):
            assert training.window(start, 9).ids.tolist() == everything.window(start, 9).ids.tolist()


def test_a_file_too_large_for_no_pattern_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "UNCUT_LIMIT", 10)
    monkeypatch.setattr(reading, "BLOCK", 4)
    file = tmp_path / "large.txt"
    file.write_bytes(b"abcdefghijk" * 2 + b"\xff")  # nobody gets as far as the fault
    with pytest.raises(SettingError, match=r"large.txt has 23 bytes.*one chunk.*10"):
        tokviz.train(file, 300, pattern="none")
    with pytest.raises(SettingError, match=r"large.txt has .*one chunk.*10"):
        tokviz.train(file, 300, pattern="none", special_tokens=["<s>"])
    file.write_bytes(b"abcde<s>" * 5)
    assert tokviz.count_chunks(file, "none", ["<s>"]).counts.tolist() == [5]


def test_more_distinct_chunks_than_memory_is_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training takes 25 times the bytes of the distinct chunks: a word of 100 MB took 2.5 GB."""
    bounded(monkeypatch, chunks_mb=1)
    assert tokviz.train("so it goes. " * 100_000, 260).stopped == "size", "the same chunks again take nothing"
    for text, pattern in ((" " * 1_000_001, "gpt2"), ("x" * 1_000_001, "none")):
        with pytest.raises(InputError, match="have 1,000,001 bytes together, and 1 MB are the limit"):
            tokviz.train(text, 260, pattern=pattern)
    assert tokviz.train(tokviz.count_chunks(" " * 1_000_001), 257).merges[0].count == 1_000_000, (
        "counts were made on purpose"
    )


def test_many_distinct_chunks_of_every_length() -> None:
    """The tables grow; chunks that share their last bytes, or their hash's, are told apart."""
    words = [f"{'x' * (i % 13)}{i:x}" for i in range(30_000)]
    choose = random.Random(1)
    texts = choose.choices(words, k=60_000)
    counts = tokviz.count_chunks(" ".join(texts), r"\S+|\s+")
    plain = Counter(piece for word in texts for piece in (word.encode(), b" "))
    plain[b" "] -= 1
    assert dict(counts) == plain
    assert tokviz.count_chunks(texts, "none").counts.tolist() == list(Counter(texts).values())


@pytest.mark.parametrize("pattern", ["gpt2", "none", r"\S+|\s+"])
def test_a_chunk_longer_than_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(reading, "BLOCK", 1_000)
    monkeypatch.setattr(stretches, "MOST_PART", 700)
    file = tmp_path / "long.txt"
    file.write_text("a" * 300_000 + "\n" + "日" * 50_000 + "\n" + "a" * 300_000)
    expected = [file.read_bytes()] if pattern == "none" else [b"a" * 300_000, b"\n", "日".encode() * 50_000]
    assert [chunk for chunk, _ in tokviz.count_chunks(file, pattern)] == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_where_the_automaton_gives_up_the_parts_still_come_to_the_whole(threads: int) -> None:
    """This pattern reads each line again for each of its characters. Parts behind the fault are counted by then."""
    lines = [b"a" * size for size in range(1_200, 1_180, -1)] * 4
    with small_parts(2_500, threads):
        counts = tokviz.count_chunks(b"x".join(lines).decode() + "b", r"a*b|a|x", threads=threads)
        firsts = {b"a": 0, b"x": 1_200, b"a" * 1_181 + b"b": sum(map(len, lines)) + 79 - 1_181}
        assert dict(counts) == {b"a": sum(map(len, lines)) - 1_181, b"x": 79, b"a" * 1_181 + b"b": 1}
        assert dict(zip([chunk for chunk, _ in counts], counts.firsts.tolist(), strict=True)) == firsts
        text = "so it goes " * 2_000
        for at in (21_999, 12_345, 5_000):  # the first fault is named, though threads meet others too
            text = text[:at] + "!" + text[at + 1 :]
            with pytest.raises(PatternError) as caught:
                tokviz.count_chunks(["x", text], r"[a-z]+| ")
            assert caught.value.offset == at

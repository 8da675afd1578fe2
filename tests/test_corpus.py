"""From texts to distinct chunks: nothing is lost, order is kept, and shards join as if never parted."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

import tokviz
from tests.bounded import bounded
from tests.strategies import Setting, chunks_of, settings_of_training
from tokviz.base.errors import InputError
from tokviz.corpus import reading


@given(settings_of_training())
def test_counts_are_those_of_a_plain_count(setting: Setting) -> None:
    counts = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens)
    occurrences = chunks_of(setting.texts, setting.pattern, setting.special_tokens)
    plain = [(at, data) for at, data, special in occurrences if not special]
    assert list(counts) == list(Counter(data for _, data in plain).items())  # in order of first occurrence
    firsts: dict[bytes, int] = {}
    for at, data in plain:
        firsts.setdefault(data, at)
    assert counts.firsts.tolist() == list(firsts.values())
    specials = Counter(data.decode() for _, data, special in occurrences if special)
    assert counts.special_counts == tuple(specials[token] for token in setting.special_tokens)
    assert counts.n_bytes == len(setting.data)
    assert counts.n_tokens == sum(len(data) for _, data in plain) + specials.total()
    assert len(counts) == len(firsts)


# What a corpus may be


def test_a_path_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_bytes(b"\xef\xbb\xbfthe cat\r\n")
    for given_path in (file, [file], (path for path in [file])):
        assert list(tokviz.count_chunks(given_path, "none")) == [(b"the cat\r\n", 1)]
    assert list(tokviz.count_chunks(["a ", file], "none")) == [(b"a ", 1), (b"the cat\r\n", 1)]


def test_a_folder_is_no_corpus_but_the_files_in_it_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, looked_up=1_000)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.txt").write_text("the cat")
    monkeypatch.chdir(tmp_path)
    files = "the files in it, such as pathlib.Path('notes').rglob('*.txt')."
    for corpus in (Path("notes"), [Path("notes")], iter([Path("notes")])):
        with pytest.raises(InputError) as caught:
            tokviz.train(corpus, 257, pattern="none")
        assert str(caught.value) == f"notes cannot be read: it is a folder. Pass {files}"
    assert tokviz.train(Path("notes").rglob("*.txt"), 257, pattern="none").window(0, 9).data == b"the cat"
    with pytest.warns(UserWarning, match="'notes' is the name of a folder") as warned:
        assert tokviz.train("notes", 257, pattern="none").window(0, 9).data == b"notes"
    assert str(warned[0].message).endswith(f"To train on the folder, pass {files}")


@pytest.mark.right
def test_a_text_that_names_a_file_is_trained_on_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, looked_up=1_000)
    (tmp_path / "notes.txt").write_text("the cat")
    monkeypatch.chdir(tmp_path)
    for corpus in ("notes.txt", ["notes.txt", "b"], iter(["notes.txt"])):
        with pytest.warns(UserWarning, match=r"is the name of a file, .* pass pathlib\.Path\('notes") as warned:
            assert tokviz.train(corpus, 257, pattern="none").window(0, 9).data == b"notes.txt"
        assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for corpus in (
            "a",
            "notes.txt\n",
            "\0",
            tokviz.read_text(b"notes.txt"),
            Path("notes.txt"),
            "x" * 999,
            tmp_path.name,
        ):
            tokviz.train(corpus, 257)
        bounded(monkeypatch, looked_up=0)  # what a visitor of the app types is looked up nowhere
        tokviz.train("notes.txt", 257)


def test_a_text_that_was_read_is_taken_as_it_is() -> None:
    read = tokviz.read_text(b"abc\xff", "broken.txt", repair=True)
    training = tokviz.train([read], 257)
    assert training.window(0, 99).data == "abc\ufffd".encode()
    (origin,) = training.tokenizer.made_from["texts"]
    assert origin == {"name": "broken.txt", "bytes": 6, "sha256": hashlib.sha256(b"abc\xff").hexdigest()}


def test_an_iterator_is_read_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is asked for when those before it are counted, and let go then; nothing is asked for before the start."""
    monkeypatch.setattr(reading, "BLOCK", 10)

    class Kept(str):
        """A text of which one can tell whether somebody still holds it."""

    living: weakref.WeakSet[Kept] = weakref.WeakSet()
    most = asked = 0

    def texts() -> Iterator[str]:
        nonlocal most, asked
        for asked in range(1, 2_001):
            text = Kept(f"text {asked} ")
            living.add(text)
            most = max(most, len(living))
            yield text

    steps = tokviz.train_steps(texts(), 300)
    assert asked == 0
    first = next(steps)
    assert asked <= 3 and first.done > 0
    *_, last = steps
    assert asked == 2_000
    assert most <= 4
    assert last.training.counts.n_bytes == last.training.kept_bytes


def test_progress_over_an_iterator_never_passes_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 5)
    for given_corpus in (["é two", "three", "\ud800four"], iter(["one", "two three", "four"])):
        steps = [step for step in tokviz.train_steps(given_corpus, 256) if step.stage == "count"]
        assert all(step.done <= step.of for step in steps)
        assert steps[-1].done == steps[-1].of


def test_what_is_no_corpus_is_refused_with_the_way_out() -> None:
    for corpus, says in (
        (["a", b"abc"], "read_text"),
        ([io.StringIO("abc")], "open file.*Path"),
        ([["abc"]], "list"),
        (Path("there/is/no such file.txt"), "no such file.txt cannot be read"),
    ):
        with pytest.raises(InputError, match=says):
            tokviz.count_chunks(corpus)


# Where a training came from


def test_origin_names_each_text_by_its_raw_bytes(tmp_path: Path) -> None:
    file = tmp_path / "b.txt"
    file.write_bytes(b"\xef\xbb\xbfabab")
    origin = tokviz.train(["héh", file], 257).tokenizer.made_from["texts"]
    assert [(text["name"], text["bytes"]) for text in origin] == [("text 1", 4), ("b.txt", 4)]
    assert origin[0]["sha256"] == hashlib.sha256("héh".encode()).hexdigest()
    assert origin[1]["sha256"] == hashlib.sha256(b"\xef\xbb\xbfabab").hexdigest()


def test_very_many_texts_get_one_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "TEXTS_NAMED", 3)
    named = tokviz.train(["a", "b", "c"], 257).tokenizer.made_from["texts"]
    assert len(named) == 3
    training = tokviz.train(["a", "b", "c", "dd"], 257)
    summed = training.tokenizer.made_from["texts"]
    assert (summed["texts"], summed["bytes"], training.text_ends) == (4, 5, None)
    swapped = tokviz.train(["b", "a", "c", "dd"], 257).tokenizer.made_from["texts"]
    assert swapped["sha256_of_sums"] != summed["sha256_of_sums"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a file's name is always Unicode")
def test_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.txt")
    file.write_text("abab")
    tok = tokviz.train([file], 257).tokenizer
    tok.save(tmp_path / "model.json")
    assert tokviz.load(tmp_path / "model.json").made_from == tok.made_from


def test_no_chunk_is_lost_where_the_automaton_gives_up() -> None:
    """At each letter it reads on to the end of the text, because a `b` may follow. `regex` counts the rest."""
    text = "a" * 30_000
    assert list(tokviz.count_chunks(text, pattern="a*b|a|x")) == [(b"a", len(text))]

"""The library: names that are cleaned, files that are whole, and several threads that save at once."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tokviz
from tokviz import Tokenizer, files, library
from tokviz.errors import FormatError, SettingError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))
    return tmp_path / "saved"


def test_a_taken_name_gets_a_number() -> None:
    names = [library.save(Tokenizer("own", []), "own") for _ in range(3)]
    assert names == ["own", "own (2)", "own (3)"]
    assert sorted(library.names()) == names
    assert [library.open_saved(name).name for name in names] == names
    library.delete("own (2)")
    library.delete("own (2)")
    assert library.names() == ["own", "own (3)"]
    assert library.save(Tokenizer("own", []), "own") == "own (2)"
    with pytest.raises(FormatError, match="cannot be read"):
        library.open_saved("own (4)")


@pytest.mark.parametrize("letter", ["a", "é", "猫", "🦜"])
def test_a_long_name_in_any_script_is_cut_to_what_a_file_can_have(letter: str) -> None:
    names = [library.save(Tokenizer("own", []), letter * 300) for _ in range(2)]
    assert set(names[0]) == {letter} and names[1] == f"{names[0]} (2)"
    assert [library.open_saved(name).name for name in names] == names
    for _ in range(2):
        library.delete(names[1])
    assert library.names() == names[:1], "not the one with the shorter name"


@pytest.mark.parametrize("links", [True, False])
def test_threads_that_save_at_once_get_a_name_each(links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them find the name free before any has written."""
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    threads = 4
    together, exists = threading.Barrier(threads, timeout=20), Path.exists
    first = threading.local()

    def exists_together(path: Path) -> bool:
        found = exists(path)
        if path.suffix == ".json" and not hasattr(first, "asked"):
            first.asked = True
            together.wait()
        return found

    monkeypatch.setattr(Path, "exists", exists_together)
    toks = [tokviz.train("ab" * (i + 2), 257, pattern="none").tokenizer for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        names = list(pool.map(lambda tok: library.save(tok, "own"), toks))
    assert sorted(names) == ["own", "own (2)", "own (3)", "own (4)"]
    for name, tok in zip(names, toks, strict=True):
        assert library.open_saved(name).made_from == tok.made_from


def no_links(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("fails", [(Path, "chmod"), (Path, "replace")], ids=["writing", "moving"])
def test_a_failed_save_frees_the_name(fails: tuple[object, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(*fails, no_room)
    with pytest.raises(SettingError, match=r"own\.json cannot be written: No space"):
        library.save(Tokenizer("own", []), "own")
    assert list(folder.iterdir()) == []


def test_a_name_appears_only_with_the_whole_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, link = [], os.link

    def looking(part: Path, path: Path) -> None:
        seen.append((library.names(), part.stat().st_size > 0))
        link(part, path)

    monkeypatch.setattr(os, "link", looking)
    library.save(Tokenizer("own", []), "own")
    assert seen == [([], True)]
    assert [file.name for file in folder.iterdir()] == ["own.json"]


@pytest.mark.parametrize("links", [True, False])
def test_create_leaves_a_file_that_is_there(links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a.json"
    assert files.create(path, b"first")
    assert not files.create(path, b"second")
    assert path.read_bytes() == b"first"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "file" / "saved"))
    with pytest.raises(SettingError, match=r"folder of the library cannot be made.*TOKVIZ_SAVED"):
        library.save(Tokenizer("own", []), "own")

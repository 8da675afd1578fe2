"""The library: names that are cleaned, files that are whole, several threads at once, and whatever is in the folder."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

import tokviz
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, SettingError
from tokviz.catalog import saved
from tokviz.formats.tokviz import dump, loads


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))
    return tmp_path / "saved"


def test_a_taken_name_gets_a_number() -> None:
    names = [saved.save(Tokenizer("own", []), "own") for _ in range(3)]
    assert names == ["own", "own (2)", "own (3)"]
    assert sorted(saved.names()) == names
    assert [saved.open_saved(name).name for name in names] == names
    saved.delete("own (2)")
    saved.delete("own (2)")
    assert saved.names() == ["own", "own (3)"]
    assert saved.save(Tokenizer("own", []), "own") == "own (2)"
    with pytest.raises(FormatError, match="cannot be read"):
        saved.open_saved("own (4)")


@pytest.mark.right
def test_a_name_that_people_know_is_taken() -> None:
    own = Tokenizer("own", [])
    assert [saved.save(own, name) for name in ("gpt2", "GPT-4o", "llama3")] == ["gpt2 (2)", "GPT-4o (2)", "llama3 (2)"]
    assert saved.rename("llama3 (2)", "cl100k_base") == "cl100k_base (2)"


@pytest.mark.parametrize("letter", ["a", "🦜"])
def test_a_long_name_in_any_script_is_cut_to_what_a_file_can_have(letter: str) -> None:
    names = [saved.save(Tokenizer("own", []), letter * 300) for _ in range(2)]
    assert set(names[0]) == {letter} and names[1] == f"{names[0]} (2)"
    assert [saved.open_saved(name).name for name in names] == names
    for _ in range(2):
        saved.delete(names[1])
    assert saved.names() == names[:1], "not the one with the shorter name"


@pytest.mark.parametrize("links", [True, False])
def test_threads_that_save_at_once_get_a_name_each(links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them find the name free before any has written."""
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    threads = 4
    together, exists = threading.Barrier(threads, timeout=20), os.path.lexists
    first = threading.local()

    def exists_together(path: Path) -> bool:
        found = exists(path)
        if path.suffix == ".json" and not hasattr(first, "asked"):
            first.asked = True
            together.wait()
        return found

    toks = [tokviz.train("ab" * (i + 2), 257, pattern="none").tokenizer for i in range(threads)]
    with monkeypatch.context() as patched, ThreadPoolExecutor(threads) as pool:
        patched.setattr(os.path, "lexists", exists_together)
        names = list(pool.map(lambda tok: saved.save(tok, "own"), toks))
    assert sorted(names) == ["own", "own (2)", "own (3)", "own (4)"]
    for name, tok in zip(names, toks, strict=True):
        assert saved.open_saved(name).made_from == tok.made_from


def no_links(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "file" / "saved"))
    with pytest.raises(SettingError, match=r"folder of the library cannot be made.*TOKVIZ_SAVED"):
        saved.save(Tokenizer("own", []), "own")


# -- renaming --


def test_a_renamed_tokenizer_has_its_name_in_the_file_too_and_takes_none_that_is_taken(folder: Path) -> None:
    own = tokviz.train("so it is, so it goes", 262, name="own").tokenizer
    saved.save(own, "own")
    saved.save(Tokenizer("other", []), "other")
    other = (folder / "other.json").read_bytes()
    assert saved.rename("own", "../other") == "other (2)"
    assert saved.names() == ["other", "other (2)"] and (folder / "other.json").read_bytes() == other
    renamed = saved.open_saved("other (2)")
    assert (renamed.name, renamed.made_from, renamed.history) == ("other (2)", own.made_from, own.history)
    before = (folder / "other (2).json").stat()
    assert saved.rename("other (2)", "other (2)") == "other (2)", "its own name is not taken by another"
    assert (folder / "other (2).json").stat() == before


def test_a_rename_that_fails_changes_nothing() -> None:
    saved.save(Tokenizer("own", []), "own")
    for name, new, error in (("own", "...", SettingError), ("gone", "new", FormatError)):
        with pytest.raises(error):
            saved.rename(name, new)
    assert saved.names() == ["own"]


@pytest.mark.parametrize("fails", ["the new file", "the old file"])
def test_a_rename_that_breaks_off_leaves_one_whole_file(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    saved.save(Tokenizer("own", []), "own")
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name == "own.json":
            no_room()
        unlink(path, missing_ok=missing_ok)

    if fails == "the new file":
        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(Path, "replace", no_room)
    else:
        monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SettingError, match="the disk is full"):
        saved.rename("own", "new")
    assert saved.names() == ["own"] and saved.open_saved("own").name == "own"


def test_two_renames_to_one_name_both_get_a_place() -> None:
    names = [saved.save(tokviz.train("ab" * n, 257, pattern="none").tokenizer, f"no. {n}") for n in range(2, 6)]
    made = {name: saved.open_saved(name).made_from for name in names}
    with ThreadPoolExecutor(4) as pool:
        renamed = list(pool.map(lambda name: saved.rename(name, "one"), names))
    assert sorted(renamed) == saved.names() == ["one", "one (2)", "one (3)", "one (4)"]
    assert {old: saved.open_saved(new).made_from for old, new in zip(names, renamed, strict=True)} == made


# -- damage --


def damage(folder: Path) -> dict[str, str]:
    """Puts what is no model file into the folder; the name of each -> what is said about it."""
    folder.mkdir()
    (folder / "torn.json").write_bytes(dump(Tokenizer("own", []))[:50])
    (folder / "empty.json").write_bytes(b"")
    (folder / "folder.json").mkdir()
    (folder / "nowhere.json").symlink_to(folder / "gone")
    (folder / "round.json").symlink_to(folder / "round.json")
    os.mkfifo(folder / "pipe.json")
    (folder / os.fsdecode(b"\xff.json")).write_bytes(b"\xff")
    (folder / "zeros.json").symlink_to("/dev/zero")
    (folder / "a\nb\u202ec.json").write_bytes(b"{}")
    with (folder / "large.json").open("wb") as file:
        file.truncate(3_000_000_000)
    with contextlib.chdir(folder), socket.socket(socket.AF_UNIX) as own:  # a socket's path can have 100 bytes
        own.bind("socket.json")
    return {
        "torn": "is damaged",
        "empty": "is damaged",
        "folder": "it is a folder",
        "nowhere": "No such file",
        "round": "Too many levels",
        "pipe": "it is no file",
        os.fsdecode(b"\xff"): "\\xff.json is no text",
        "zeros": "it is no file",
        "a\nb\u202ec": "a\\nb\\u202ec.json is no tokviz model",
        "large": "has 3,000,000,000 bytes",
        "socket": "it is no file",
    }


def test_what_cannot_be_opened_is_listed_with_the_reason_and_can_be_deleted(folder: Path) -> None:
    said = damage(folder)
    saved.save(Tokenizer("own", []), "own")
    listed = {one.name: one.about for one in saved.saved()}
    assert listed.keys() == {*said, "own"}
    for name, about in listed.items():
        assert about
        if name != "own":
            assert about.fault and said[name] in str(about.fault)
            str(about.fault).encode()
            with pytest.raises(FormatError):
                saved.open_saved(name)
            with pytest.raises(FormatError):
                saved.rename(name, "better")
            saved.delete(name)
    assert saved.names() == ["own"]
    assert [path.name for path in folder.iterdir()] == ["own.json"]


def test_a_folder_with_something_in_it_is_not_deleted(folder: Path) -> None:
    (folder / "work.json").mkdir(parents=True)
    (folder / "work.json" / "thesis.txt").write_text("irreplaceable")
    with pytest.raises(SettingError, match="“work” cannot be deleted: Directory not empty"):
        saved.delete("work")
    assert (folder / "work.json" / "thesis.txt").exists()


def test_a_link_is_deleted_and_not_what_it_leads_to(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    for name in ("target", "other folder"):
        place = tmp_path / name
        place.mkdir() if "folder" in name else place.write_bytes(dump(Tokenizer("own", [])))
        (folder / f"{name}.json").symlink_to(place)
    assert saved.open_saved("target").vocab_size == 256
    for name in saved.names():
        saved.delete(name)
    assert saved.names() == [] and len(list(tmp_path.iterdir())) == 3


def test_a_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(saved, "loads", lambda data, name: read.append(name) or loads(data, name))
    for number in range(4):
        saved.save(Tokenizer("own", []), f"{number}")
    assert [one.about is None for one in saved.saved(0)] == [False, True, True, True], "one at least"
    assert not any(one.about is None for one in saved.saved())
    assert saved.saved() == saved.saved() and len(read) == 4
    os.utime(folder / "2.json", (1, 1))
    saved.delete("3")
    assert [one.name for one in saved.saved()] == ["0", "1", "2"] and len(read) == 5
    assert saved.saved()[2].day == date.fromtimestamp(1)
    assert saved._day(2.0**62) is None, "some disks keep a clock that was so wrong"

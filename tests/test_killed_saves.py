"""Saving by several at once, in processes that are killed, and on disks that refuse: what is saved stays whole."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import tokviz
from tests.bounded import bounded
from tokviz import Tokenizer
from tokviz.base import bounds, files
from tokviz.base.errors import InputError, SettingError
from tokviz.catalog import saved
from tokviz.formats.tokviz import dump

ROOT = Path(__file__).parents[1]
TOKS = [tokviz.train("ab" * (i + 2), 257, pattern="none").tokenizer for i in range(8)]
PART = f".tokviz-{files._MACHINE}89abcdef.part"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))
    return tmp_path / "saved"


@pytest.mark.parametrize("kills", [15, pytest.param(200, marks=pytest.mark.long)])
def test_what_a_killed_process_saved_is_whole_and_nothing_half_written_stays(kills: int, folder: Path) -> None:
    command = [sys.executable, "-m", "tests.killed_saves", str(folder), str(kills)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2_000:]
    said = re.fullmatch(r"(\d+) kills, (\d+) models .* (\d+) half written and removed\n", run.stdout)
    assert said and int(said[1]) == kills and int(said[2]) and int(said[3]), run.stdout


def test_only_what_is_ours_and_in_nobodys_hands_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [".tokviz-0123.part", ".own.json.part", "tokviz-0123456789abcdef.part", f"{PART}.txt"]
    elsewhere = [f".tokviz-{'0' * 15}{number}.part" for number in range(2)]  # machines whose locks may not be seen
    for name in [*others, *elsewhere, PART]:
        (tmp_path / name).write_bytes(b"half")
    os.utime(tmp_path / elsewhere[1], (0, time.time() - 2 * 24 * 3600))
    (tmp_path / PART.replace("89abcdef", "00000001")).mkdir()
    (tmp_path / PART.replace("89abcdef", "00000002")).symlink_to(tmp_path / others[0])
    os.mkfifo(tmp_path / PART.replace("89abcdef", "00000003"))
    stay = {path.name for path in tmp_path.iterdir()} - {PART, elsewhere[1]}
    with (tmp_path / PART).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        files.sweep(tmp_path)
        assert (tmp_path / PART).exists(), "somebody is writing it"
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 12_345)
        files.sweep(tmp_path)
        assert (tmp_path / PART).exists(), "it is another user's"
    files.write(tmp_path / "own.json", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == stay | {"own.json"}
    files.sweep(tmp_path / "gone")


def test_a_temporary_folder_is_deleted_unless_somebody_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "tokviz-scratch-left"
    (left / "files").mkdir(parents=True)
    with files.scratch_folder() as mine:
        assert not left.exists()
        files.sweep_scratch()
        assert mine.is_dir()
    assert [*tmp_path.iterdir()] == []


# -- disks that refuse --


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full. Make room"),
        (errno.EDQUOT, "no more room for this user"),
        (errno.EROFS, "the disk can only be read"),
        (errno.EACCES, "this user may not write there"),
        (errno.ENOENT, "its folder does not exist"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_what_the_disk_refuses_is_said_and_nothing_is_left(
    number: int, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved.save(TOKS[0], "old")
    before = (folder / "old.json").read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    for module, step in ((os, "open"), (os, "fsync"), (Path, "replace")):
        with monkeypatch.context() as patched:
            patched.setattr(os, "link", refuse)  # so a disk without links
            patched.setattr(module, step, refuse)
            with pytest.raises(SettingError, match=rf"new\.json cannot be written: .*{said}"):
                saved.save(TOKS[1], "new")
    assert [path.name for path in folder.iterdir()] == ["old.json"]
    assert (folder / "old.json").read_bytes() == before


def test_places_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file").touch()
    for path, said in {
        tmp_path / "folder.json": "a folder has this name",
        tmp_path / "file" / "a.json": "its folder is a file",
        tmp_path / "gone" / "a.json": "its folder does not exist",
        tmp_path / f"{'é' * 130}.json": "its name is too long",
        tmp_path / "\ud800.json": "is not a path",  # no file can have this name
        Path("/proc/a.json"): "its folder does not exist|this user may not",
    }.items():
        with pytest.raises((InputError, SettingError), match=said) as caught:
            TOKS[0].save(path)
        str(caught.value).encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.json"]
    longest = tmp_path / f"{'é' * 125}.json"  # as long as the disk takes it
    TOKS[0].save(longest)
    assert tokviz.load(longest).merges == TOKS[0].merges


def test_a_disk_that_is_full_at_once_and_one_that_takes_a_part(folder: Path) -> None:
    """With a limit of the system's own, as a disk that is full after some bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    tok = Tokenizer("own", [(i % 256, i // 256) for i in range(5_000)])
    saved.save(TOKS[0], "old")
    old = (folder / "old.json").read_bytes()
    for n_bytes in (0, 10_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            with pytest.raises(SettingError, match=r"own\.json cannot be written: it is larger than a file may"):
                saved.save(tok, "own")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in folder.iterdir()] == ["old.json"] and (folder / "old.json").read_bytes() == old


# -- the limits of the library --


def test_a_full_library_says_so_and_still_renames(monkeypatch: pytest.MonkeyPatch) -> None:
    for tok in TOKS[:2]:
        saved.save(tok, "own")
    bounded(monkeypatch, saved_files=2)
    with pytest.raises(SettingError, match="The library is full: it has 2 files, and its limit is 2"):
        saved.save(TOKS[2], "own")
    assert saved.rename("own", "mine") == "mine"
    saved.delete("own (2)")
    bounded(monkeypatch, saved_mb=len(dump(TOKS[2])) * 1.5 / bounds.MB)
    with pytest.raises(SettingError, match="its files would have"):
        saved.save(TOKS[2], "own")
    assert saved.names() == ["mine"]

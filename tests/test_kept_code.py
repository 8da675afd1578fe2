"""Compiled kernels on disk: damaged, in a folder that cannot be written, written by two processes at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from tokviz.kernels import base
from tokviz.kernels.base import drop_old_code, kernel
from tokviz.kernels.kept_code import KeptCode

ROOT = Path(__file__).parents[1]


def double(number: int) -> int:
    return 2 * number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def hits() -> int:
    """How many of the kernel's compiled versions came from the disk; the kernel is defined and called anew."""
    compiled = kernel(double)
    assert compiled(21) == 42
    return sum(compiled.stats.cache_hits.values())  # type: ignore[attr-defined]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed(data: bytes) -> bytes:
    at = random.Random(len(data)).randrange(len(data) // 4, len(data))
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


@pytest.mark.parametrize(("ending", "damage"), [("nbc", cut), ("nbc", changed), ("nbi", cut)])
def test_damaged_code_is_compiled_again(folder: Path, ending: str, damage: Callable[[bytes], bytes]) -> None:
    assert hits() == 0
    assert hits() == 1
    (file,) = folder.rglob(f"*.{ending}")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    hits()
    assert hits() == 1, "it was not kept again"


def test_code_that_cannot_be_kept_is_used_all_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        assert hits() == 0
    assert not [*folder.rglob("*.nb*")]
    compiled = kernel(double)
    for path in folder.iterdir():
        path.rmdir()
    folder.rmdir()
    folder.touch()  # where the folder was, there is a file
    assert compiled(21) == 42


def test_a_chosen_folder_that_cannot_be_written_is_not_the_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder / "file"))
    base._numba_has_a_folder.cache_clear()
    assert kernel(double)(21) == 42


def test_only_what_is_older_than_a_kernel_or_half_written_long_ago_is_removed(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "kernel.py").touch()
    os.utime(tmp_path / "kernel.py", (3, 3))
    for name, day in {"old.nbc.tmp.0": 1, "new.nbi.tmp.0": None, "old.nbi": 1, "old.nbc": 2, "new.nbi": 4}.items():
        (tmp_path / "__pycache__" / name).touch()
        if day:
            os.utime(tmp_path / "__pycache__" / name, (day, day))
    drop_old_code(tmp_path)
    assert {path.name for path in (tmp_path / "__pycache__").iterdir()} == {"new.nbi.tmp.0", "new.nbi"}
    drop_old_code(tmp_path / "not there")


@pytest.mark.long
def test_two_processes_that_compile_all_kernels_at_once_and_others_that_are_killed(tmp_path: Path) -> None:
    """All share one empty folder. Each kernel works in both processes at the end, and in a third that only reads."""
    command = [sys.executable, "-m", "tokviz.rehearsal"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)

    both = [start(), start()]
    while any(process.poll() is None for process in both):
        doomed = start()
        time.sleep(random.Random(17).uniform(3, 9))
        doomed.send_signal(signal.SIGKILL)
        doomed.wait()
    assert [process.returncode for process in both] == [0, 0]
    for file in random.Random(17).sample(sorted(tmp_path.rglob("*.nb?")), 10):
        file.write_bytes(cut(file.read_bytes()))
    assert start().wait() == 0


def test_kernels_keep_their_code_this_way() -> None:
    assert isinstance(kernel(double)._cache, KeptCode)  # type: ignore[attr-defined]

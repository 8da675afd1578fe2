"""Kill processes while they encode files, and see what they left: python -m tests.killed_encodings FOLDER KILLS

A process encodes small and large files to a folder until it is killed without a warning, or interrupted, at a step that
is drawn at random. After that, each output under its final name has to be whole and the right one, and the next process
has to keep it. When all outputs are there, they are those of a process that was not killed, and the folder is emptied.
Says how many kills came before all was done, how many outputs were kept, and how many were half written.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import tokviz
from tests.benchmarks.corpora import english_and_code
from tokviz.bulk import Source, blocks, encode_files, manifest, running
from tokviz.bulk.manifest import NAME

TOK = tokviz.reference("gpt2")
SMALL_FILES, LARGE_FILES = 16, 2
MOST_STEPS = 100  # fewer than a whole run has
blocks.BLOCK, running.SMALL = 20_000, 50_000


def make_texts(folder: Path) -> list[Source]:
    """Small files in two folders, and larger ones that have many blocks."""
    text = english_and_code(1_000_000)
    sources = []
    for number in range(SMALL_FILES + LARGE_FILES):
        size = 500 * number if number < SMALL_FILES else 200_000
        path = folder / f"{number % 2}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text[30_000 * number :][:size], "utf-8")
        sources.append(Source(path, path.name, path.relative_to(folder).as_posix()))
    return sources[::-1]


def outputs(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The files in a folder that have a final name: the number that the disk gave each, and its bytes."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_ino, path.read_bytes()) for path in folder.rglob("*.npy")
    }


def encode(sources: list[Source], folder: Path) -> None:
    for _ in encode_files(sources, folder, TOK):
        pass


def die_at(step: int, how: signal.Signals) -> None:
    """Have this process killed at a step: before or after a block is encoded, or bytes or a name go to the disk."""
    steps = itertools.count()

    def watched(call: Callable[..., object]) -> Callable[..., object]:
        def watch(*arguments: object) -> object:
            if next(steps) == step:
                os.kill(os.getpid(), how)
            result = call(*arguments)
            if next(steps) == step:
                os.kill(os.getpid(), how)
            return result

        return watch

    for place, name in ((running, "encode_block"), (os, "fsync"), (manifest, "fsync"), (Path, "replace")):
        setattr(place, name, watched(getattr(place, name)))


def encode_and_kill(sources: list[Source], folder: Path, how: signal.Signals, step: int) -> bool:
    """Was it killed, before it was done?"""
    child = os.fork()
    if not child:
        die_at(step, how)
        try:
            encode(sources, folder)
        except KeyboardInterrupt:
            os._exit(130)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def main(place: Path, kills: int) -> None:
    sources = make_texts(place / "texts")
    encode(sources, place / "whole")
    expected = {name: data for name, (_, data) in outputs(place / "whole").items()}
    choose, folder = random.Random(18), place / "killed"
    before: dict[str, tuple[int, bytes]] = {}
    killed = kept = halves = 0
    for kill in range(kills):
        how = signal.SIGINT if kill % 4 == 3 else signal.SIGKILL
        killed += encode_and_kill(sources, folder, how, choose.randrange(MOST_STEPS))
        now = outputs(folder)
        for name, (_, data) in now.items():
            if data != expected[name]:
                sys.exit(f"{name} is not whole after kill {kill + 1}.")
        if any(now.get(name) != output for name, output in before.items()):
            sys.exit(f"An output was encoded again after kill {kill + 1}.")
        kept += len(before)
        halves += len([*folder.rglob("*.part")])
        before = now
        if len(now) == len(expected):
            shutil.rmtree(folder)
            before = {}
    encode(sources, folder)
    if {name: data for name, (_, data) in outputs(folder).items()} != expected:
        sys.exit("The outputs are not those of a process that was not killed.")
    left = {path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".npy"}
    if left != {NAME}:
        sys.exit(f"{left} is left.")
    print(f"{killed} of {kills} killed, {kept} outputs kept, {halves} half written and removed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

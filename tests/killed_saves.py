"""Kill processes while they save, and see what they left: python -m tests.killed_saves FOLDER KILLS

Each process saves and replaces one tokenizer after the other, in FOLDER, until it is killed without a warning. After
each kill, every model file in the folder has to load, and after a sweep, as at a start, nothing half written may be
there. At first two processes save under one name and are not killed, while this one sweeps; all has to be kept. Says
how many models were saved, and how many kills left something half written for the sweep.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time
from pathlib import Path

import tokviz
from tokviz import Tokenizer
from tokviz.base import files
from tokviz.catalog import saved as library

TOK = Tokenizer("own", [(i % 256, i // 256) for i in range(3_000)], made_from={"texts": None, "note": "猫" * 300_000})
LONGEST_S = 0.15  # that a process lives: time for several saves


def no_links(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def save_forever(links: bool) -> None:
    """Save under one name again and again. links: whether the disk has hard links."""
    if not links:
        os.link = no_links  # type: ignore[assignment]
    while True:
        library.save(TOK, "own")


def save_together(folder: Path, each: int) -> None:
    """Have two processes save under one name, and sweep meanwhile what is not theirs."""
    saving = set()
    for number in range(2):
        child = os.fork()
        if not child:
            for _ in range(each):
                library.save(Tokenizer(f"{number}", []), "own")
            os._exit(0)
        saving.add(child)
    while saving:
        files.sweep(folder)
        saving.discard(os.waitpid(-1, os.WNOHANG)[0])
    if {library.open_saved(name).name for name in library.names()} != {
        "own",
        *(f"own ({i})" for i in range(2, 2 * each + 1)),
    }:
        sys.exit(f"Of {2 * each} models these are there: {library.names()}.")
    for name in library.names():
        library.delete(name)


def main(folder: Path, kills: int) -> None:
    os.environ["TOKVIZ_SAVED"] = str(folder)
    folder.mkdir(exist_ok=True)
    save_together(folder, each=20)
    (folder / ".tokviz-mine.part").write_text("somebody's own")
    choose, saved, halves = random.Random(17), 0, 0
    for kill in range(kills):
        child = os.fork()
        if not child:
            save_forever(links=kill % 2 == 0)
        while len([*folder.iterdir()]) < 2:  # it has not begun: a busy machine takes its time
            time.sleep(0.001)
        time.sleep(choose.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for name in library.names():
            saved += 1
            if tokviz.load(folder / f"{name}.json").merges != TOK.merges:
                sys.exit(f"{name} is another tokenizer after kill {kill + 1}.")
            library.delete(name)
        halves += len([*folder.iterdir()]) - 1
        files.sweep(folder)
        left = [path.name for path in folder.iterdir()]
        if left != [".tokviz-mine.part"]:
            sys.exit(f"{left} is left after kill {kill + 1}.")
    print(f"{kills} kills, {saved} models saved and all whole, {halves} half written and removed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

"""Loads exported files in a process of its own, and encodes probes with them: the program of a proof of export.

    python -P comparison/judge.py FOLDER PACKAGE SECONDS [CHECKOUT]

FOLDER holds files/, what was exported; snippet.py, which loads that and defines `encode`; and probes.json, a list of
texts. The program writes to answers.jsonl: the version of the package, then the ids of each probe, one JSON value a
line. If something fails, the last line is {"fault": ...}. After SECONDS the program ends in any case: the process that
started it stops it sooner, but may itself have been killed. CHECKOUT is where tokviz is, if it is the judge.
The program imports nothing of tokviz itself, so its answers do not depend on the code that wrote the files.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import IO, Any

# A custom pattern could need more than the machine has. The largest vocabularies need less than 1 GB.
MEMORY_BYTES = 4 << 30


def main(folder: Path, package: str, seconds: float, checkout: str = "") -> None:
    """Answer every probe, or write down what failed."""
    with (folder / "answers.jsonl").open("w", encoding="utf-8") as answers:
        try:
            _limit_memory()
            if hasattr(signal, "setitimer"):  # not on Windows
                signal.setitimer(signal.ITIMER_REAL, seconds)  # the system then ends the process, in code of C too
            _answer_all(folder, package, checkout, answers)
        except BaseException as fault:  # a panic of a package in Rust is no Exception
            _write(answers, {"fault": f"{type(fault).__name__}: {fault}"})


def _answer_all(folder: Path, package: str, checkout: str, answers: IO[str]) -> None:
    if checkout:
        sys.path.insert(0, checkout)
    try:
        module = importlib.import_module(package)
    except ImportError:
        _write(answers, {"absent": True})
        return
    _write(answers, {"version": str(getattr(module, "__version__", ""))})
    probes = json.loads((folder / "probes.json").read_text("utf-8"))
    os.chdir(folder / "files")  # the snippet names the files without a folder
    sys.path.insert(0, str(folder))
    encode = importlib.import_module("snippet").encode
    _write(answers, {"loaded": True})
    for probe in probes:
        _write(answers, [int(id) for id in encode(probe)])


def _limit_memory() -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def _write(answers: IO[str], answer: Any) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), *sys.argv[4:])

"""The command `python -m tests.looks`."""

from __future__ import annotations

import argparse
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

from tests.looks.capture import draw_all
from tests.looks.comparison import compare
from tests.looks.states import STATES


def main() -> int:
    """Draw or compare. Returns the exit code: 1 if a state failed or two folders differ."""
    parser = argparse.ArgumentParser("python -m tests.looks", description=sys.modules["tests.looks"].__doc__)
    parser.add_argument("folder", type=Path, help="where pictures and trees are written, or those that are compared")
    parser.add_argument("names", nargs="*", default=["*"], help="names of states, with * for any letters; else all")
    parser.add_argument("--against", type=Path, metavar="OLD", help="compare with this folder, and draw nothing")
    asked = parser.parse_args()
    if asked.against:
        return compare(asked.against, asked.folder, asked.names)
    states = [state for name, state in STATES.items() if any(fnmatchcase(name, one) for one in asked.names)]
    if not states:
        parser.error(f"No state is called so. There are: {', '.join(STATES)}.")
    begun = time.monotonic()
    failed = draw_all(states, asked.folder)
    drawn = sum(len(list(state.looks())) for state in states)
    print(f"{len(states)} states, {drawn} pictures, {time.monotonic() - begun:.0f} s.")
    print(*failed, f"{len(failed)} states failed.", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

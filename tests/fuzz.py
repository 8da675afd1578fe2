"""Fuzzing, for as long as one likes: `python -m tests.fuzz --minutes 60 [--seed 1] [PART ...]`.

It draws new examples for the properties of the suite: one file after the other, each in a process of pytest with a seed
of its own, so that a crash, or a test that takes longer than two minutes, ends that process and not the fuzzing. What
is found is printed as pytest prints it, with the command that finds it again.

No time of a match is longer here than a second; in the app a match of an own pattern may take five
(see `tokviz/ui/server/limits.py`).
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
HANG_S = 120
SAID = 4_000  # characters of what pytest says of a round

# part -> the files of its properties
PARTS = {
    "core": ("training", "training_steps", "kernels", "encoding", "lookups", "live_text", "shards", "large_corpora"),
    "formats": ("formats_damage", "formats", "formats_hf", "normalizing", "characters", "lacking", "json_files"),
    "patterns": ("fuzz", "cutting", "automaton", "clauses", "pipeline"),
    "links": ("links",),
    "sockets": ("socket_messages",),
}


def command(file: Path, seed: int) -> list[str]:
    """The call of pytest for a round: the properties of a file, with examples from this seed."""
    drawn = ["-k", "conversation"] if file.stem == "test_socket_messages" else ["-m", "hypothesis"]
    hang = ["-o", f"faulthandler_timeout={HANG_S}", "-o", "faulthandler_exit_on_timeout=true"]
    how = ["--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", *drawn, *hang]
    return [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", *how, str(file)]


def fuzz(files: Sequence[Path], seconds: float, seed: int) -> tuple[int, int]:
    """Fuzz these files for so long, each once at least. (rounds, those in which something was found)."""
    end, rounds, found = time.monotonic() + seconds, 0, 0
    while rounds < len(files) or time.monotonic() < end:
        call = command(files[rounds % len(files)], seed + rounds)
        run = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
        if run.returncode:
            found += 1
            said = run.stdout[-SAID:] + run.stderr[:SAID]  # there a crash or a hang is said first
            print(f"\n{shlex.join(call)}\nended with {run.returncode}:\n{said}", flush=True)
        rounds += 1
    return rounds, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=60, help="for all parts together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    parts = asked.parts or list(PARTS)
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}")
    total = 0
    for part in parts:
        files = [ROOT / "tests" / f"test_{name}.py" for name in PARTS[part]]
        rounds, found = fuzz(files, 60 * asked.minutes / len(parts), asked.seed)
        total += found
        print(f"{part}: {rounds:,} rounds, {found} found, first seed {asked.seed}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "limits.toml").write_text("match_seconds = 1.0\n", "utf-8")
        os.environ |= {"TOKVIZ_LIMITS": str(Path(folder, "limits.toml")), "TOKVIZ_SAVED": folder}
        code = main()
    sys.exit(code)

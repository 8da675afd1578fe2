"""How long training, counting and encoding take, beside packages that do the same.

`python -m tests.benchmarks library` measures.
Each measurement is a process of its own, and those that are compared take turns. Written to `results.md` beside this
file: medians, spread, peak memory, and how many times as long each peer takes as tokviz in the same rounds. What tokviz
does is the whole call, merge records and the seams of the corpus included. Numbers behind `library` are the sizes in
MB (1 and 10 if there are none; 100 takes some minutes).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks import corpora

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.md")
ROUNDS = 5
TRAINERS = ["tokviz", "tokenizers", "rustbpe", "gigabpe"]
ENCODERS = ["tokviz", "tokviz explain", "tiktoken", "quicktok", "splintr"]

Measured = dict[str, list[dict[str, Any]]]


def measure(what: str, peers: list[str], file: Path, number: int, pattern: str, rounds: int = ROUNDS) -> Measured:
    """Each in turn, round after round."""
    found: Measured = {peer: [] for peer in peers}
    for _ in range(rounds):
        for peer in peers:
            command = [sys.executable, "-m", "tests.benchmarks.one", what, peer, str(file), str(number), pattern]
            run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if run.returncode:
                print(f"  {peer} failed: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            else:
                found[peer].append(json.loads(run.stdout.splitlines()[-1]))
    return {peer: runs for peer, runs in found.items() if runs}


def rows(title: str, found: Measured, which: slice, scale: float = 1.0, unit: str = "s") -> list[str]:
    """A line of the table for each. The ratio is the median of the rounds' own ratios."""
    lines = []
    seconds = {peer: [statistics.median(run["times"][which]) for run in runs] for peer, runs in found.items()}
    ours = seconds["tokviz"]
    for peer, taken in seconds.items():
        ratio = statistics.median(theirs / our for theirs, our in zip(taken, ours, strict=False))
        peak = statistics.median(run["peak"] for run in found[peer]) / 1e6
        middle, least, most = (scale * of(taken) for of in (statistics.median, min, max))
        spread = f"{least:.3g} to {most:.3g}"
        lines.append(f"| {title} | {peer} | {middle:.3g} {unit} | {spread} | {ratio:.2f} | {peak:,.0f} MB |")
        print(lines[-1], flush=True)
    return lines


def agreement(file: Path) -> list[str]:
    """Do the trainers find the same tokens where their tie rules are the same?"""
    lines = []
    for peer, tie in (("rustbpe", "lowest"), ("tokenizers", "hf")):
        for pattern in ("gpt2", "cl100k"):
            found = measure("train", [peer, f"tokviz {tie}"], file, 4096, pattern, 1)
            same = len({runs[0]["digest"] for runs in found.values()}) == 1
            lines.append(f"- {peer}, {pattern}, 4,096: {'the same tokens' if same else 'OTHER tokens'} as tie={tie!r}")
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    sizes = [int(word) for word in sys.argv if word.isdigit()] or [1, 10]
    lines = ["| measure | package | median | least to most | times tokviz | peak memory |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:

        def corpus(kind: str, megabytes: float) -> Path:
            file = Path(folder) / f"{kind} {megabytes:g} MB.txt"
            file.write_bytes(corpora.build(kind, int(megabytes * 1e6)).encode())
            print(f"{file.name}: {file.stat().st_size:,} bytes", flush=True)
            return file

        mixed = {size: corpus("mixed", size) for size in sizes}
        for size, file in mixed.items():
            for pattern in ("gpt2", "cl100k"):
                vocabulary = 4096 if size < 10 else 32_768
                peers = TRAINERS if pattern == "gpt2" else TRAINERS[:-1]
                title = f"train, mixed {size} MB, {vocabulary:,}, {pattern}"
                if size < 100 or pattern == "gpt2":
                    found = measure("train", peers, file, vocabulary, pattern, ROUNDS if size < 100 else 3)
                    lines += rows(title, found, slice(0, 1))
            lines += rows(
                f"count chunks, mixed {size} MB, gpt2",
                measure("count", ["tokviz", "findall"], file, 0, "gpt2", 3),
                slice(0, 1),
            )
        small = corpus("english", 0.2)
        found = measure("train", ["tokviz", "naive"], small, 556, "none", 1)
        lines += rows("train, English 0.2 MB, 300 merges, no pattern", found, slice(0, 1))
        for kind, megabytes in (("mixed", 1), ("mixed", 10), ("english", 10), ("scripts", 10)):
            file = corpus(kind, megabytes)
            found = measure("encode", ENCODERS, file, 0, "")
            digests = {runs[0]["digest"] for runs in found.values()}
            if len(digests) > 1:
                print(f"  the ids differ on {file.name}", file=sys.stderr)
            title = f"encode, {kind} {file.stat().st_size / 1e6:.0f} MB, cl100k_base"
            lines += rows(f"{title}, at first", found, slice(0, 1))
            lines += rows(f"{title}, again", found, slice(1, 4))
            if megabytes == 1:
                lines += rows("encode, 200 characters", found, slice(4, 5), 1e6, "µs")
        same = agreement(mixed[min(mixed)])
    RESULTS.write_text("\n".join([*lines, "", *same, ""]), encoding="utf-8")

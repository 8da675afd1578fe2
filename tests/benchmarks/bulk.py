"""1 GB of files encoded by `tokviz encode --out`, killed twice, and its rate against tiktoken's encode_batch.

`python -m tests.benchmarks bulk [megabytes]`. The texts are mixed ones, and in each are words that no other has. Half
of the bytes are in files of 100 kB, the others in eight large ones. The command is killed without a warning after a
third and after two thirds, and then runs to its end. What was finished must stay as it is, and the ids must be those of
tiktoken in files drawn at random and in a large one. The rates are measured on a fifth of the texts, in processes of
their own that take turns. tokviz's has the reading, the writing and the disk in it; tiktoken has its texts in memory,
and throws its ids away. Beside the time is the processor time, which a busy machine hardly changes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.corpora import build
from tests.benchmarks.large import new_words
from tokviz.bulk.manifest import NAME

ROOT = Path(__file__).parents[2]
ENCODING = "cl100k_base"
SMALL, LARGE_FILES = 100_000, 8
NEW = 0.04  # the share of the bytes of a text that are new words
ROUNDS = 5
DRAWN = 40  # small files whose ids are compared
WARM = "The cat in the hat, the naïve cat. 12345 " * 50
AT_ONCE = 20_000_000  # bytes that tiktoken gets in one batch
# The command line, with the peak memory on a line of its own at the end.
WITH_PEAK = """
import atexit
from tests.benchmarks.memory import peak_memory
from tokviz.cli import main
atexit.register(lambda: print(peak_memory()))
main()
"""


def make_texts(folder: Path, size: int) -> None:
    """A fifth of the texts goes to the folder `fifth`, the rest to `rest`."""
    real = build("mixed", min(size, 30_000_000))
    pieces = [real[start : start + SMALL * 9 // 10] for start in range(0, len(real), SMALL * 9 // 10)]
    choose = random.Random(18)
    n_words = int(SMALL * NEW / 7)
    texts = (f"{choose.choice(pieces)} {new_words(number, n_words)}\n" for number in range(10**9))
    for place, share in (("fifth", 0.2), ("rest", 0.8)):
        (folder / place).mkdir(parents=True)
        written = number = 0
        while written < size * share / 2:
            written += (folder / place / f"small {number}.txt").write_bytes(next(texts).encode())
            number += 1
        n_large = max(int(LARGE_FILES * share + 0.5), 1)
        for number in range(n_large):
            with (folder / place / f"large {number}.txt").open("wb") as file:
                while file.tell() < size * share / 2 / n_large:
                    file.write(next(texts).encode())


def arguments(texts: Path, ids: Path) -> list[str]:
    return ["encode", str(texts), "-t", ENCODING, "--out", str(ids), "--json"]


def rows_in(ids: Path) -> int:
    """How many outputs the manifest knows."""
    path = ids / NAME
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0


def kill_at(share: float, texts: Path, ids: Path, n_files: int) -> float:
    """Encode until this share of the files is done, and kill it. Returns the seconds it ran."""
    begun = time.perf_counter()
    program = subprocess.Popen(
        [sys.executable, "-m", "tokviz", *arguments(texts, ids)], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    while rows_in(ids) < share * n_files and program.poll() is None:
        time.sleep(0.01)
    program.kill()
    if program.wait() == 0:
        sys.exit("It was done before it could be killed. Use more megabytes.")
    return time.perf_counter() - begun


def encoded(texts: Path, ids: Path) -> dict[str, Any]:
    """Encode to the end; what the command reports, with the seconds and the peak memory of its process."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", WITH_PEAK, *arguments(texts, ids)]
    report, peak = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return {**json.loads(report), "process": time.perf_counter() - begun, "peak": int(peak)}


def identities(ids: Path) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in ids.rglob("*.npy")}


def compare(texts: Path, ids: Path) -> int:
    """Compare files drawn at random, and a large one, with tiktoken. Returns how many tokens were compared."""
    judge = tiktoken_encoding()
    small = sorted(texts.rglob("small *.txt"))
    n_tokens = 0
    for path in [*random.Random(1).sample(small, min(DRAWN, len(small))), texts / "rest" / "large 0.txt"]:
        ours = np.load(ids / path.relative_to(texts).parent / f"{path.name}.npy", mmap_mode="r")
        theirs = judge.encode_to_numpy(path.read_bytes().decode(), disallowed_special=())
        if not np.array_equal(ours, theirs):
            sys.exit(f"{path.name} has other ids than tiktoken's.")
        n_tokens += len(ours)
    return n_tokens


def tiktoken_encoding() -> Any:
    import tokviz
    from tokviz.proof import witness

    return witness(tokviz.reference(ENCODING))


def of_tokviz(texts: Path, ids: Path) -> dict[str, float]:
    """Seconds and processor seconds that tokviz takes for a megabyte, from the files to whole outputs."""
    import tokviz
    from tokviz.bulk import Source, encode_files

    tok = tokviz.reference(ENCODING)
    tok.encode_array(WARM)
    begun, used = time.perf_counter(), time.process_time()
    *_, last = encode_files((Source(path, path.name, path.name) for path in sorted(texts.iterdir())), ids, tok)
    assert last.report
    n_bytes = sum(row.bytes for row in last.report.encoded)
    return per_megabyte(n_bytes, last.tokens, time.perf_counter() - begun, time.process_time() - used)


def of_tiktoken(texts: Path, ids: Path) -> dict[str, float]:
    """The same of tiktoken's encode_batch, on as many threads as there are cores. It reads and writes nothing."""
    judge = tiktoken_encoding()
    judge.encode_batch([WARM] * 8, disallowed_special=())
    pieces = []
    for path in sorted(texts.iterdir()):
        text = path.read_bytes().decode()
        pieces += [text[start : start + 1_000_000] for start in range(0, len(text), 1_000_000)]
    n_bytes = n_tokens = 0
    seconds = used = 0.0
    while pieces:
        batch: list[str] = []
        size = 0
        while pieces and size < AT_ONCE:
            batch.append(pieces.pop())
            size += len(batch[-1].encode())
        begun, before = time.perf_counter(), time.process_time()
        found = judge.encode_batch(batch, num_threads=os.cpu_count() or 1, disallowed_special=())
        seconds += time.perf_counter() - begun
        used += time.process_time() - before
        n_bytes += size
        n_tokens += sum(map(len, found))
    return per_megabyte(n_bytes, n_tokens, seconds, used)


def per_megabyte(n_bytes: int, n_tokens: int, seconds: float, used: float) -> dict[str, float]:
    return {"seconds": seconds * 1e6 / n_bytes, "processor": used * 1e6 / n_bytes, "tokens": n_tokens / seconds}


def rates(texts: Path, place: Path) -> None:
    """Print what both take, and how many times as quick tokviz is, from rounds in which they take turns."""
    found: list[dict[str, dict[str, float]]] = []
    for number in range(ROUNDS):
        ids = place / f"round {number}"
        taken = {}
        for who in ("of_tokviz", "of_tiktoken"):
            call = f"{who}(Path({str(texts)!r}), Path({str(ids)!r}))"
            code = f"from tests.benchmarks.bulk import *; print(json.dumps({call}))"
            run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
            taken[who] = json.loads(run.stdout)
        shutil.rmtree(ids)
        found.append(taken)
        said = "; ".join(f"{who[3:]} {1 / one['seconds']:.1f} MB a second" for who, one in taken.items())
        print(f"  round {number + 1}: {said}", flush=True)
    for what, name in (("seconds", "time"), ("processor", "processor time")):
        columns = {who: [1_000 * taken[who][what] for taken in found] for who in found[0]}
        ratio = statistics.median(b / a for a, b in zip(*columns.values(), strict=True))
        ours, theirs = map(statistics.median, columns.values())
        print(
            f"  {name}: tokviz {ours:.1f} ms a MB, tiktoken's encode_batch {theirs:.1f} ms, {ratio:.2f} times as much"
        )
    tokens = statistics.median(taken["of_tokviz"]["tokens"] for taken in found)
    print(f"  tokviz makes {tokens:,.0f} tokens a second")


def main() -> None:
    size = 1_000_000 * int(next((word for word in sys.argv[1:] if word.isdigit()), "1000"))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        texts, ids = place / "texts", place / "ids"
        make_texts(texts, size)
        n_files = len([*texts.rglob("*.txt")])
        rates(texts / "fifth", place)
        seconds = [kill_at(1 / 3, texts, ids, n_files)]
        before = identities(ids)
        seconds.append(kill_at(2 / 3, texts, ids, n_files))
        before |= identities(ids)
        report = encoded(texts, ids)
        seconds.append(report["process"])
        if any(path.stat().st_ino != number for path, number in before.items()):
            sys.exit("A finished file was encoded again.")
        if len(report["encoded"]) + len(report["finished"]) != n_files or [*ids.rglob("*.part")]:
            sys.exit("Something is missing, or half written.")
        total = sum(row["bytes"] for part in ("encoded", "finished") for row in report[part])
        print(
            f"  {total:,} bytes in {n_files:,} files, killed twice: {', '.join(f'{one:.1f}' for one in seconds)} s, "
            f"start of each process included; {len(report['finished']):,} files were kept; "
            f"peak memory {report['peak'] / 1e6:,.0f} MB; {compare(texts, ids):,} tokens compared with tiktoken's, "
            "all equal"
        )


if __name__ == "__main__":
    main()

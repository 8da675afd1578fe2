"""`tokviz count` on all text files of this repository under four tokenizers, beside the same counts by tiktoken.

The four have nothing in common: three references, and one that is trained here and written in both formats.
Twice: as two programs from their start to their last line, and inside two processes in which the vocabularies are
loaded. Interleaved; the median of the rounds, and the least and the most. tiktoken reads the bundled vocabularies with
its own loader and encodes file by file, in one thread. Every total has to be the same.
"""

from __future__ import annotations

import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tokviz
from tests.benchmarks.corpora import english_and_code
from tokviz import formats
from tokviz.catalog import MODELS, references
from tokviz.split import PATTERNS

ROOT = Path(__file__).parents[2]
NAMES = ("gpt2", "cl100k_base", "o200k_base")
OWN_SIZE = 32_768
ROUNDS = 9

# Both print the totals, then for each line that they read how long it takes to count again, loaded as they are.
THEIRS = """
import json, sys, time
from pathlib import Path
import tiktoken
from tiktoken.load import load_tiktoken_bpe
given = json.load(open(sys.argv[1]))
encodings = {
    name: tiktoken.Encoding(
        name,
        pat_str=row["pattern"],
        mergeable_ranks=load_tiktoken_bpe(row["file"]),
        special_tokens=row["special_tokens"],
    )
    for name, row in given["encodings"].items()
}
def count():
    totals = dict.fromkeys(encodings, 0)
    for path in given["paths"]:
        try:
            text = Path(path).read_bytes().decode()
        except UnicodeDecodeError:
            continue
        for name, encoding in encodings.items():
            totals[name] += len(encoding.encode_ordinary(text))
    return totals
"""
OURS = """
import json, sys, time
from pathlib import Path
from tokviz.cli.count import count_files
from tokviz.cli.inputs import tokenizers_named
given = json.load(open(sys.argv[1]))
toks = tokenizers_named([*given["encodings"]])
paths = [Path(path) for path in given["paths"]]
def count():
    counted, _ = count_files(paths, toks)
    return {name: sum(one.tokens[name] for one in counted) for name in toks}
"""
AGAIN = """
print(json.dumps(count()), flush=True)
for _ in sys.stdin:
    begun = time.perf_counter()
    count()
    print(time.perf_counter() - begun, flush=True)
"""


def report(what: str, taken: dict[str, list[float]]) -> None:
    ours, theirs = (statistics.median(taken[who]) for who in ("tokviz", "tiktoken"))
    spread = "; ".join(f"{who} {min(times):.3f} to {max(times):.3f} s" for who, times in taken.items())
    best = min(taken["tiktoken"]) / min(taken["tokviz"])
    print(
        f"  {what}: {theirs / ours:.1f} times as fast; by the quickest rounds {best:.1f} times ({spread})", flush=True
    )


def programs(given: Path, totals: dict[str, int]) -> None:
    chosen = [word for name in totals for word in ("-t", name)]
    calls = {
        "tokviz": [sys.executable, "-m", "tokviz", "count", ".", *chosen, "--json"],
        "tiktoken": [sys.executable, "-c", THEIRS + "print(json.dumps(count()))", str(given)],
    }
    taken: dict[str, list[float]] = {who: [] for who in calls}
    for _ in range(ROUNDS):
        for who, call in calls.items():
            begun = time.perf_counter()
            said = json.loads(subprocess.run(call, cwd=ROOT, check=True, capture_output=True).stdout)
            taken[who].append(time.perf_counter() - begun)
            if (said["total"]["tokens"] if who == "tokviz" else said) != totals:
                raise SystemExit(f"{who} counts {said}, not {totals}")
    report("from start to end", taken)


def loaded(given: Path) -> dict[str, int]:
    """Measure the counts of processes that have all loaded. Returns the totals."""
    running = {
        who: subprocess.Popen(
            [sys.executable, "-c", program + AGAIN, str(given)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who, program in (("tokviz", OURS), ("tiktoken", THEIRS))
    }
    totals = {who: json.loads(process.stdout.readline()) for who, process in running.items() if process.stdout}
    if totals["tokviz"] != totals["tiktoken"]:
        raise SystemExit(f"The totals are not the same: {totals}")
    taken: dict[str, list[float]] = {who: [] for who in running}
    for _ in range(ROUNDS):
        for who, process in running.items():
            if process.stdin and process.stdout:
                print(file=process.stdin, flush=True)
                taken[who].append(float(process.stdout.readline()))
    for process in running.values():
        process.communicate()
    report("reading and counting, all loaded", taken)
    return totals["tokviz"]


def main() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "tokviz", "count", ".", "-t", "gpt2", "--json"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    counted = json.loads(said.stdout)
    print(f"{counted['total']['files']:,} files, {counted['total']['bytes']:,} bytes, {len(NAMES) + 1} tokenizers")
    with tempfile.TemporaryDirectory() as folder:
        rows = {}
        for name in NAMES:
            entry = references()[name]
            file = Path(folder, entry.file).with_suffix("")
            file.write_bytes(gzip.decompress((MODELS / entry.file).read_bytes()))
            pattern = PATTERNS[entry.pattern].regex
            rows[name] = {"file": str(file), "pattern": pattern, "special_tokens": dict(entry.special_tokens)}
        own = tokviz.train(english_and_code(2_000_000), vocab_size=OWN_SIZE, pattern="gpt2").tokenizer
        model, ranks = Path(folder, "own.json"), Path(folder, "own.tiktoken")
        own.save(model)
        ranks.write_bytes(formats.dump(own, "tiktoken")[f"{own.name}.tiktoken"])
        rows[str(model)] = {"file": str(ranks), "pattern": PATTERNS["gpt2"].regex, "special_tokens": {}}
        given = Path(folder, "given.json")
        given.write_text(json.dumps({"encodings": rows, "paths": [one["path"] for one in counted["files"]]}), "utf-8")
        programs(given, loaded(given))


if __name__ == "__main__":
    main()

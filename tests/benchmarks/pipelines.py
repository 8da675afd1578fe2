"""How quick a pipeline is: encoding under DeepSeek's, beside tokenizers, and a key under it.

`python -m tests.benchmarks pipelines [--megabytes 1] [--rounds 7]`. Both programs take turns, with GPT-2's merges and
DeepSeek V3's stages. The test `tests/test_pipeline.py` runs the short form.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import tokenizers

from tests.formats_cases import DEEPSEEK
from tokviz import Tokenizer, reference
from tokviz.catalog.samples import sample
from tokviz.formats import dump
from tokviz.split.pipeline import Stage, written
from tokviz.tokenizer.live_text import LiveText

TYPED = 5_000  # characters


def measured(megabytes: float, rounds: int) -> tuple[float, float, float]:
    """Measure encoding: (seconds of tokviz, seconds of tokenizers, seconds of a key). Both must give the same ids."""
    gpt2 = reference("gpt2")
    pattern = written(map(Stage, DEEPSEEK))
    ours = Tokenizer(
        "DeepSeek's stages", gpt2.merges, alphabet=gpt2.alphabet, merge_ids=gpt2.merge_ids, pattern=pattern
    )
    theirs = tokenizers.Tokenizer.from_str(dump(ours, "hf")["tokenizer.json"].decode())
    story = sample("story").text
    text = (story * (int(megabytes * 1e6) // len(story) + 1))[: int(megabytes * 1e6)]
    if ours.encode_ordinary(text) != theirs.encode(text).ids:
        raise SystemExit("The ids differ.")
    seconds: dict[str, list[float]] = {"ours": [], "theirs": [], "key": []}
    live = LiveText([ours])
    live.patch(0, 0, text[:TYPED])
    for _ in range(rounds):
        seconds["ours"].append(_timed(lambda: ours.encode_array(text)))
        seconds["theirs"].append(_timed(lambda: theirs.encode(text)))
        seconds["key"].append(_timed(lambda: live.patch(TYPED // 2, TYPED // 2, "x")))
    ours_s, theirs_s, key_s = map(statistics.median, seconds.values())
    return ours_s, theirs_s, key_s


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    ours, theirs, key = measured(asked.megabytes, asked.rounds)
    both = f"tokviz {ours * 1e3:,.0f} ms, tokenizers {theirs * 1e3:,.0f} ms: {theirs / ours:.2f} times"
    print(f"{asked.megabytes:g} MB: {both}")
    print(f"A key in {TYPED:,} characters: {key * 1e3:.1f} ms")


if __name__ == "__main__":
    main()

"""What a call of `encode_array` costs on texts that were never seen before, short and long, beside tiktoken and others.

An encoder remembers the chunks that it has met, so no encoder gets a text twice, and that of 8 MB is none of those of
1 MB put together. Short texts are of two kinds: prose cut at random places, in which most words were met before, and
made-up words, of which no two are equal. The encoders take turns, and each ratio is that of the medians of one round;
then the median of rounds.
"""

from __future__ import annotations

import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from tests.benchmarks import corpora, one
from tests.benchmarks.figures import load

ENCODERS = ("tokviz", "tiktoken", "quicktok", "splintr")
ROUNDS = 7
TEXTS = {200: 600, 2_000: 100}  # characters: texts a round
MB = 1_000_000
LONG = (1, 8)  # megabytes


def made_up_words(prose: str) -> Iterator[str]:
    """Words no two of which are equal: each letter follows two others as often as it does in prose."""
    choose, used = random.Random(1), set[str]()
    follow: defaultdict[str, list[str]] = defaultdict(list)
    for word in re.findall("[a-z]{3,}", prose.lower()):
        for i, letter in enumerate(word + " "):
            follow[f"  {word}"[i : i + 2]].append(letter)
    while True:
        word = "  "
        while word[-1] != " " or word == "  ":
            word += choose.choice(follow[word[-2:]])
        if 3 <= len(word.strip()) <= 12 and word not in used:
            used.add(word)
            yield word.strip()


def some_words(words: Iterator[str], size: int) -> str:
    text = next(words)
    while len(text) < size:
        text += f" {next(words)}"
    return text[:size]


def some_prose(prose: str, choose: random.Random, size: int) -> str:
    start = choose.randrange(len(prose) - size)
    return prose[start : start + size]


def typical(encode: Callable[[str], object], texts: list[str]) -> float:
    """The median of the times that the texts take, in microseconds."""
    times = []
    for text in texts:
        begun = time.perf_counter_ns()
        encode(text)
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times) / 1_000


def show(what: str, rounds: list[dict[str, float]]) -> None:
    """rounds: the microseconds of each encoder."""
    figures = [f"{statistics.median(times['tokviz'] for times in rounds):>11,.1f}"]
    for who in ENCODERS[1:]:
        ratio = statistics.median(times[who] / times["tokviz"] for times in rounds)
        figures.append(f"{ratio:>10.2f}")
    print(f"  {what:<32}", *figures, flush=True)


def main() -> None:
    encoders = {who: one.encoder(who) for who in ENCODERS}
    for encode in encoders.values():
        encode(one.SMALL)
    corpus, choose = corpora.build("mixed", len(LONG) * max(LONG) * MB), random.Random(2)
    mixed = corpus[: max(LONG) * MB]
    words = made_up_words(corpora.build("english", MB))
    print(f"  {load()}; microseconds of tokviz, then how many times as long the others take")
    print(f"  {'':<32}", f"{'tokviz':>11}", *[f"{who:>10}" for who in ENCODERS[1:]])
    for size, n in TEXTS.items():
        kinds = {"prose": partial(some_prose, mixed, choose), "made-up words": partial(some_words, words)}
        for kind, text in kinds.items():
            rounds = [
                {who: typical(encode, [text(size) for _ in range(n)]) for who, encode in encoders.items()}
                for _ in range(ROUNDS)
            ]
            show(f"{size:,} characters, {kind}", rounds)
    for number, megabytes in enumerate(LONG):
        starts = range(number * max(LONG) * MB, (number + 1) * max(LONG) * MB, megabytes * MB)
        rounds = [
            {who: typical(encode, [corpus[start : start + megabytes * MB]]) for who, encode in encoders.items()}
            for start in starts
        ]
        show(f"{megabytes} MB", rounds)

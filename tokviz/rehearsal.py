"""Calls every kernel once, so that all are compiled and their code is on disk: python -m tokviz.rehearsal

A server runs this in a process of its own when it finds no compiled code, and waits for the line after each stage.
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from tokviz.corpus.chunk_counts import fault_of, fault_of_data
from tokviz.corpus.counters import Counters
from tokviz.corpus.counting import count_chunks
from tokviz.corpus.stretches import CorpusPart
from tokviz.kernels.merging import add_pairs
from tokviz.kernels.utf8 import valid_until
from tokviz.split.cutting import DEFAULT, automaton_of
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.rules import Tie
from tokviz.training.train import train

MANY = 100_000  # distinct chunks: threads count them, and all tables grow
TEXT = "the cat in the hat,  the naïve astronaut " * 3  # two spaces are read twice, and a long chunk occurs again


def encoding() -> None:
    """Split and encode: by pairs and by ranks, with a look-up too, and a long chunk."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"th", b"the", b"at", b"ive"]
    ids = {token: id for id, token in enumerate(tokens)}
    by_ranks = Tokenizer.from_ranks("ranks", ids, pattern="gpt2", special_tokens={})
    for tokenizer in (by_ranks, Tokenizer("pairs", by_ranks.merges[:3])):
        tokenizer.encode(TEXT + _many())
        tokenizer.merged(3 * TEXT.encode())  # longer than what is remembered
        for _ in tokenizer.explain_in_pieces(TEXT, len(TEXT)):
            pass


def training() -> None:
    """Train: under each tie rule and with a ban, read off what a page shows, count in threads, join shards."""
    for tie in get_args(Tie):
        trained = train([TEXT, "and the hat"], 300, tie=tie, ban=[b"cat"], min_count=2)
    train(TEXT, 300, prefer="rarest")
    train(_many(), 300)
    no_pairs = np.empty((0, 5), np.int64)
    add_pairs(no_pairs, no_pairs, 0, np.zeros((2, 2), np.int64), np.empty(0, np.int32))  # as only large corpora do
    valid_until(np.frombuffer(TEXT.encode(), np.uint8))
    _count_in_two_threads(_many().encode())
    counts = count_chunks(TEXT, shard=1) + count_chunks("the hat", shard=0)
    fault_of(counts)
    fault_of_data(counts)
    trained.candidates(3)
    trained.window(0, 10)


def _count_in_two_threads(data: bytes) -> None:
    """Unite what this thread and another one counted. In a training, one thread may happen to count everything."""
    counters, automaton = Counters(len(data), 0, threads=2), automaton_of(DEFAULT)
    counters.add(0, memoryview(b"the"), np.array([3]))
    with counters.at_work():
        if automaton:
            counters.give(CorpusPart(memoryview(data), 3, [len(data)], [-1], True, 3), automaton)
    counters.totals().order()


def _many() -> str:
    return " ".join(map(str, range(MANY)))


STAGES = (encoding, training)

if __name__ == "__main__":
    for stage in STAGES:
        stage()
        print(stage.__name__, flush=True)

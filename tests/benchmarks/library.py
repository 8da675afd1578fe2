"""How long training and encoding take, beside packages that do the same. Interleaved; medians and ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import regex
import rustbpe
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

import tokviz
from tests.benchmarks.corpora import english_and_code
from tokviz.proof import witness
from tokviz.split import PATTERNS

ROUNDS = 5


def hugging_face(text: str, vocab_size: int) -> None:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    pattern = tokenizers.Regex(PATTERNS["gpt2"].regex)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(  # type: ignore[attr-defined]
        [pre_tokenizers.Split(pattern, "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)


def interleaved(jobs: dict[str, Callable[[], object]]) -> None:
    """Each job in turn, ROUNDS times after one to warm up; the first is what the others are held against."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for round_ in range(ROUNDS + 1):
        for name, job in jobs.items():
            begun = time.perf_counter()
            job()
            if round_:
                taken[name].append(time.perf_counter() - begun)
    ours = statistics.median(taken[next(iter(jobs))])
    for name, seconds in taken.items():
        middle = statistics.median(seconds)
        print(f"  {name:34} {middle:8.3f} s  ({min(seconds):.3f} to {max(seconds):.3f})  {middle / ours:6.2f} of ours")


def main() -> None:
    text = english_and_code(1_000_000)
    print(f"corpus: {len(text.encode()):,} bytes")
    print("training, 1,000 merges, gpt2 pattern")
    interleaved(
        {
            "tokviz": lambda: tokviz.train(text, 1256, "gpt2"),
            "tokenizers": lambda: hugging_face(text, 1256),
            "rustbpe": lambda: rustbpe.Tokenizer().train_from_iterator([text], 1256, pattern=PATTERNS["gpt2"].regex),
        }
    )
    print("training, 1,000 merges, no pattern")
    interleaved({"tokviz": lambda: tokviz.train(text, 1256, "none")})
    print("counting distinct chunks, gpt2 pattern")
    compiled = regex.compile(PATTERNS["gpt2"].regex)
    interleaved({"tokviz": lambda: tokviz.count_chunks(text, "gpt2"), "findall": lambda: compiled.findall(text)})
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        print(f"encoding, {name}")
        ours, judge = tokviz.reference(name), witness(tokviz.reference(name))
        if judge is None:
            raise SystemExit(f"tiktoken cannot judge {name}")
        if ours.encode_ordinary(text) != judge.encode_ordinary(text):
            raise SystemExit(f"{name}: our ids are not tiktoken's")
        interleaved(
            {"tokviz, with seams": partial(ours.encode_array, text), "tiktoken": partial(judge.encode_ordinary, text)}
        )

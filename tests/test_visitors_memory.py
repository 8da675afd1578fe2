"""What goes is freed: a tokenizer that is dropped, a text of work that is over, a visitor who is let go."""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import tokviz
from tokviz.comparison.comparison import compare
from tokviz.training.train import Training, train, train_steps
from tokviz.ui import warm
from tokviz.ui.frame import tokenizers
from tokviz.ui.frame.training import told
from tokviz.ui.server import work
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Progress, Steps, Work
from tokviz.ui.train.corpus import Corpus
from tokviz.ui.train.page import training_work

LETTERS = "abcdefghijklmnopqrstuvwxyz"
REFERENCES = ("gpt2", "cl100k_base")
NOISE = 4_000  # bytes


@cache
def _words() -> list[str]:
    """The same words for all visitors: the reference tokenizers, which all share, remember each word they met."""
    chance = random.Random("words")
    return ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(5_000)]


def prose(size: int, seed: int) -> str:
    """About so many characters."""
    return " ".join(random.Random(seed).choices(_words(), k=size * 2 // 13))


def trained(seed: int, size: int = 200_000, vocab_size: int = 1_500) -> Training:
    return train(prose(size, seed), vocab_size, name=f"trained {seed}")


@pytest.fixture
def traced() -> Iterator[Callable[[], int]]:
    """Bytes in use, as Python and numpy report them, once no thread that has just ended its work lets any go."""

    def in_use() -> int:
        before, now = -NOISE, 0
        while abs(now - before) >= NOISE:
            before = now
            time.sleep(0.03)
            gc.collect()
            now = tracemalloc.get_traced_memory()[0]
        return now

    tracemalloc.start()
    yield in_use
    tracemalloc.stop()


# -- what goes is freed --


@pytest.fixture
def person() -> Visitor:
    """Somebody with two trained tokenizers, who has looked at both."""
    person = Visitor()
    for seed in (1, 2):
        done = trained(seed)
        mine = person.add(done.tokenizer.name, done.tokenizer, done)
        tokenizers.encoded(person, mine.tokenizer, person.text)
        tokenizers.badge(person, mine.tokenizer, person.text)
        tokenizers.family_of(person, mine.tokenizer)
        person.cache.get(("head", mine.training), lambda: "head")
    one, other = person.trained
    pair = one.tokenizer, other.tokenizer
    person.cache.get(("compared", pair, person.text, "text"), lambda: compare(person.text, pair))
    return person


def test_a_tokenizer_that_is_dropped_is_freed(person: Visitor) -> None:
    one, _ = person.trained
    gone = [weakref.ref(one.tokenizer), weakref.ref(one.training)]
    person.drop(one.key)
    del one
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_work_that_is_over_keeps_no_training(person: Visitor) -> None:
    text = tokviz.read_text(prose(20_000, 3).encode())
    job = training_work(Corpus("corpus", "third", [text]), told(train_steps(text, 300), kept=True))
    work.start(person, job)
    assert job.done.wait(60)
    mine = person.trained[-1]
    gone = [weakref.ref(mine.training), weakref.ref(mine.tokenizer)]
    person.drop(mine.key)
    del mine
    gc.collect()
    assert [ref() for ref in gone] == [None, None] and person.works and not job.reads


def test_an_error_that_is_kept_keeps_nothing_else() -> None:
    holds = list[weakref.ref[Any]]()

    def failing() -> Steps[None]:
        large = tokviz.read_text(b"large")
        small = np.zeros(5)
        holds.append(weakref.ref(small))
        yield Progress("Failing")
        try:
            int(large.text)
        except ValueError as fault:
            raise tokviz.TokvizError("It failed.") from fault
        del small

    person, job = Visitor(), Work("here", None, failing())
    work.start(person, job)
    assert job.done.wait(60)
    gc.collect()
    assert job.error and job.error.what == "It failed."
    assert holds[0]() is None


@pytest.mark.right
def test_where_no_memory_can_be_given_back_the_server_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where no library has no name."""

    def cdll(name: str | None) -> None:
        raise TypeError("argument of type 'NoneType' is not iterable")

    monkeypatch.setattr(warm.ctypes, "CDLL", cdll)
    warm._give_back()

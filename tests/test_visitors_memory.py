"""What visitors weigh is what they take, and what goes is freed."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tokviz
from tests.waiting import PATIENCE_S
from tokviz.base.once import Once
from tokviz.catalog import references
from tokviz.comparison.comparison import compare
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training, train, train_steps
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.compare.counting import Count, ReasonCount
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame import tokenizers
from tokviz.ui.frame import training as trainings
from tokviz.ui.server import weight
from tokviz.ui.server.cache import Cache
from tokviz.ui.server.holdings import Lost
from tokviz.ui.server.registry import MB, Visitors
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Work, start

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


# -- all together --


def at_work(person: Visitor, seed: int) -> None:
    """Type, train, upload and count, and look at it all, as the pages do."""
    person.text = prose(200_000 if seed % 10 == 0 else 10_000, seed) + ("🦜" if seed % 3 == 0 else "")
    corpus = prose(250_000 + 5_000 * seed, 1_000 + seed)
    job = trainings.TrainingWork("mine", "corpus", train_steps(corpus, 1_024 + 32 * seed))
    trainings.start(person, job)
    job.done.wait(60)
    [mine] = person.trained
    person.corpus = [tokviz.read_text(prose(150_000, 2_000 + seed).encode(), "more.txt")]
    file = FileCounts(tokviz.read_text((prose(60_000, 3_000 + seed) + "🦜" * (seed % 2)).encode(), "file.txt"))
    person.state(CompareState).files = [file]
    shown = [one for one in tokenizers.at_hand(person) if one.key in REFERENCES]
    count = Count([(file, shown)], place="files")
    start(person, count)
    count.done.wait(60)
    file.near("gpt2", shown[0].tokenizer, 5_000)
    for one in tokenizers.at_hand(person)[:3]:
        tokenizers.encoded(person, one.tokenizer, person.text).tokens_at  # noqa: B018 (it is kept from now on)
        tokenizers.badge(person, one.tokenizer, person.text)
    tokenizers.family_of(person, mine.tokenizer)


def test_visitors_weigh_what_they_take_and_leave_nothing(
    traced: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """tiktoken's own memory, which Python does not see, is left out on both sides."""
    monkeypatch.setattr(weight, "TIKTOKEN", 0)
    monkeypatch.setattr(weight, "TIKTOKEN_TOKEN", 0)
    # New ones: what the tests before this one encoded would decide when the memory of an encoder doubles.
    monkeypatch.setattr(references, "_references", Once(references._read))
    people = Visitors(limit=1_000 * MB, limit_each=1_000 * MB)
    for name in REFERENCES:
        tokenizers.reference(name).encode_array(" ".join(_words()) + " 🦜🦜")
    for seed in (0, 1):  # what is made once for all
        at_work(Visitor(), seed)

    before = traced()
    for seed in range(6):
        at_work(people.of(str(seed)), seed)
        people.keep_limits(people.of(str(seed)))
    grown = traced() - before
    assert grown > 6 * MB, "or there is nothing to measure"
    budget = sum(people.of(str(seed)).weight for seed in range(6))
    assert budget == pytest.approx(grown, rel=0.2)

    del people
    end = time.monotonic() + PATIENCE_S  # the threads of the work hold some of it until they have ended
    while (left := traced() - before) >= 0.05 * grown and time.monotonic() < end:
        time.sleep(0.05)
    assert left < 0.05 * grown


# -- estimates, and time --


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory a process has")
def test_the_estimate_of_what_tiktoken_takes() -> None:
    script = """
from pathlib import Path
import tokviz
from tokviz.formats.witness import witness
from tokviz.ui.server.weight import weigh
tok = tokviz.reference("gpt2").truncated(10_000)
def taken(): return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
some = [witness(tok) for _ in range(3)]
before = taken()
more = [witness(tok) for _ in range(20)]
print((taken() - before) / 20, weigh(more) / 20)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    taken, weighed = map(float, found.stdout.split())
    assert weighed == pytest.approx(taken, rel=0.4)


@pytest.mark.right
def test_weighing_takes_few_steps_so_that_each_press_can_do_it() -> None:
    person = Visitor()
    tokens = tokviz.reference("gpt2").truncated(32_256).vocab
    for number in range(5):
        ids = {bytes(bytearray(token)): id for id, token in tokens.items()}  # bytes of its own
        tok = Tokenizer.from_ranks(f"no. {number}", ids, pattern="gpt2", special_tokens={})
        person.add(tok.name, tok)
        assert tok.vocab and tok.rank_of(b"th") is not None
    person.text = prose(MB, 1)
    for shown in tokenizers.at_hand(person)[3:7]:
        assert len(tokenizers.encoded(person, shown.tokenizer, person.text))
    steps = 0

    def step(*_: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(step)
    try:
        person.weigh()
    finally:
        sys.setprofile(None)
    assert person.weight > 5 * 3 * MB
    assert steps < 100_000, "calls and returns; there are 160,000 tokens"


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
    one, other = person.trained
    gone = [weakref.ref(one.tokenizer), weakref.ref(one.training)]
    person.drop(one.key)
    del one
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert ("family", other.tokenizer) in person.cache, "what is about the other is still here"


def test_a_training_that_is_let_go_is_freed_and_its_tokenizer_stays(person: Visitor) -> None:
    mine = person.trained[0]
    gone = weakref.ref(mine.training)
    [holding] = [one for one in person.holdings() if one.lost == Lost("training", mine.name)]
    holding.let_go()
    del holding
    gc.collect()
    assert gone() is None and person.trained[0].tokenizer.vocab_size == 1_500


def test_work_that_is_over_keeps_no_training(person: Visitor) -> None:
    job = trainings.TrainingWork("third", "corpus", train_steps(prose(20_000, 3), 300))
    trainings.start(person, job)
    assert job.done.wait(60)
    mine = person.trained[-1]
    gone = weakref.ref(mine.training)
    person.drop(mine.key)
    del mine
    gc.collect()
    assert gone() is None and person.works


def test_counts_that_are_over_keep_no_file(person: Visitor) -> None:
    file = FileCounts(tokviz.read_text(prose(20_000, 3).encode(), "file.txt"))
    a, b = tokenizers.at_hand(person)[:2]
    for work in (Count([(file, [a, b])], place="files"), ReasonCount(file, (a, b), place="reasons")):
        start(person, work)
        assert work.done.wait(60) and not work.failed
    gone = [weakref.ref(file), weakref.ref(a.own)]
    assert file.reasons
    person.drop(a.key)
    del file, a, b, work
    gc.collect()
    assert [ref() for ref in gone] == [None, None] and set(person.works) == {"files", "reasons"}


@dataclass(eq=False)
class Failing(Work):
    """Work that fails while it holds something large."""

    holds: list[weakref.ref[Any]] = field(default_factory=list)

    @property
    def doing(self) -> str:
        return "Failing"

    def slices(self) -> Iterator[None]:
        large = tokviz.read_text(b"large")
        small = np.zeros(5)
        self.holds.append(weakref.ref(small))
        yield
        try:
            int(large.text)
        except ValueError as fault:
            raise tokviz.TokvizError("It failed.") from fault
        del small


def test_an_error_that_is_kept_keeps_nothing_else() -> None:
    person, work = Visitor(), Failing(place="here")
    start(person, work)
    assert work.done.wait(60)
    gc.collect()
    assert work.error and work.error.what == "It failed."
    assert work.holds[0]() is None


def test_a_work_that_began_meanwhile_is_not_let_go() -> None:
    person = Visitor()
    person.works = {"here": (over := Failing(place="here"))}
    over.done.set()
    [holding] = [one for one in person.holdings() if over in one.things]
    person.works = {"here": (begun := Failing(place="here"))}
    holding.let_go()
    assert person.works == {"here": begun}


def test_entries_about_a_thing_are_found_inside_keys() -> None:
    kept, thing, same = Cache(), ["thing"], ("a",)
    for key in [("about", id(thing)), ("compared", (same, ("b",)), "text"), same]:
        kept.get(key, lambda: 1)
    kept.drop_about(same)
    assert len(kept) == 1 and ("about", id(thing)) in kept

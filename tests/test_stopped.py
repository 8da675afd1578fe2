"""What is stopped in the middle of counting or encoding: what it gives is right, and what comes next too."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training
from tests.test_large_corpora import small_parts
from tests.test_training import CAT
from tests.waiting import PATIENCE_S
from tokviz.corpus import counting as corpus
from tokviz.corpus import reading
from tokviz.corpus.counters import Counters
from tokviz.kernels import collecting, encoding
from tokviz.kernels.counting import GIVE_UP, ChunkCounter
from tokviz.kernels.splitting import REREAD
from tokviz.split.cutting import automaton_of


@given(settings_of_training(), st.integers(1, 20), st.integers(1, 3), st.integers(0, 9))
def test_a_counting_that_is_stopped_has_counted_the_first_bytes(
    setting: Setting, part: int, threads: int, steps: int
) -> None:
    with small_parts(part, threads) as patch:
        patch.setattr(reading, "BLOCK", 2 * part)
        counting = corpus.begin_counting(setting.texts, setting.pattern, setting.special_tokens)
        run = counting.run()
        assert len([*islice(run, steps)]) <= steps
        run.close()
    counts, kept_part = counting.result()
    kept = kept_part()
    assert kept.data == "".join(setting.texts).encode()[: counts.n_bytes]
    of_specials = [len(token.encode()) for token in setting.special_tokens]
    assert counts.n_bytes == sum(len(chunk) * n for chunk, n in counts) + np.dot(of_specials, counts.special_counts)
    assert kept.starts[-1] == counts.n_bytes
    for (chunk, _), first in zip(counts, counts.firsts.tolist(), strict=True):
        assert kept.data[first : first + len(chunk)] == chunk


def test_nothing_is_kept_behind_a_gap() -> None:
    """There is one if the counting is stopped while `regex` does a part whose end the automaton did not reach."""
    automaton = automaton_of("gpt2")
    assert automaton
    for threads in (1, 2):
        counters = Counters(100, 1, threads)
        with counters.at_work():
            counters.add(0, memoryview(b"ab"), np.array([1, 2]))
            counters.add(6, memoryview(b"<s>"), np.array([3]), special=0)
            counters.add(9, memoryview(b"cd"), np.array([2]))
        totals = counters.totals()
        assert (totals.order().tolist(), totals.kept, totals.special_counts) == ([0, 1], 2, [1])
        assert counters.n_bytes == 7 and totals.chunks.ends.tolist() == [1, 2, 4]


def test_an_automaton_that_gives_up_leaves_no_special_token_to_count_again() -> None:
    """A thread goes on with its next part, which begins with one, although it has read too many bytes again."""
    automaton = automaton_of("gpt2")
    assert automaton
    counter = ChunkCounter(100, 1)
    counter.here[REREAD] = 10**9
    counter.feed(b"<s>the cat", [3, 10], [0, -1], True)
    assert counter.count(automaton.symbols, automaton.table, 11) == GIVE_UP
    assert counter.special_counts.tolist() == [1]
    assert counter.done == 3


def test_threads_that_collect_pairs_end_soon_where_the_caller_stops() -> None:
    begun, steps = threading.Barrier(3), [0, 0]

    def work(part: int, _: int) -> Generator[None, None, None]:
        begun.wait(PATIENCE_S)
        for _ in range(100_000):
            steps[part] += 1
            time.sleep(0.001)
            yield

    run = collecting._each([(0, 0), (1, 0)], work)
    next(run)
    begun.wait(PATIENCE_S)
    run.close()
    assert max(steps) < 100_000
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("collect")]


def test_an_error_in_a_thread_that_collects_pairs_reaches_the_caller() -> None:
    def work(part: int, _: int) -> Generator[None, None, None]:
        yield
        if part:
            raise MemoryError

    with pytest.raises(MemoryError):
        [*collecting._each([(0, 0), (1, 0)], work)]


@pytest.mark.parametrize("fault", [KeyboardInterrupt, MemoryError])
def test_an_encoder_that_is_interrupted_begins_the_next_text_anew(
    monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    """Ctrl+C takes effect when a call of the kernel returns. The next text then went on where this one had stopped."""
    tok = tokviz.train(CAT, 280).tokenizer
    long = CAT * (15_000 // len(CAT))  # it pauses only between batches of chunks
    expected = [tok.encode(CAT), tok.encode(long)]
    monkeypatch.setattr(encoding, "SLICE", 7)
    encode = encoding._encode
    for calls in (0, 1, 2):
        fresh, left = tok.truncated(tok.vocab_size), iter(range(calls))

        def interrupted(*arguments: Any) -> int:
            n_ids: int = encode(*arguments)
            if next(left, None) is None:  # noqa: B023
                raise fault
            return n_ids

        with monkeypatch.context() as patch:
            patch.setattr(encoding, "_encode", interrupted)
            with pytest.raises(fault):
                fresh.encode(long)
        assert [fresh.encode(CAT), fresh.encode(long)] == expected

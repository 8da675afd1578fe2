"""What is made once for each key stays one object, however many threads ask for it at the same time."""

from __future__ import annotations

import threading
import time

import pytest

from tokviz.base.once import Once, once_each


def test_threads_that_ask_at_once_get_one_finished_object() -> None:
    made: list[list[str]] = []

    def make(key: str) -> list[str]:
        new: list[str] = []
        made.append(new)
        time.sleep(0.05)  # the others ask while this one is still empty
        new.append(key)
        return new

    once = Once(make)
    found: list[tuple[list[str], bool]] = []
    at_once = threading.Barrier(8)

    def ask() -> None:
        at_once.wait()
        one = once("gpt2")
        found.append((one, one == ["gpt2"]))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 8
    assert all(one is made[0] and finished for one, finished in found)


def test_making_one_may_ask_for_another() -> None:
    once: Once[int, int] = Once(lambda n: n * once(n - 1) if n else 1)
    assert once(5) == 120
    assert once.ready(3)
    assert not once.ready(6)


def test_what_could_not_be_made_is_tried_again() -> None:
    answers = iter([ValueError("not yet"), "made"])

    def make(key: str) -> str:
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    once = Once(make)
    with pytest.raises(ValueError, match="not yet"):
        once("a")
    assert not once.ready("a")
    assert once("a") == "made"


def test_only_so_many_are_kept_and_the_oldest_goes() -> None:
    made: list[tuple[int, str]] = []

    @once_each(2)
    def make(number: int, word: str = "a") -> int:
        made.append((number, word))
        return number

    assert [make(1), make(2), make(1, word="b"), make(2), make(1, word="b")] == [1, 2, 1, 2, 1]
    assert made == [(1, "a"), (2, "a"), (1, "b")]
    assert make(1) == 1
    assert made[3:] == [(1, "a")]

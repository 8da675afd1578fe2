"""Errors: they can be copied, and one that is kept keeps nothing else in memory."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tokviz.base.errors import InputError, SpecialTokenError, TokvizError, UnknownIdError
from tokviz.ui.frame.uploads import read_files

ERRORS = [
    TokvizError("It failed."),
    InputError("It failed.", "Try again.", offset=3),
    SpecialTokenError("It failed.", token="<s>", offset=0),
    UnknownIdError("It failed.", "Try again.", id=7, position=1),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_has_all_that_the_error_has(error: TokvizError, copied: Callable[[TokvizError], TokvizError]) -> None:
    twin = copied(error)
    assert twin is not error and type(twin) is type(error)
    assert str(twin) == str(error) and vars(twin) == vars(error)


def test_a_refused_file_leaves_nothing_of_it_in_memory() -> None:
    size = 5_000_000
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        file = SimpleNamespace(file_id="1", name="notes.txt", size=size, getvalue=lambda: b"caf\xe9 " * (size // 5))
        texts, [fault] = read_files([file])
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert texts == {} and isinstance(fault, InputError) and fault.offset == 3
    assert after - before < size / 10

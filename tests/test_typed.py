"""Values of JSON are read as types say, or refused with the name of the place that does not fit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.base.typed import Id, JsonCount, JsonText, Misfit, read


class Patch(NamedTuple):
    start: Annotated[Id, "from"]
    insert: str
    quiet: bool = False


@dataclass(frozen=True)
class Hello:
    keys: Annotated[list[JsonText], range(1, 3)]
    tie: Literal["first", "hf", 1] | None = None
    inner: Patch | None = None


HELLO = Hello(["a"], 1, Patch(0, "", quiet=True))
NUMBERS = list[Id]
PAIRS = tuple[tuple[int, float], ...]


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        ({"from": 1, "insert": "a", "more": 2}, Patch, Patch(1, "a")),
        ({"from": 1, "insert": "a"}, Hello | Patch, Patch(1, "a")),
        ({"keys": ["a"], "tie": 1, "inner": {"from": 0, "insert": "", "quiet": True}}, Hello | Patch, HELLO),
        ([[1, 2], [3, 0.5]], PAIRS, ((1, 2), (3, 0.5))),
        ([0, 2**31 - 1], NUMBERS, [0, 2**31 - 1]),
        ({"a": None}, dict[str, int | None], {"a": None}),
        ({"a": [1, {}]}, Any, {"a": [1, {}]}),
    ],
)
def test_what_fits_is_read(value: Any, kind: Any, found: Any) -> None:
    assert read(value, kind) == found


@pytest.mark.parametrize(
    ("value", "kind", "says"),
    [
        ({"from": -1, "insert": "a"}, Patch, "'from' is -1, which is not a whole number from 0 on"),
        ({"from": True, "insert": "a"}, Patch, "'from' is True, which is not a whole number"),
        ({"from": 1}, Patch, "'insert' is missing"),
        ({"from": 1, "insert": "a", "quiet": 1}, Hello | Patch, "'quiet' is 1, which is not true or false"),
        ({"keys": ["a", "\ud800"]}, Hello, "'keys[1]' is '\\ud800', which contains half a character"),
        ({"keys": []}, Hello, "'keys' is [], which is not from 1 to 2 long"),
        ({"keys": ["a"], "tie": True}, Hello | None, "'tie' is True, which is none of first, hf, 1"),
        ({"keys": ["a"], "inner": {"from": 1}}, Patch | Hello, "'inner.insert' is missing"),
        ([[1, 2], [3]], PAIRS, "'[1]' is [3], which is not a list of 2"),
        ([0, 2**31], NUMBERS, "'[1]' is 2147483648, which is not a whole number from 0 on"),
        ({"a b": "1"}, dict[str, JsonCount], "'['a b']' is '1', which is not a whole number"),
        (5, Patch | None, "it is 5, which is not an object"),
    ],
)
def test_what_does_not_fit_is_named(value: Any, kind: Any, says: str) -> None:
    with pytest.raises(Misfit) as caught:
        read(value, kind)
    assert str(caught.value) == says


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["from", "insert", "keys", "tie", "x"]), inner),
)


@given(ANY)
def test_nothing_else_is_raised(value: Any) -> None:
    for kind in (
        Patch,
        Hello | Patch | None,
        NUMBERS,
        PAIRS,
        dict[JsonText, list[JsonCount]],
        Annotated[str, range(3)],
    ):
        try:
            read(value, kind)
        except Misfit as fault:
            json.dumps(str(fault)).encode()

"""JSON of a large file, which is read in pieces, says what Python's own reader says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.base import json_files
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, read_json

SIGNS = '[]{},:"\\ \n1eu-'
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.sampled_from(SIGNS + "aé日👍\x00") | st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    plain | texts,
    lambda inner: (
        st.lists(inner, max_size=30) | st.dictionaries(texts, inner, max_size=30) | st.lists(inner, min_size=25)
    ),
)
written = st.builds(
    lambda value, ascii, indent: json.dumps(value, ensure_ascii=ascii, indent=indent).encode(),
    values,
    st.booleans(),
    st.sampled_from([None, 1]),
)


def read(data: bytes) -> Any:
    """What the reader of pieces makes of a file; None if it refuses it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "LARGE", 0)
        try:
            return repr(InputFile("x.json", data).json)
        except FormatError:
            return None


def theirs(data: bytes) -> Any:
    try:
        return repr(read_json(data.decode("utf-8-sig")))
    except ValueError:
        return None


@given(written)
def test_it_says_what_python_says(data: bytes) -> None:
    assert read(data) == theirs(data) is not None


@given(written, st.integers(0, 10_000), st.integers(0, 1), st.sampled_from(["", *SIGNS, "\\u12", "\xff"]))
def test_it_refuses_what_python_refuses(data: bytes, place: int, gone: int, sign: str) -> None:
    place %= len(data) + 1
    damaged = data[:place] + sign.encode("latin-1") + data[place + gone :]
    assert read(damaged) == theirs(damaged)


def test_no_piece_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads have their turn between two pieces."""
    sizes: list[int] = []
    monkeypatch.setattr(json_files, "read_json", lambda text: sizes.append(len(text)) or read_json(text))
    added = [{"id": id, "content": f"<{id}>", "special": True} for id in range(20_000)]
    fields = {"added": added, "vocab": {f"w{id}": id for id in range(50_000)}, "merges": [["a", "b"]] * 50_000}
    data = json.dumps(fields).encode()
    assert InputFile("x.json", data).json == fields
    assert len(data) > json_files.LARGE and max(sizes) < len(data) / 30


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (b'"a": 1, "a": 2}', r"'a' is in it twice"),
        (b'"a": 1] ', r"Expecting ',' delimiter \(near byte 1,2"),
        (b'"a": 1', r"Expecting ',' delimiter \(near byte 1,2"),
        (b'"a": \xff"b"}', r"x\.json is no text: byte 1,200,0.. is not UTF-8"),
        (b'"a": ' + b"9" * 5_000 + b"}", r"damaged: .*digits"),
        (b'"a": ' + b"[" * 200_000, r"nests too deeply"),
        (b'"a": 1} 2', r"Extra data \(near byte 1,2"),
    ],
)
def test_what_is_wrong_with_a_large_file_is_said(end: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        _ = InputFile("x.json", b'{"filled": "' + b"x" * 1_200_000 + b'", ' + end).json

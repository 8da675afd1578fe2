"""Bytes come in by one door: what was found there is told, nothing is lost in silence."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import any_character
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.kernels.utf8 import valid_until

BOM = b"\xef\xbb\xbf"


@given(st.text(), st.booleans())
def test_utf8_comes_back_as_it_was(text: str, bom: bool) -> None:
    raw = (BOM if bom else b"") + text.encode()
    read = tokviz.read_text(raw, "a.txt")
    if not bom and text.startswith("\ufeff"):
        text, bom = text[1:], True
    assert (read.text, read.name, read.bom, read.repaired) == (text, "a.txt", bom, 0)
    assert read.n_bytes == len(text.encode())
    assert read.sha256 == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize(
    ("data", "offset", "says"),
    [
        (b"abc\xff", 3, r"byte 3 \(line 1\) is FF, which cannot begin"),
        (b"caf\xe9 au lait", 3, r"is E9, which begins.*Latin-1"),
        (BOM + b"caf\xe9", 6, "byte 6"),
        ("日本".encode()[:-1], 3, "is E6, which begins"),
        (b"\xed\xa0\x80", 0, "ED"),
        (b"\x7fELF\0\0\xff", 6, "binary"),
        (b"x" * 1_234_567 + b"\xff", 1_234_567, "byte 1,234,567"),
    ],
)
def test_the_first_fault_is_named(data: bytes, offset: int, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        tokviz.read_text(data, "notes.txt")
    assert caught.value.offset == offset
    assert str(caught.value).startswith("notes.txt is not UTF-8")


ALMOST_UTF8 = st.lists(
    st.one_of(
        any_character.map(str.encode),
        st.sampled_from([b"\xed\xa0\x80", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xc1\xbf"]),
        st.binary(max_size=2),
        st.sampled_from([b"eight of", b"sixteen letters,"]),
    ),
    max_size=9,
).map(b"".join)


@given(ALMOST_UTF8)
def test_the_kernel_stops_where_python_does(data: bytes) -> None:
    try:
        end = len(data.decode().encode())
    except UnicodeDecodeError as fault:
        end = fault.start
    assert valid_until(np.frombuffer(data, np.uint8)) == end


@given(
    st.one_of(ALMOST_UTF8, st.lists(st.sampled_from([b"\xef", b"\xbf", b"\xbd", b"\xf0", b"\x9f", b"a"])).map(b"".join))
)
def test_repair_replaces_faults_and_nothing_else(raw: bytes) -> None:
    """Counted apart: each fault is where strict decoding stops, and it may be several replacements long."""
    read = tokviz.read_text(raw, repair=True)
    body, good, faults = raw.removeprefix(BOM), "", 0
    while True:
        try:
            good += body.decode()
            break
        except UnicodeDecodeError as fault:
            good += body[: fault.start].decode() + "\ufffd"
            body = body[fault.end :]
            faults += 1
    assert (read.text, read.repaired, read.bom) == (good, faults, raw.startswith(BOM))
    assert read.sha256 == hashlib.sha256(raw).hexdigest()
    assert (read.n_bytes, read.text.encode().decode()) == (len(good.encode()), good)


@given(st.text(any_character))
def test_clean_leaves_what_utf8_can_write(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    pairs_joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert cleaned == "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in pairs_joined)

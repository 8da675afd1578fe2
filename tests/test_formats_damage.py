"""Damaged files: each loads as a sound tokenizer, or is refused with an error that names the file. None crashes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.bounded import bounded
from tests.formats_cases import in_gguf, in_tekken
from tokviz import Tokenizer
from tokviz.base.errors import TokvizError
from tokviz.formats import FORMATS, WRITTEN, dump, load

CAT = "the cat in the hat sat on the mat."
TOK = tokviz.train([CAT, "<s> é"], 266, pattern="cl100k", special_tokens=["<s>", "<é>"]).tokenizer
# The same with two tokens that no pair makes, for the formats that hold such tokens.
UNMADE = Tokenizer.from_ranks(
    "unmade", {**TOK.rank_file, b" sat": 270, b"qu\xff": 271}, pattern="cl100k", special_tokens=TOK.special_tokens
)
LOADED = [key for key, format in FORMATS.items() if format.read]
HOLD_BOTH = ("tokviz", "tiktoken", "hf")
SAY = {"pattern": "cl100k", "special_tokens": dict(TOK.special_tokens)}
ODD = [None, True, -1, 0, 97, 255, 256, 2**31, 2**70, 1.5, "", "é", "a b", "Ġ", "\ud800", "x" * 3_000]
ODD += [[], {}, [[]], [97, 98], {"a": 1}]
BYTES = b'0129",:[]{}x\\ =A\n\r\xff\x80\x00\xef\xbb\xbf'


def mutated_json(value, choose: random.Random):
    """The value with one change somewhere in it."""
    if isinstance(value, dict) and value and choose.random() < 0.9:
        key = choose.choice(list(value))
        change = choose.choice(["in", "in", "in", "drop", "rename"])
        if change == "in":
            return {**value, key: mutated_json(value[key], choose)}
        rest = {name: value[name] for name in value if name != key}
        return rest if change == "drop" else {**rest, choose.choice(["x", "a", "Ġt", "97", "type"]): value[key]}
    if isinstance(value, list) and value and choose.random() < 0.9:
        i, j = choose.randrange(len(value)), choose.randrange(len(value))
        change = choose.choice(["in", "in", "drop", "double", "swap"])
        value = list(value)
        if change == "in":
            value[i] = mutated_json(value[i], choose)
        elif change == "drop":
            del value[i]
        elif change == "double":
            value.insert(j, value[i])
        else:
            value[i], value[j] = value[j], value[i]
        return value
    if isinstance(value, int) and choose.random() < 0.5:
        return value + choose.choice([-1, 1, 256])
    return choose.choice(ODD)


def files_of(tok: Tokenizer, format: str) -> dict[str, bytes]:
    if format in WRITTEN:
        return dump(tok, format)
    return in_tekken(tok) if format == "tekken" else in_gguf(tok, tokenizer_pre="llama-bpe" if tok.lookups else "dbrx")


def mutations(format: str, n: int, seed: int) -> Iterator[dict[str, bytes]]:
    """Files of a format with something wrong in one of them."""
    choose = random.Random(seed)
    kinds = [files_of(tok, format) for tok in ((TOK, UNMADE) if format in HOLD_BOTH else (TOK,))]
    for _ in range(n):
        files = choose.choice(kinds)
        name = choose.choice(list(files))
        data = files[name]
        kind = choose.choice(["json", "bytes", "lines", "end"] if name.endswith("json") else ["bytes", "lines", "end"])
        if kind == "json":
            data = json.dumps(mutated_json(json.loads(data), choose)).encode()
        elif kind == "bytes":
            changed = bytearray(data)
            for _ in range(choose.randint(1, 3)):
                changed[choose.randrange(len(changed))] = choose.choice(BYTES)
            data = bytes(changed)
        elif kind == "lines":
            lines = data.split(b"\n")
            i, j = choose.randrange(len(lines)), choose.randrange(len(lines))
            change = choose.choice(["drop", "double", "swap", "blank"])
            if change == "drop":
                del lines[i]
            elif change == "double":
                lines.insert(j, lines[i])
            elif change == "swap":
                lines[i], lines[j] = lines[j], lines[i]
            else:
                lines.insert(i, b"")
            data = b"\n".join(lines)
        else:
            data = data[: choose.randrange(len(data))]
        yield {**files, name: data}


def assert_refused_or_sound(files: dict[str, bytes], say: dict) -> bool:
    try:
        tok = load(files, **say)
    except TokvizError as fault:
        refused = fault
    else:
        assert_sound(tok)
        return False
    assert any(name in str(refused) for name in files), refused
    assert len(refused.what) < 1_000
    return True


def assert_sound(tok: Tokenizer) -> None:
    """It encodes, decodes, and comes back from the format that loses nothing."""
    again = load(dump(tok, "tokviz"))
    assert (again.vocab, again.merges, again.pattern) == (tok.vocab, tok.merges, tok.pattern)
    try:
        ids = tok.encode(CAT, "all")
    except TokvizError:  # its pattern may have become one that does not cover the text
        return
    there = "".join(sign for sign in CAT if ord(sign) not in tok.lacked)  # the rest is the unknown token, or nothing
    assert tok.unknown is not None or tok.decode(ids) == there
    assert [id for id in tok.explain(CAT, "all").ids.tolist() if id >= 0] == ids


@pytest.mark.longer
@pytest.mark.parametrize("format", LOADED)
@given(seed=st.integers(0, 10**9))
def test_damage_is_refused_or_harmless(format: str, seed: int) -> None:
    say = {field: SAY[field] for field in FORMATS[format].asks}
    for files in mutations(format, 5, seed):
        assert_refused_or_sound(files, say)


@pytest.mark.parametrize("format", LOADED)
def test_files_that_end_too_soon(format: str) -> None:
    say = {field: SAY[field] for field in FORMATS[format].asks}
    files = files_of(TOK, format)
    for name, data in files.items():
        refused = [
            assert_refused_or_sound({**files, name: data[:size]}, say)
            for size in range(0, len(data), max(1, len(data) // 20))
        ]
        assert any(refused)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"model": {"vocab": {"a": ' + b"9" * 5_000 + b"}}}",
        b"minbpe v1\n\n" + b"9" * 5_000,
        b"AA== " + b"9" * 5_000,
        b"#version\n" + b"a" * 1_000_000,
        b"{" + b" " * 100_000,
        b'{"0": ' + b'"a", "0": ' * 10_000 + b'"a"}',
        b'{"' + b"k" * 10_000 + b'": 1, "' + b"k" * 10_000 + b'": 1}',
        b"minbpe v1\n\n0\n97 97\n" + b"".join(b"%d %d\n" % (id, id) for id in range(256, 281)),  # 134 MB of tokens
        b"minbpe v1\n\n1\n" + b"s" * 10_000 + b" 300\n",
    ],
)
def test_hostile_files_are_refused(data: bytes) -> None:
    assert assert_refused_or_sound({"x": data}, {})
    assert assert_refused_or_sound({"x": data}, SAY)


def test_a_file_past_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, model_file_mb=0.0001)
    with pytest.raises(TokvizError, match=r"\.json has .* bytes; a file may have 100"):
        load(dump(TOK, "tokviz"))

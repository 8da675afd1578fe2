"""Makes sentences that have tokens in them: parts that the page draws one after the other, each in its own way.

A token in a sentence is its bytes. Where a sentence is made, it can be its id (`IdPair`, `IdRun`): `spelled` puts the
bytes in place of the ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tokviz.base.wording import visible


@dataclass(frozen=True, slots=True)
class Strong:
    """Holds words with emphasis."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Holds words of a program."""

    text: str


@dataclass(frozen=True, slots=True)
class Goto:
    """Holds a link. to: a page with its query, as in "/replay" or "/learn?v=1&step=bytes-1"."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class IdPair:
    """Holds a pair of tokens by their ids."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class IdRun:
    """Holds tokens side by side, by their ids."""

    ids: tuple[int, ...]


SentencePart = str | bytes | Strong | Code | Goto | IdPair | IdRun
"""A part of a sentence: words, a token as bytes, words with emphasis, code, a link, or tokens by their ids."""
Sentence = list[SentencePart]
Told = list[Any]
"""A sentence as the browser reads it: what `to_json` gives."""


def plain(parts: Iterable[SentencePart]) -> str:
    """Write a sentence without its drawing, for tests, prints and screen readers.

    >>> plain([Strong("Right."), " ", b" the", " occurs 5 times."])
    'Right. ·the occurs 5 times.'
    """
    return "".join(map(_in_words, parts))


def _in_words(part: SentencePart) -> str:
    match part:
        case str():
            return part
        case bytes():
            return visible(part)
        case IdPair(left, right):
            return f"{left} + {right}"
        case IdRun(ids):
            return " ".join(map(str, ids))
    return part.text


def spelled(parts: Iterable[SentencePart], vocab: Mapping[int, bytes]) -> Sentence:
    """Replace tokens given by their ids by their bytes. vocab: id -> bytes.

    >>> spelled([IdPair(116, 104), " occurs twice."], {116: b"t", 104: b"h"})
    [b't', ' + ', b'h', ' occurs twice.']
    """
    said: Sentence = []
    for part in parts:
        match part:
            case IdPair(left, right):
                said += pair(vocab[left], vocab[right])
            case IdRun(ids):
                said += (vocab[id] for id in ids)
            case _:
                said.append(part)
    return said


def pair(left: bytes, right: bytes) -> Sentence:
    """Make the parts of a sentence that name a pair of tokens.

    >>> plain(pair(b"t", b"h"))
    't + h'
    """
    return [left, " + ", right]


def to_json(parts: Iterable[SentencePart]) -> Told:
    """Turn the parts into what the browser reads: words, or an object with one name for the kind.

    >>> to_json(["It is ", b"the", Goto("here", "/replay")])
    ['It is ', {'token': '746865'}, {'link': 'here', 'to': '/replay'}]
    """
    told: Told = []
    for part in parts:
        match part:
            case str():
                told.append(part)
            case bytes():
                told.append({"token": part.hex()})
            case Strong(text):
                told.append({"strong": text})
            case Code(text):
                told.append({"code": text})
            case Goto(text, to):
                told.append({"link": text, "to": to})
            case IdPair() | IdRun():
                raise ValueError("A browser knows no token by its id alone. Put its bytes in its place: see `spelled`.")
    return told

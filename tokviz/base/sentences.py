"""Sentences that have tokens in them: parts that the page draws one after the other, each in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokviz.base.wording import visible


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Words of a program."""

    text: str


@dataclass(frozen=True, slots=True)
class Goto:
    """A link. to: a page with its query, as in "/replay" or "/learn?v=1&step=bytes-1"."""

    text: str
    to: str


Part = str | bytes | Strong | Code | Goto
"""A part of a sentence: words, a token as bytes, words that stand out, code, or a link."""


def plain(parts: Iterable[Part]) -> str:
    """A sentence without its drawing, for tests, prints and screen readers.

    >>> plain([Strong("Right."), " ", b" the", " occurs 5 times."])
    'Right. ·the occurs 5 times.'
    """
    return "".join(
        part if isinstance(part, str) else visible(part) if isinstance(part, bytes) else part.text for part in parts
    )


def pair(left: bytes, right: bytes) -> list[Part]:
    """A pair of tokens in a sentence.

    >>> plain(pair(b"t", b"h"))
    't + h'
    """
    return [left, " + ", right]


def to_json(parts: Iterable[Part]) -> list[Any]:
    """The parts as the browser reads them: words, or an object with one name for the kind.

    >>> to_json(["It is ", b"the", Goto("here", "/replay")])
    ['It is ', {'token': '746865'}, {'link': 'here', 'to': '/replay'}]
    """
    told: list[Any] = []
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
    return told

"""Reads a split pattern as a tree: the part of the `regex` package's syntax that `tokviz.split.automaton` can compile.

Whatever is not proven to match as in the `regex` package raises NotProven, and that package runs the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEPTH_LIMIT = 50  # groups in groups

# What may follow a backslash: a class, a control character, a character by its number, or a mark that means itself.
_ESCAPE = re.compile(
    r"\\(?:[pP]\{\^?[\w :=.-]+\}|[pP][A-Z]|[sSdDwW]|[nrtfva]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^\w\s])", re.A
)
_REPEAT = re.compile(r"[?*+]|\{(\d+)(,(\d*))?\}", re.A)
_LOOK = re.compile(r"\(\?([=!])")


class NotProven(Exception):
    """The pattern has something that cannot be proven to match as in the `regex` package. The message says what."""


def parse(pattern: str) -> Node:
    r"""Read a pattern as a tree. Raises NotProven.

    >>> parse("a|b+")
    Choice(parts=(Atom(text='a'), Repeat(part=Atom(text='b'), least=1, most=None, possessive=False)))
    >>> parse(r"\ba")
    Traceback (most recent call last):
        ...
    tokviz.split.pattern_tree.NotProven: an escape of a special kind
    """
    parser = _Parser(pattern)
    tree = parser.choice(False)
    if parser.at < len(pattern):
        raise NotProven("a bracket that nothing opens")
    return tree


@dataclass(frozen=True, slots=True)
class Atom:
    """Matches one character of a class. `text` is a pattern that matches one character of the class."""

    text: str


@dataclass(frozen=True, slots=True)
class Look:
    """Looks ahead: the next character is of a class, or is not if `wanted` is false. The end of the text is of none."""

    text: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class End:
    """Means the pattern `$`."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """The parts match one after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the parts matches; an earlier one is preferred."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The part matches `least` to `most` times, as often as it can; None is any number. possessive: it keeps what it
    took, even if the rest of the pattern then fails."""

    part: Node
    least: int
    most: int | None
    possessive: bool


Node = Atom | Look | End | Sequence | Choice | Repeat


class _Parser:
    """Reads a pattern once, left to right. any_case: the part being read is inside (?i:...)."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def _sees(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def _takes(self, text: str) -> bool:
        seen = self._sees(text)
        self.at += len(text) if seen else 0
        return seen

    def choice(self, any_case: bool) -> Node:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise NotProven("groups nested very deep")
        parts = [self._sequence(any_case)]
        while self._takes("|"):
            parts.append(self._sequence(any_case))
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self, any_case: bool) -> Node:
        parts = []
        while self.at < len(self.pattern) and not self._sees("|") and not self._sees(")"):
            parts.append(self._repeated(any_case))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, any_case: bool) -> Node:
        part = self._single(any_case)
        found = _REPEAT.match(self.pattern, self.at)
        if found is None:
            return part
        self.at = found.end()
        if found[1] is None:
            least, most = {"?": (0, 1), "*": (0, None), "+": (1, None)}[found[0]]
        else:
            least = int(found[1])
            most = least if found[2] is None else int(found[3]) if found[3] else None
        possessive = self._takes("+")
        if self._sees("?") or _REPEAT.match(self.pattern, self.at):
            raise NotProven("a lazy or a repeated repeat")
        if possessive and not isinstance(part, Atom):
            raise NotProven("a possessive repeat of more than one class")
        if _can_be_empty(part):
            raise NotProven("a repeat of a part that may be empty")
        if most is not None and not least <= most:
            raise NotProven("a repeat that runs backwards")
        return Repeat(part, least, most, possessive)

    def _single(self, any_case: bool) -> Node:
        look = _LOOK.match(self.pattern, self.at)
        if look is not None:
            self.at = look.end()
            part = self._single(any_case)
            if not isinstance(part, Atom) or not self._takes(")"):
                raise NotProven("a look ahead at more than one class")
            return Look(part.text, look[1] == "=")
        for opening, fold in (("(?:", any_case), ("(?i:", True), ("(", any_case)):
            if opening == "(" and self._sees("(?"):
                raise NotProven("a group of a special kind")
            if self._takes(opening):
                part = self.choice(fold)
                if not self._takes(")"):
                    raise NotProven("a bracket that nothing closes")
                return part
        if self._takes("$"):
            return End()
        text = self._atom()
        return Atom(f"(?i:{text})" if any_case else text)

    def _atom(self) -> str:
        start = self.at
        character = self.pattern[start]
        if character == "[":
            self._to_the_end_of_the_set()
        elif character == "\\":
            self._escape()
        elif character in "^{?*+":
            raise NotProven(f"{character!r} at this place")
        else:
            self.at += 1
        return self.pattern[start : self.at]

    def _escape(self) -> None:
        found = _ESCAPE.match(self.pattern, self.at)
        if found is None:
            raise NotProven("an escape of a special kind")
        self.at = found.end()

    def _to_the_end_of_the_set(self) -> None:
        self.at += 1
        self._takes("^")
        if self._sees("]"):
            raise NotProven("a set that begins with ]")
        while not self._takes("]"):
            if self.at >= len(self.pattern) or self._sees("["):
                raise NotProven("a set within a set")
            if self._sees("\\"):
                self._escape()
            else:
                self.at += 1


def _can_be_empty(node: Node) -> bool:
    """May the node match without taking a character?"""
    match node:
        case Atom():
            return False
        case Sequence(parts):
            return all(_can_be_empty(part) for part in parts)
        case Choice(parts):
            return any(_can_be_empty(part) for part in parts)
        case Repeat(part, least):
            return least == 0 or _can_be_empty(part)
        case _:
            return True

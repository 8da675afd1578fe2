r"""Takes a split pattern apart, and says which of its alternatives matched each chunk of a text.

    '(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++|...          a pattern
    '(?:[sdmt]|ll|ve|re)    ?\p{L}++    ?\p{N}++   ...    its clauses: the alternatives that no bracket surrounds

The clauses are tried in their order, and the first one that matches makes the chunk. So each clause is put into a group
with a name, and the name of the group that matched says which clause it was. The groups are tried in the whole text,
because a clause such as \s+(?!\S) looks at what follows the chunk. For a named pattern, that is the text of Unicode
classes by which `tokviz.split.cutting` cuts. Every chunk is compared with the one that the pattern itself cuts there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import regex

from tokviz.base import bounds
from tokviz.base.errors import PatternError
from tokviz.split.automaton import representatives
from tokviz.split.clause_sentences import sentence_of
from tokviz.split.cutting import PATTERNS, byte_offsets, cut_data, match_in_batches
from tokviz.split.pipeline import stages_of

_FLAGS = regex.compile(r"\(\?((?:V[01]|[abefilmprsuwxL])*)(?:-([a-z]+))?([:)])")
_CLASS_BY_NAME = regex.compile(r"\[:\^?\w[\w =-]*:\]")
_GROUP_BY_NUMBER = regex.compile(r"\\(?:[1-9]|g<[-+]?\d)|\(\?(?:[-+]?\d|R\)|\(\d|\(DEFINE\))")
_OTHER_ORDERS = "bepr"  # flags with which the first alternative that matches is not always the one that counts


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Holds a pattern as its clauses: head + clauses joined by | + tail.

    head, tail: flags for the whole pattern, and brackets around all of it. flags: the letters of these flags.
    """

    head: str
    clauses: tuple[str, ...]
    tail: str
    flags: str

    def grouped(self) -> tuple[str, list[str]]:
        """Put a group around each clause. Returns the pattern and the names of these groups."""
        name = "clause"
        while any(name in clause for clause in self.clauses):
            name += "_"
        names = [f"{name}{i}" for i in range(len(self.clauses))]
        end = "\n" if "x" in self.flags else ""  # else a comment would contain the closing bracket
        groups = [f"(?P<{name}>{clause}{end})" for name, clause in zip(names, self.clauses, strict=True)]
        return f"{self.head}{'|'.join(groups)}{end}{self.tail}", names


class ClauseMatch(NamedTuple):
    """Records what a clause of a split pattern matched.

    sentence: what it matches, in words; "" if tokviz has no words for it.
    chunks, distinct: how many chunks it matched, and how many different ones.
    frequent: the most frequent of these and how often each occurs, of equal ones the earliest first.
    """

    clause: str
    sentence: str
    chunks: int
    distinct: int
    frequent: tuple[tuple[bytes, int], ...]


def take_apart(pattern: str) -> Alternatives:
    r"""Find the clauses of a split pattern, given by its name or as a regular expression that compiles.

    Raises PatternError if the pattern has parts that a group around a clause would change.

    >>> take_apart(r"(?i)[a|b]+|(?:c|d)\|").clauses
    ('[a|b]+', '(?:c|d)\\|')
    >>> take_apart(r"(a)\1|b")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.PatternError: This pattern cannot be explained piece by piece: it refers to a group by its...
    """
    if stages_of(pattern):
        raise _unexplained("it cuts in several stages")
    pattern = PATTERNS[pattern].regex if pattern in PATTERNS else pattern
    start, stop = 0, len(pattern)
    flags = ""
    opened = _FLAGS.match(pattern)
    while opened:
        if opened[3] == ")":
            flags, start = flags + opened[1], opened.end()
        else:  # is it around the whole rest?
            if _scan(pattern, start, stop, flags)[1] != stop - 1:
                break
            flags, start, stop = flags + opened[1], opened.end(), stop - 1
        if opened[2]:
            raise _unexplained("it takes a flag back")
        opened = _FLAGS.match(pattern, start, stop)
    if set(flags) & set(_OTHER_ORDERS):
        raise _unexplained("with its flags, the first alternative that matches is not always the one that counts")
    bars = [start - 1, *_scan(pattern, start, stop, flags)[0], stop]
    clauses = tuple(pattern[bars[i] + 1 : bars[i + 1]] for i in range(len(bars) - 1))
    return Alternatives(pattern[:start], clauses, pattern[stop:], flags)


def _unexplained(why: str) -> PatternError:
    return PatternError(
        f"This pattern cannot be explained piece by piece: {why}.",
        "It still splits, and its chunks are counted as usual.",
    )


def _scan(pattern: str, start: int, stop: int, flags: str) -> tuple[list[int], int | None]:
    """Find (each | that no bracket surrounds, where the first group closes; None if there is none)."""
    bars: list[int] = []
    first_close: int | None = None
    verbose, nested = "x" in flags, "V1" in flags
    around: list[bool] = []  # for each open group, whether comments were possible before it
    at = start
    while at < stop:
        character = pattern[at]
        if _GROUP_BY_NUMBER.match(pattern, at):
            raise _unexplained("it refers to a group by its number")
        if character == "\\":
            at += 2
        elif character == "[":
            at = _end_of_set(pattern, at, stop, nested)
        elif pattern.startswith("(?#", at):
            at = _after(pattern, ")", at, stop)
        elif character == "#" and verbose:
            at = _after(pattern, "\n", at, stop)
        elif character == "(":
            opened = _FLAGS.match(pattern, at)
            if opened and (opened[3] == ")" or "V" in opened[1]):
                raise _unexplained("it sets flags inside itself")
            around.append(verbose)
            if opened:
                verbose = (verbose or "x" in opened[1]) and "x" not in (opened[2] or "")
            at = opened.end() if opened else at + 1
        else:
            if character == ")" and around:
                verbose = around.pop()
                if not around and first_close is None:
                    first_close = at
            elif character == "|" and not around:
                bars.append(at)
            at += 1
    return bars, first_close


def _after(pattern: str, mark: str, at: int, stop: int) -> int:
    found = pattern.find(mark, at, stop)
    return stop if found < 0 else found + 1


def _end_of_set(pattern: str, at: int, stop: int, nested: bool) -> int:
    """Find the place after a set in square brackets. nested: can it contain sets?"""
    depth = 0
    while at < stop:
        by_name = _CLASS_BY_NAME.match(pattern, at) if depth else None
        if by_name:
            at = by_name.end()
        elif pattern[at] == "\\":
            at += 2
        elif pattern[at] == "[" and (nested or not depth):
            depth += 1
            at += 2 if pattern.startswith("[^", at) else 1
            at += pattern.startswith("]", at)  # the first one means itself
        else:
            depth -= pattern[at] == "]"
            at += 1
            if not depth:
                break
    return at


def pieces_of(text: str, pattern: str, n: int = 6) -> tuple[ClauseMatch, ...]:
    """Say what each clause of a split pattern matched in a text. n: how many frequent chunks each names.

    The chunks of all clauses together are those of `cut`. Raises PatternError as `clauses_of` does.

    >>> for piece in pieces_of("it's 12 o'clock", "gpt2")[:3]:
    ...     print(piece.chunks, piece.sentence.partition(":")[0], [chunk for chunk, _ in piece.frequent])
    1 The ending of a contraction in small letters [b"'s"]
    3 A word [b'it', b' o', b'clock']
    1 A number [b' 12']
    """
    apart = take_apart(pattern)
    tallies: list[Counter[str]] = [Counter() for _ in apart.clauses]
    start = 0
    for end, clause in clauses_of(text, pattern):
        tallies[clause][text[start:end]] += 1
        start = end
    return tuple(
        ClauseMatch(
            clause,
            sentence_of(clause, pattern, apart.flags),
            tally.total(),
            len(tally),
            tuple((chunk.encode(), count) for chunk, count in tally.most_common(n)),
        )
        for clause, tally in zip(apart.clauses, tallies, strict=True)
    )


def clauses_of(text: str, pattern: str) -> tuple[tuple[int, int], ...]:
    """List for each chunk of a text the character at which it ends, and which clause matched it, from 0.

    Raises PatternError if the pattern cannot cut the text, if it cannot be taken apart, or if its clauses do not match
    the chunks that it cuts.

    >>> clauses_of("it's 12", "gpt2")
    ((2, 1), (4, 0), (7, 2))
    """
    grouped, names = take_apart(pattern).grouped()
    if len(grouped) > bounds.now().pattern_characters:
        raise _unexplained("it is too long")
    to_bytes = byte_offsets(text)
    ends = np.searchsorted(to_bytes, cut_data(text.encode(), pattern)).tolist()  # in characters
    number: dict[str | None, int] = {name: i for i, name in enumerate(names)}
    found: list[tuple[int, int]] = []
    try:
        for batch in match_in_batches(_seen(text, pattern), grouped, to_bytes):
            found += ((end, number.get(name, -1)) for end, name in batch)
    except PatternError as fault:  # the pattern itself may be an automaton, which does not run away
        place = f" after byte {fault.offset:,}" if fault.offset is not None else ""
        raise _unexplained(f"its clauses match too slowly, or not at all{place}") from None
    if [end for end, _ in found] != ends or any(clause < 0 for _, clause in found):
        raise _unexplained("its alternatives, each in a group, would cut the text at other places")
    return tuple(found)


def _seen(text: str, pattern: str) -> str:
    """Make the text by which a named pattern cuts: each character is the representative of its class."""
    if pattern not in PATTERNS:
        return text
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return representatives()[points].astype("<u4").tobytes().decode("utf-32-le")

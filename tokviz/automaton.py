r"""A split pattern as a table: in this state, on a character of this class, go there.

The `regex` package tries the alternatives of a pattern one after the other. An automaton tries them all at once, in
one look-up a character. Both find the same chunks if the automaton remembers which alternative comes first:

    pattern -> tree -> program -> table        `_Parser`, `_Program`, `_table`

The program is a list of instructions, and a *thread* is a place in it. A state of the automaton is a list of threads
in order of preference; a thread that reaches the end of the program accepts, and cuts off all that come after it, as
an alternative that matched keeps the later ones from being tried. What stands before it may still find a longer
match, and then that one counts.

The table does not speak of characters but of *symbols*: classes of characters that the pattern cannot tell apart, from
1 on. 0 is the end of the text. For a custom pattern the `regex` package itself says which characters each atom of the
pattern matches; for a named one the class table does, which holds what tiktoken takes for a letter.

A possessive repeat of one class, such as \s++, may stop only where the class does: that is a look at the next
character and is compiled as one, so nothing has to be assumed of what follows. Whatever cannot be proven to match
alike raises NotProven, and the `regex` package does the work.

The named patterns are kept as data. `python models/automata.py` writes them.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.kernels.splitting import ACCEPT, CUT, STATE, STUCK

CLASSES = Path(__file__).parent / "data" / "unicode_classes.json"
AUTOMATA = Path(__file__).parent / "data" / "automata.json"
N_POINTS = 0x110000
SYMBOLS_LIMIT = 255  # a symbol is one byte, and 0 is the end of the text
PROGRAM_LIMIT = 2_000  # instructions
STATES_LIMIT = 1_000
WORK_LIMIT = 300_000  # instructions looked at: a fraction of a second
DEPTH_LIMIT = 50  # groups in groups
END = 0

# What may follow a backslash: a class, a control character, a character by its number, or a mark that means itself.
_ESCAPE = re.compile(
    r"\\(?:[pP]\{\^?[\w :=.-]+\}|[pP][A-Z]|[sSdDwW]|[nrtfva]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^\w\s])", re.A
)
_REPEAT = re.compile(r"[?*+]|\{(\d+)(,(\d*))?\}", re.A)
_LOOK = re.compile(r"\(\?([=!])")


class NotProven(Exception):
    """The pattern has something that this compiler cannot prove it handles exactly; says what."""


@dataclass(frozen=True, eq=False)
class Automaton:
    """A compiled split pattern.

    symbols: uint8[1,114,112], code point -> symbol. table: uint32, state x symbol laid end to end, read by
    `tokviz.kernels.splitting`. width: entries a state has. Both arrays are read-only.
    """

    symbols: NDArray[np.uint8]
    table: NDArray[np.uint32]
    width: int

    def __post_init__(self) -> None:
        self.symbols.flags.writeable = False
        self.table.flags.writeable = False

    @functools.cached_property
    def always_cut(self) -> NDArray[np.bool_]:
        """[one symbol, the next]: does a chunk always end between the two, whatever stands around them?

        True where no state that the first one leads to takes the second. Then no chunk can hold both.
        """
        rows = self.table.reshape(-1, self.width)
        held = np.zeros((self.width, self.width), bool)
        for row in rows:
            leads_on = row < STUCK
            held[leads_on] |= rows[(row[leads_on] & STATE) // self.width] < CUT
        return ~held

    def place_to_part(self, window: bytes) -> int | None:
        """The first place in a piece out of a text between two characters where a chunk ends for sure, if any is."""
        start = next((i for i, byte in enumerate(window[:4]) if byte & 0xC0 != 0x80), 0)
        before = END
        for i, character in enumerate(text := window[start:].decode("utf-8", "ignore")):
            symbol = self.symbols[ord(character)]
            if i and self.always_cut[before, symbol]:
                return start + len(text[:i].encode())
            before = symbol
        return None

    @property
    def n_states(self) -> int:
        """How many states."""
        return len(self.table) // self.width


# The tree


@dataclass(frozen=True, slots=True)
class _Atom:
    """One character out of a class; `text` is a pattern of its own that matches the class."""

    text: str


@dataclass(frozen=True, slots=True)
class _Look:
    """The next character is (or is not) of a class; nothing is taken. The end of the text is of no class."""

    text: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class _End:
    """`$`"""


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: _Node
    least: int
    most: int | None
    possessive: bool


_Node = _Atom | _Look | _End | _Sequence | _Choice | _Repeat


class _Parser:
    """The part of the pattern syntax that a tree can be made of. Reads left to right, once."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def parse(self) -> _Node:
        tree = self._choice(False)
        if self.at < len(self.pattern):
            raise NotProven("a bracket that nothing opens")
        return tree

    def _sees(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def _takes(self, text: str) -> bool:
        seen = self._sees(text)
        self.at += len(text) if seen else 0
        return seen

    def _choice(self, any_case: bool) -> _Node:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise NotProven("groups nested very deep")
        parts = [self._sequence(any_case)]
        while self._takes("|"):
            parts.append(self._sequence(any_case))
        self.depth -= 1
        return parts[0] if len(parts) == 1 else _Choice(tuple(parts))

    def _sequence(self, any_case: bool) -> _Node:
        parts = []
        while self.at < len(self.pattern) and not self._sees("|") and not self._sees(")"):
            parts.append(self._repeated(any_case))
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def _repeated(self, any_case: bool) -> _Node:
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
        if possessive and not isinstance(part, _Atom):
            raise NotProven("a possessive repeat of more than one class")
        if can_be_empty(part):
            raise NotProven("a repeat of what may be empty")
        if most is not None and not least <= most:
            raise NotProven("a repeat that runs backwards")
        return _Repeat(part, least, most, possessive)

    def _single(self, any_case: bool) -> _Node:
        look = _LOOK.match(self.pattern, self.at)
        if look is not None:
            self.at = look.end()
            part = self._single(any_case)
            if not isinstance(part, _Atom) or not self._takes(")"):
                raise NotProven("a look ahead at more than one class")
            return _Look(part.text, look[1] == "=")
        for opening, fold in (("(?:", any_case), ("(?i:", True), ("(", any_case)):
            if opening == "(" and self._sees("(?"):
                raise NotProven("a group of a special kind")
            if self._takes(opening):
                part = self._choice(fold)
                if not self._takes(")"):
                    raise NotProven("a bracket that nothing closes")
                return part
        if self._takes("$"):
            return _End()
        text = self._atom()
        return _Atom(f"(?i:{text})" if any_case else text)

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


def can_be_empty(node: _Node) -> bool:
    """May the node match without taking a character?"""
    match node:
        case _Atom():
            return False
        case _Sequence(parts):
            return all(can_be_empty(part) for part in parts)
        case _Choice(parts):
            return any(can_be_empty(part) for part in parts)
        case _Repeat(part, least):
            return least == 0 or can_be_empty(part)
        case _:
            return True


# The program


@dataclass(slots=True)
class _Instruction:
    """take: a character of class `atom`. look, look_not: is the next one of it? end: is there none? then go to `next`.
    fork: go to `next`, and if that fails to `other`. match: done."""

    kind: Literal["take", "look", "look_not", "end", "fork", "match"]
    atom: int = 0
    next: int = 0
    other: int = 0


class _Program:
    """The tree as instructions. They are written from the back, so that each knows where it leads."""

    def __init__(self, tree: _Node) -> None:
        self.atoms: list[str] = []
        self.code: list[_Instruction] = []
        self.start = self._write(tree, self._add("match"))

    def _add(self, kind: Literal["take", "look", "look_not", "end", "fork", "match"], *where: int) -> int:
        if len(self.code) >= PROGRAM_LIMIT:
            raise NotProven("a pattern too large")
        self.code.append(_Instruction(kind, *where))
        return len(self.code) - 1

    def _class(self, text: str) -> int:
        if text not in self.atoms:
            self.atoms.append(text)
        return self.atoms.index(text)

    def _write(self, node: _Node, after: int) -> int:
        match node:
            case _Atom(text):
                return self._add("take", self._class(text), after)
            case _Look(text, wanted):
                return self._add("look" if wanted else "look_not", self._class(text), after)
            case _End():
                return self._add("end", self._class(r"\n"), after)
            case _Sequence(parts):
                for part in reversed(parts):
                    after = self._write(part, after)
                return after
            case _Choice(parts):
                first, *others = [self._write(part, after) for part in reversed(parts)]
                for other in others:
                    first = self._add("fork", 0, other, first)
                return first
            case _Repeat(part, least, most, possessive):
                leave = after
                if possessive and isinstance(part, _Atom):  # it stops only where the class does, or at `most`
                    leave = self._add("look_not", self._class(part.text), after)
                entry = after
                if most is None:
                    entry = self._add("fork", 0, 0, leave)
                    self.code[entry].next = self._write(part, entry)
                for _ in range(0 if most is None else most - least):
                    entry = self._add("fork", 0, self._write(part, entry), leave)
                for _ in range(least):
                    entry = self._write(part, entry)
                return entry


# The table


class _Runner:
    """What the program does on one symbol: steps from a list of threads to the next."""

    def __init__(self, program: _Program, matches: NDArray[np.bool_]) -> None:
        self.code = program.code
        self.matches = matches.tolist()  # [atom][symbol]
        self.work = 0

    def step(self, threads: Iterable[int], symbol: int) -> tuple[bool, tuple[int, ...]]:
        """(is there a match that ends before this symbol, the threads that take it and go before that match)"""
        taken: list[int] = []
        seen: set[int] = set()
        stack = list(reversed(list(threads)))
        while stack:
            place = stack.pop()
            if place in seen:  # it came here before by a way that goes first
                continue
            seen.add(place)
            self.work += 1
            if self.work > WORK_LIMIT:
                raise NotProven("a pattern too large")
            instruction = self.code[place]
            if instruction.kind == "match":
                return True, tuple(taken)
            if instruction.kind == "fork":
                stack += [instruction.other, instruction.next]
                continue
            of_class = self.matches[instruction.atom][symbol]
            if instruction.kind == "take":
                if of_class and instruction.next not in taken:
                    taken.append(instruction.next)
            elif instruction.kind == "end":
                if of_class:  # `$` also stands before a line end that is the last character
                    raise NotProven("$ where a line end may follow")
                if symbol == END:
                    stack.append(instruction.next)
            elif of_class == (instruction.kind == "look"):
                stack.append(instruction.next)
        return False, tuple(taken)


def _table(program: _Program, matches: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """State x symbol -> where to go. State 0 is the start; see `tokviz.kernels.splitting` for the entries."""
    runner = _Runner(program, matches)
    width = matches.shape[1]
    numbers: dict[tuple[int, ...], int] = {(program.start,): 0}
    states: list[tuple[int, ...]] = [(program.start,)]
    rows: list[list[int]] = []
    for threads in states:  # grows as it goes
        row = []
        for symbol in range(width):
            accepts, taken = runner.step(threads, symbol)
            if accepts and threads == states[0]:
                raise NotProven("a pattern that may match nothing")
            if taken:
                if taken not in numbers:
                    if len(states) == STATES_LIMIT:
                        raise NotProven("a pattern too large")
                    numbers[taken] = len(states)
                    states.append(taken)
                row.append(numbers[taken] * width | (ACCEPT if accepts else 0))
            else:
                row.append(CUT if accepts else STUCK)
        rows.append(row)
    table = np.array(rows, np.uint32)
    # Where a chunk is cut, the next one begins: the way from the start can be taken in the same step, if there is one.
    begun = np.where((table[0] > 0) & (table[0] < ACCEPT), table[0], STUCK)
    return np.where(table == CUT, table | begun, table).astype(np.uint32).ravel()


@functools.lru_cache(maxsize=4)
def _text_of(points: bytes) -> str:
    return points.decode("utf-32-le")


def _members(atom: str, points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of the code points match the atom: the `regex` package is asked."""
    found = np.zeros(len(points), bool)
    try:
        for match in regex.finditer(f"(?:{atom})+", _text_of(points.tobytes())):
            found[match.start() : match.end()] = True
    except regex.error:
        raise NotProven("an atom that is no pattern by itself") from None
    return found


def compile_over(pattern: str, points: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], int]:
    """(the symbol of each of the code points, the table, its width). NotProven where it could not be exact.

    points: all that a text can hold, no surrogates among them.
    """
    program = _Program(_Parser(pattern).parse())
    symbols = np.zeros(len(points), np.int64)
    for atom in program.atoms:
        symbols = symbols * 2 + _members(atom, points)
        kinds = np.flatnonzero(np.bincount(symbols))
        if len(kinds) > SYMBOLS_LIMIT:
            raise NotProven("too many classes")
        renumbered = np.zeros(kinds[-1] + 1, np.int64)
        renumbered[kinds] = np.arange(len(kinds))
        symbols = renumbered[symbols]
    symbols += 1
    some = np.unique(symbols, return_index=True)[1]
    width = len(some) + 1
    matches = np.zeros((len(program.atoms), width), bool)
    for row, atom in enumerate(program.atoms):
        matches[row, 1:] = _members(atom, points[some])
    return symbols.astype(np.uint8), _table(program, matches), width


@functools.lru_cache(maxsize=1)
def _all_points() -> NDArray[np.uint32]:
    points = np.arange(N_POINTS, dtype=np.uint32)
    return points[(points < 0xD800) | (points > 0xDFFF)]


@functools.lru_cache(maxsize=16)
def of_custom(pattern: str) -> Automaton | str:
    """The automaton of a regular expression in the syntax of the `regex` package, or why there is none."""
    try:
        found, table, width = compile_over(pattern, _all_points())
    except NotProven as reason:
        return str(reason)
    symbols = np.zeros(N_POINTS, np.uint8)
    symbols[_all_points()] = found
    return Automaton(symbols, table, width)


# Named patterns


@functools.lru_cache
def representatives() -> NDArray[np.uint32]:
    """Code point -> a code point that stands for its class, as tiktoken's patterns see it."""
    table = json.loads(CLASSES.read_text(encoding="utf-8"))
    starts, classes = np.array(table["runs"], np.int64).T
    lengths = np.diff(np.append(starts, N_POINTS))
    members = np.repeat(np.array(table["representatives"], np.int64)[classes], lengths)
    return np.where(members < 0, np.arange(N_POINTS), members).astype(np.uint32)


@functools.lru_cache
def of_named(name: str) -> Automaton:
    """The automaton of a named pattern, read from the data that comes with tokviz."""
    stored = json.loads(AUTOMATA.read_text(encoding="utf-8"))[name]
    by_point = np.zeros(N_POINTS, np.uint8)
    for symbol, points in enumerate(stored["symbols"], 1):
        by_point[[ord(point) for point in points]] = symbol
    rows = stored["table"]
    return Automaton(by_point[representatives()], np.array(rows, np.uint32).ravel(), len(rows[0]))


def compile_named(patterns: Mapping[str, str]) -> str:
    """What is stored of the named patterns, as JSON that a person can read through: one state a line."""
    points = np.unique(representatives())
    entries = []
    for name, pattern in patterns.items():
        symbols, table, width = compile_over(pattern, points)
        members = ["".join(map(chr, points[symbols == symbol])) for symbol in range(1, width)]
        rows = ",\n".join(f"   {json.dumps(row)}" for row in table.reshape(-1, width).tolist())
        entries.append(f' "{name}": {{\n  "symbols": {json.dumps(members)},\n  "table": [\n{rows}\n  ]\n }}')
    return "{\n" + ",\n".join(entries) + "\n}\n"

r"""Compiles a split pattern to a table: in this state, on a character of this class, go to that state.

The `regex` package tries the alternatives of a pattern one after the other. An automaton tries them all at once, with
one look-up a character. Both find the same chunks if the automaton remembers which alternative comes first:

    pattern -> tree -> program -> table        `tokviz.split.pattern_tree`, `_Program`, `_table`

The program is a list of instructions, and a *thread* is a position in it. A state of the automaton is a list of threads
in order of preference. A thread that reaches the end of the program accepts, and all threads after it are dropped, as
an alternative that matches keeps the later ones from being tried. A thread before it may still find a longer match,
which then counts instead.

The table does not hold characters but *symbols*, from 1 on: classes of characters that the pattern cannot tell apart.
Symbol 0 is the end of the text. For a custom pattern, the `regex` package itself says which characters each atom of the
pattern matches. For a named pattern, the class table does; it says what tiktoken takes for a letter.

A possessive repeat of one class, such as \s++, may only stop where the class does. That is a look at the next
character, and is compiled as one, so nothing is assumed about what follows.

The named patterns are stored as data. `python models/automata.py` writes them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.data import DATA
from tokviz.kernels.splitting import ACCEPT, CUT, STATE, STUCK
from tokviz.split.pattern_tree import Atom, Choice, End, Look, Node, NotProven, Repeat, Sequence, parse

CLASSES = DATA / "unicode_classes.json"
AUTOMATA = DATA / "automata.json"
N_POINTS = 0x110000
SYMBOLS_LIMIT = 255  # a symbol is one byte, and 0 is the end of the text
PROGRAM_LIMIT = 2_000  # instructions
ATOMS_LIMIT = 1_500  # characters of all atoms together: each is tried on every code point
STATES_LIMIT = 1_000
WORK_LIMIT = 300_000  # instructions followed: a fraction of a second
END_OF_TEXT = 0  # a symbol


@dataclass(frozen=True, eq=False)
class Automaton:
    """Holds a compiled split pattern. Both arrays are read-only.

    symbols: uint8[1,114,112], code point -> symbol.
    table: uint32[symbols, states], at [a symbol, the state] what to do then; see `tokviz.kernels.splitting`.
    gaps: of a stage of a pipeline alone, whose expression leaves characters out: bool[symbols, symbols], at [one
    symbol, the next]: is a chunk of this one character, with that one behind it, a character that nothing matched?
    """

    symbols: NDArray[np.uint8]
    table: NDArray[np.uint32]
    gaps: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        self.symbols.flags.writeable = False
        self.table.flags.writeable = False

    @functools.cached_property
    def cut(self) -> tuple[Any, ...]:
        """How `tokviz.kernels.encoding` finds chunks: there are no ends, but symbols and a table."""
        return np.empty(0, np.int64), self.symbols, self.table

    @functools.cached_property
    def always_parts(self) -> NDArray[np.bool_]:
        """bool[symbols, symbols], at [one symbol, the next]: may every text be parted there into two texts?

        Both together are then cut as the whole is. It may if no state to which the first symbol leads takes the second
        one into the same chunk, and if a chunk would end there as well if the text did.
        """
        rows = self.table.T
        holds = np.zeros((len(self.table), len(self.table)), bool)
        for row in rows:
            leads_on = row < STUCK
            behind = rows[row[leads_on] & STATE]
            cuts = behind & CUT
            holds[leads_on] |= (behind < CUT) | (cuts != cuts[:, [END_OF_TEXT]])
        return ~holds

    def place_to_part(self, window: bytes) -> int | None:
        """Find the first byte offset in a window of a text at which the text may be parted; None if there is none.

        It may be parted there whatever is around the window, which may begin and end inside a character.
        """
        start = next((i for i, byte in enumerate(window[:4]) if byte & 0xC0 != 0x80), 0)
        text = window[start:].decode("utf-8", "ignore")
        symbols = self.symbols[np.frombuffer(text.encode("utf-32-le"), np.uint32)]
        places = self.always_parts[symbols[:-1], symbols[1:]]
        first = int(places.argmax()) if len(places) else 0
        return start + len(text[: first + 1].encode()) if places.any() else None


# The program


_Kind = Literal["take", "look", "look_not", "end", "fork", "match", "skip"]


@dataclass(slots=True)
class _Instruction:
    """Describes a step of a program. All but fork, match and skip go to `next` if they succeed; else the thread ends.

    take: take a character of class `atom`. look, look_not: is the next character of that class, or not? end: is this
    the end of the text? fork: go to `next`, and if that fails to `other`. match: the pattern has matched. skip: it has
    not, and the character that was taken is left out."""

    kind: _Kind
    atom: int = 0
    next: int = 0
    other: int = 0


class _Program:
    """Writes a tree as instructions, from last to first, so that each knows where it leads. atoms: the classes.

    skips: where the tree does not match, one character is left out.
    """

    def __init__(self, tree: Node, skips: bool) -> None:
        self.atoms: list[str] = []
        self.code: list[_Instruction] = []
        self.start = self._write(tree, self._add("match"))
        if skips:
            self.start = self._add("fork", 0, self.start, self._write(Atom(r"[\s\S]"), self._add("skip")))

    def _add(self, kind: _Kind, *where: int) -> int:
        if len(self.code) >= PROGRAM_LIMIT:
            raise NotProven("a pattern too large")
        self.code.append(_Instruction(kind, *where))
        return len(self.code) - 1

    def _class(self, text: str) -> int:
        if text not in self.atoms:
            self.atoms.append(text)
            if sum(map(len, self.atoms)) > ATOMS_LIMIT:
                raise NotProven("a pattern too large")
        return self.atoms.index(text)

    def _write(self, node: Node, after: int) -> int:
        match node:
            case Atom(text):
                return self._add("take", self._class(text), after)
            case Look(text, wanted):
                return self._add("look" if wanted else "look_not", self._class(text), after)
            case End():
                return self._add("end", self._class(r"\n"), after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._write(part, after)
                return after
            case Choice(parts):
                first, *others = [self._write(part, after) for part in reversed(parts)]
                for other in others:
                    first = self._add("fork", 0, other, first)
                return first
            case Repeat(part, least, most, possessive):
                leave = after
                if possessive and isinstance(part, Atom):
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
    """Runs a program one symbol at a time. matches: bool[atom, symbol], is the symbol in the class?"""

    def __init__(self, program: _Program, matches: NDArray[np.bool_]) -> None:
        self.code = program.code
        self.matches = matches.tolist()
        self.work = 0
        self.skipped = False  # whether the match of the last step is a character left out

    def step(self, threads: Iterable[int], symbol: int) -> tuple[bool, tuple[int, ...]]:
        """Return (does a match end before this symbol, the threads that take it and are preferred to that match)."""
        taken: list[int] = []
        seen: set[int] = set()
        stack = list(reversed(list(threads)))
        while stack:
            place = stack.pop()
            if place in seen:  # a preferred thread was here before
                continue
            seen.add(place)
            self.work += 1
            if self.work > WORK_LIMIT:
                raise NotProven("a pattern too large")
            instruction = self.code[place]
            if instruction.kind in ("match", "skip"):
                self.skipped = instruction.kind == "skip"
                return True, tuple(taken)
            if instruction.kind == "fork":
                stack += [instruction.other, instruction.next]
                continue
            of_class = self.matches[instruction.atom][symbol]
            if instruction.kind == "take":
                if of_class and instruction.next not in taken:
                    taken.append(instruction.next)
            elif instruction.kind == "end":
                if of_class:  # `$` also matches before a line end that is the last character
                    raise NotProven("$ where a line end may follow")
                if symbol == END_OF_TEXT:
                    stack.append(instruction.next)
            elif of_class == (instruction.kind == "look"):
                stack.append(instruction.next)
        return False, tuple(taken)


def _gaps(program: _Program, matches: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Make the `gaps` of an automaton whose program skips; None if its pattern leaves no character out."""
    runner, n = _Runner(program, matches), matches.shape[1]
    if not _leaves_out(runner, program.start, n):
        return None
    gaps = np.zeros((n, n), bool)
    for symbol in range(1, n):
        _, taken = runner.step((program.start,), symbol)
        gaps[symbol] = [runner.step(taken, behind)[0] and runner.skipped for behind in range(n)]
    return gaps


def _leaves_out(runner: _Runner, start: int, n_symbols: int) -> bool:
    """Tell whether in some text the last match before all threads end is a character left out."""
    reached: dict[tuple[tuple[int, ...], bool], None] = {((start,), False): None}
    queue = [*reached]
    for threads, skipped in queue:  # which grows meanwhile
        for symbol in range(n_symbols):
            accepts, taken = runner.step(threads, symbol)
            now = runner.skipped if accepts else skipped
            if now and not taken:
                return True
            if taken and (taken, now) not in reached:
                reached[taken, now] = None
                queue.append((taken, now))
    return False


def _table(program: _Program, matches: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Make the table of an automaton; state 0 is the start. See `tokviz.kernels.splitting` for its entries."""
    runner = _Runner(program, matches)
    numbers: dict[tuple[int, ...], int] = {(program.start,): 0}
    states: list[tuple[int, ...]] = [(program.start,)]
    rows: list[list[int]] = []
    for threads in states:  # which grows meanwhile
        row = []
        for symbol in range(matches.shape[1]):
            accepts, taken = runner.step(threads, symbol)
            if accepts and threads == states[0]:
                raise NotProven("a pattern that may match nothing")
            if taken:
                if taken not in numbers:
                    if len(states) == STATES_LIMIT:
                        raise NotProven("a pattern too large")
                    numbers[taken] = len(states)
                    states.append(taken)
                row.append(numbers[taken] | (ACCEPT if accepts else 0))
            else:
                row.append(CUT if accepts else STUCK)
        rows.append(row)
    table = np.array(rows, np.uint32)
    # Where a chunk is cut, the next one begins: take the step from the start at once, if there is one.
    begun = np.where((table[0] > 0) & (table[0] < ACCEPT), table[0], STUCK)
    return np.where(table == CUT, table | begun, table).astype(np.uint32).T.copy()


@functools.lru_cache(maxsize=4)
def _text_of(points: bytes) -> str:
    return points.decode("utf-32-le")


def _members(atom: str, points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Match each code point with the atom, as the `regex` package does: bool, one a code point."""
    found = np.zeros(len(points), bool)
    try:
        for match in regex.finditer(f"(?:{atom})+", _text_of(points.tobytes())):
            found[match.start() : match.end()] = True
    except regex.error:
        raise NotProven("an atom that is no pattern by itself") from None
    return found


def compile_over(
    pattern: str, points: NDArray[np.uint32], skips: bool = False
) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.bool_] | None]:
    """Compile a pattern: (uint8, the symbol of each code point; the table; the gaps). Raises NotProven.

    points: uint32, all code points that a text may contain, without surrogates. skips: the pattern may leave
    characters out; otherwise there are no gaps.
    """
    program = _Program(parse(pattern), skips)
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
    matches = np.zeros((len(program.atoms), len(some) + 1), bool)
    for row, atom in enumerate(program.atoms):
        matches[row, 1:] = _members(atom, points[some])
    return symbols.astype(np.uint8), _table(program, matches), _gaps(program, matches) if skips else None


@functools.lru_cache(maxsize=1)
def _all_points() -> NDArray[np.uint32]:
    points = np.arange(N_POINTS, dtype=np.uint32)
    return points[(points < 0xD800) | (points > 0xDFFF)]


@functools.lru_cache(maxsize=32)  # 1 MB each
def of_custom(pattern: str, skips: bool = False) -> Automaton | str:
    """Compile a regular expression in the syntax of the `regex` package, or say why there can be no automaton.

    skips: the expression is a stage of a pipeline, which may leave characters out.
    """
    try:
        found, table, gaps = compile_over(pattern, _all_points(), skips)
    except NotProven as reason:
        return str(reason)
    symbols = np.zeros(N_POINTS, np.uint8)
    symbols[_all_points()] = found
    return Automaton(symbols, table, gaps)


# Named patterns


@functools.lru_cache
def representatives() -> NDArray[np.uint32]:
    """Read uint32[1,114,112]: code point -> a code point for the whole class, as tiktoken's patterns see it."""
    table = json.loads(CLASSES.read_text(encoding="utf-8"))
    starts, classes = np.array(table["runs"], np.int64).T
    lengths = np.diff(np.append(starts, N_POINTS))
    members = np.repeat(np.array(table["representatives"], np.int64)[classes], lengths)
    return np.where(members < 0, np.arange(N_POINTS), members).astype(np.uint32)


@functools.lru_cache
def of_named(name: str) -> Automaton:
    """Read the automaton of a named pattern from the data that comes with tokviz."""
    stored = json.loads(AUTOMATA.read_text(encoding="utf-8"))[name]
    by_point = np.zeros(N_POINTS, np.uint8)
    for symbol, points in enumerate(stored["symbols"], 1):
        by_point[[ord(point) for point in points]] = symbol
    return Automaton(by_point[representatives()], np.array(stored["table"], np.uint32).T.copy())


def compile_named(patterns: Mapping[str, str]) -> str:
    """Write the automata of the named patterns as they are stored: JSON that a person can read, one state a line."""
    points = np.unique(representatives())
    entries = []
    for name, pattern in patterns.items():
        symbols, table, _ = compile_over(pattern, points)
        members = ["".join(map(chr, points[symbols == symbol])) for symbol in range(1, len(table))]
        rows = ",\n".join(f"   {json.dumps(row)}" for row in table.T.tolist())
        entries.append(f' "{name}": {{\n  "symbols": {json.dumps(members)},\n  "table": [\n{rows}\n  ]\n }}')
    return "{\n" + ",\n".join(entries) + "\n}\n"

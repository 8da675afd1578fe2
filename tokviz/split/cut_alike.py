r"""Decides whether two split patterns cut every text at the same places: it walks their automata side by side.

A pattern with an automaton looks at nothing before the chunk that it is about to cut. So two patterns cut all texts
alike if, and only if, the first chunk of every text ends at the same place under both: what is left is a text again.

To decide that, both automata read the same characters from the start of a text. A *pair of states* is the state of
each (or "stopped", once it knows where its chunk ends), and whether the last places at which a chunk could end differ.
What happens next depends on nothing else, and there are finitely many pairs. So a search by breadth reaches every pair
that a text can reach, each by a shortest text. If no pair has a difference when the text ends there, the patterns cut
every text alike. Otherwise the first such pair gives a shortest text, in characters, that they cut differently.

Characters that neither pattern tells from another one are tried once: one character represents all of its *kind*.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.splitting import ACCEPT, CUT, STATE
from tokviz.split.automaton import END_OF_TEXT, N_POINTS
from tokviz.split.cutting import automaton_of

STEPS_LIMIT = 2_000_000  # characters read in all pairs of states: a second or two
TEXTS_LIMIT = 1_000
VARIATIONS_LIMIT = 30_000  # texts that are tried to find more such texts
_STOPPED = -1  # in place of a state
_SURROGATES = slice(0xD800, 0xE000)
_READABLE = [*range(0x21, 0x7F)]

Pair = tuple[int, int, bool]


@dataclass(frozen=True, eq=False)
class CutsCompared:
    """Records what the walk found.

    texts: texts that the patterns cut differently, the shortest first; not all of them.
    complete: was every pair of states reached? Without a text, that proves that the patterns cut every text alike.
    pairs, length: how many pairs were reached; all texts of up to `length` characters are covered.
    kinds: int64, code point -> a number that is equal for characters which neither pattern tells apart.
    """

    texts: tuple[str, ...]
    complete: bool
    pairs: int
    length: int
    kinds: NDArray[np.int64]

    @property
    def alike(self) -> bool:
        """Is it proven that the patterns cut every text alike?"""
        return self.complete and not self.texts


def compare_cuts(a: str, b: str) -> CutsCompared | None:
    r"""Walk the automata of two patterns side by side; None if one of them has no automaton.

    >>> compare_cuts(r"\w+|\W+", r"\w++|\W").texts[0], compare_cuts(r"\w+|\W+", r"\w++|\W{1,}").alike
    ('!!', True)
    """
    of_a, of_b = automaton_of(a), automaton_of(b)
    if of_a is None or of_b is None:
        return None
    kinds = of_a.symbols.astype(np.int64) << 8 | of_b.symbols
    symbols_of = {character: (kind >> 8, kind & 0xFF) for kind, character in _one_of_each(kinds).items()}
    table_a, table_b = of_a.table.tolist(), of_b.table.tolist()

    def read(pair: Pair, symbol_a: int, symbol_b: int) -> Pair:
        state_a, state_b, differ = pair
        entry_a = CUT - 1 if state_a == _STOPPED else table_a[symbol_a][state_a]
        entry_b = CUT - 1 if state_b == _STOPPED else table_b[symbol_b][state_b]
        ends_a = state_a != _STOPPED and entry_a & (ACCEPT | CUT) != 0
        ends_b = state_b != _STOPPED and entry_b & (ACCEPT | CUT) != 0
        if ends_a or ends_b:
            differ = ends_a != ends_b
        next_a = _STOPPED if state_a == _STOPPED or entry_a >= CUT else entry_a & STATE
        next_b = _STOPPED if state_b == _STOPPED or entry_b >= CUT else entry_b & STATE
        return next_a, next_b, differ

    reached: dict[Pair, str] = {(0, 0, False): ""}  # each pair with a shortest text that leads to it
    queue: list[Pair] = [(0, 0, False)]
    found: list[str] = []
    steps = length = 0
    for pair in queue:  # which grows meanwhile
        if steps > STEPS_LIMIT:
            break
        text = reached[pair]
        length = len(text)
        if text and read(pair, END_OF_TEXT, END_OF_TEXT)[2] and len(found) < TEXTS_LIMIT:
            found.append(text)
        if pair[0] == pair[1] == _STOPPED:
            continue
        steps += len(symbols_of)
        for character, symbols in symbols_of.items():
            after = read(pair, *symbols)
            if after not in reached:
                reached[after] = text + character
                queue.append(after)
    complete = steps <= STEPS_LIMIT

    def differ(text: str) -> bool:
        pair = (0, 0, False)
        for character in text:
            pair = read(pair, *symbols_of[character])
        return read(pair, END_OF_TEXT, END_OF_TEXT)[2]

    found += _variations(found, [*symbols_of], differ)
    return CutsCompared(
        tuple(sorted(found, key=len)), complete, len(reached), length if complete else length - 1, kinds
    )


def _variations(texts: list[str], characters: list[str], differ: Callable[[str], bool]) -> list[str]:
    """Find more texts that differ, by another character in one place. The walk gives one text a pair of states."""
    found, seen = list(texts), set(texts)
    for text in found:  # which grows meanwhile
        for place, character in itertools.product(range(len(text)), characters):
            if len(found) >= TEXTS_LIMIT or len(seen) >= VARIATIONS_LIMIT:
                return found[len(texts) :]
            varied = text[:place] + character + text[place + 1 :]
            if varied not in seen:
                seen.add(varied)
                if differ(varied):
                    found.append(varied)
    return found[len(texts) :]


def _one_of_each(kinds: NDArray[np.int64]) -> dict[int, str]:
    """Choose a character of each kind, kind -> character: a readable one, if there is one, or else the first."""
    numbers, firsts = np.unique(np.delete(kinds, np.arange(N_POINTS)[_SURROGATES]), return_index=True)
    points = np.where(firsts < _SURROGATES.start, firsts, firsts + _SURROGATES.stop - _SURROGATES.start)
    one = dict(zip(numbers.tolist(), map(chr, points.tolist()), strict=True))
    for point in reversed(_READABLE):
        one[int(kinds[point])] = chr(point)
    return one

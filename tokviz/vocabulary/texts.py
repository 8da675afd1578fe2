"""Treats tokens as texts: finds which tokens have one, and whether encoding it gives the token again.

A token is *incomplete* if its bytes alone are not valid UTF-8: it begins or ends inside a character. It is
*unreachable* if encoding its own text gives other tokens.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Literal

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.data import DATA
from tokviz.base.text import whole_text
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer

MOST_PAIRS = 2_000_000  # pairs of incomplete tokens that are encoded, which takes about four seconds
BATCH = 100_000  # of these pairs that are encoded at once, which needs about 40 MB of memory
LEADING = 1_000  # pairs of incomplete tokens that are listed

# Scripts that one language is written in: Unicode Technical Standard 39, section 5.1.
TOGETHER = (frozenset({"Han", "Hiragana", "Katakana"}), frozenset({"Han", "Hangul"}), frozenset({"Han", "Bopomofo"}))
_SCRIPTS = DATA / "scripts.toml"

Longs = NDArray[np.int64]
Why = Literal["incomplete", "split", "merges", "added", "normalizer"]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Describes a token that encoding its own text does not give.

    why: "incomplete" if it has no text, because its bytes are not valid UTF-8; "split" if the split pattern cuts the
        text; "merges" if the merges make other tokens of it; "added" if an added token is cut out of it;
        "normalizer" if a normalizer changes it.
    becomes: the ids that encoding gives; () for "incomplete".
    """

    id: int
    why: Why
    becomes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IncompletePairs:
    """Counts the pairs of incomplete tokens whose bytes together are valid UTF-8.

    count: of all such pairs.
    given_back: of those that encoding their text gives back; None if they are not encoded, being more than MOST_PAIRS.
    leading: (left id, right id) of up to LEADING that are given back: first those whose text mixes scripts, and of
        these the longest in bytes.
    """

    count: int
    given_back: int | None
    leading: tuple[tuple[int, int], ...]

    def varied(self, n: int) -> list[tuple[int, int]]:
        """Take the first n of `leading` in which no token comes twice."""
        seen: set[int] = set()
        found: list[tuple[int, int]] = []
        for pair in self.leading:
            if len(found) < n and not seen.intersection(pair):
                seen.update(pair)
                found.append(pair)
        return found


def unreachable(tok: Tokenizer) -> list[Unreachable]:
    """List the tokens that encoding their own text does not give, in rank order, and why.

    PatternError if a custom pattern does not cover the text of a token.

    >>> tok = Tokenizer("abc", [(97, 98), (98, 99), (97, 257)], pattern="none")
    >>> unreachable(tok)[0]
    Unreachable(id=258, why='merges', becomes=(256, 99))
    """
    vocab = tok.vocab
    ids = ordinary_ids(tok)
    found = {id: Unreachable(id, "incomplete") for id in incomplete(tok)}
    if tok.normalizer:
        within = tok.normalizer.inside
        changed = [
            id for id in ids if id not in found and within.changed(vocab[id].decode(), False)[0] != vocab[id].decode()
        ]
        found |= {id: Unreachable(id, "normalizer") for id in changed}
    whole = [id for id in ids if id not in found]
    encoding, first, n = _each_encoded(tok, [vocab[id] for id in whole])
    other = (n != 1) | (encoding.ids[first] != np.array(whole))
    for at in np.flatnonzero(other).tolist():
        last = int(first[at] + n[at])
        inside, here = encoding.ends[first[at] : last - 1], encoding.ids[first[at] : last].tolist()
        becomes = tuple(id for id in here if id >= 0)  # the pattern may leave some of it out
        is_split = len(becomes) < len(here) or (encoding.seams[inside] == SPLIT).any()
        why: Why = "split" if is_split else "merges"
        found[whole[at]] = Unreachable(whole[at], why if tok.added_ids.isdisjoint(becomes) else "added", becomes)
    return [found[id] for id in ids if id in found]


def _each_encoded(tok: Tokenizer, texts: Sequence[bytes]) -> tuple[Encoding, Longs, Longs]:
    """Encode each text by itself, end to end in one Encoding; return the first token of each, and how many it has."""
    encoding = tok.explain_each(texts)
    stops = np.searchsorted(encoding.ends, np.cumsum([*map(len, texts)]), side="right")
    n = np.diff(stops, prepend=0)
    return encoding, stops - n, n


def incomplete(tok: AnyTokenizer) -> list[int]:
    """List the ids of the tokens whose bytes alone are not valid UTF-8, in rank order; single bytes come last.

    >>> tok = Tokenizer("é", [(0xC3, 0xA9), (97, 0xC3)], pattern="none")
    >>> incomplete(tok)[:2]
    [257, 128]
    """
    return [id for id in ordinary_ids(tok) if whole_text(tok.vocab[id]) is None]


def incomplete_pairs(tok: Tokenizer) -> IncompletePairs:
    """Find the pairs of incomplete tokens whose bytes together are valid UTF-8, and how many encoding gives back.

    Those that no text is likely to have are the improbable bigrams of arXiv 2410.23684: a model met each of the two
    tokens beside other neighbours only.

    >>> tok = Tokenizer("é", [(0xC3, 0xA9), (97, 0xC3)], pattern="none")
    >>> pairs = incomplete_pairs(tok)
    >>> pairs.count, pairs.given_back, pairs.leading[0]
    (1984, 1982, (257, 128))
    """
    vocab = tok.vocab
    lefts, rights = _halves((id, vocab[id]) for id in incomplete(tok))
    fitting = [
        (lefts[missing, low, high], rights[size, first])
        for (missing, low, high), (size, first) in product(lefts, rights)
        if missing == size and low <= first <= high
    ]
    count = sum(len(left) * len(right) for left, right in fitting)
    if not 0 < count <= MOST_PAIRS:
        return IncompletePairs(count, None if count else 0, ())
    pairs = np.concatenate(
        [np.column_stack([np.repeat(left, len(right)), np.tile(right, len(left))]) for left, right in fitting]
    )
    batches = [_given_back(tok, pairs[first : first + BATCH]) for first in range(0, count, BATCH)]
    given_back = pairs[np.concatenate(batches)]
    sizes = np.array([len(vocab[left]) + len(vocab[right]) for left, right in given_back.tolist()], np.int64)
    mixed: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for left, right in given_back[np.argsort(-sizes, kind="stable")].tolist():
        (mixed if mixes_scripts((vocab[left] + vocab[right]).decode()) else others).append((left, right))
        if len(mixed) == LEADING:
            break
    return IncompletePairs(count, len(given_back), tuple((mixed + others)[:LEADING]))


def _given_back(tok: Tokenizer, pairs: Longs) -> NDArray[np.bool_]:
    """Tell for each pair of ids whether encoding the text of both gives the two again."""
    vocab = tok.vocab
    encoding, first, n = _each_encoded(tok, [vocab[left] + vocab[right] for left, right in pairs.tolist()])
    found: NDArray[np.bool_] = n == 2
    found[found] = (encoding.ids[first[found, None] + [0, 1]] == pairs[found]).all(axis=1)
    return found


# Of a character that is cut in two: how many bytes are missing, and the lowest and the highest that may come next
_Want = tuple[int, int, int]
# How many bytes of a cut character a token begins with, and the first of them
_Give = tuple[int, int]


def _halves(tokens: Iterable[tuple[int, bytes]]) -> tuple[dict[_Want, list[int]], dict[_Give, list[int]]]:
    """List the ids of incomplete tokens that are text up to a cut character, and of those that are text after one."""
    lefts: defaultdict[_Want, list[int]] = defaultdict(list)
    rights: defaultdict[_Give, list[int]] = defaultdict(list)
    for id, token in tokens:
        try:
            token.decode()
        except UnicodeDecodeError as fault:
            if fault.reason == "unexpected end of data":
                lefts[_want(token[fault.start :])].append(id)
                continue
        rest = token.lstrip(_CONTINUATIONS)
        size = len(token) - len(rest)
        if 0 < size < 4 and whole_text(rest) is not None:
            rights[size, token[0]].append(id)
    return lefts, rights


_CONTINUATIONS = bytes(range(0x80, 0xC0))
# After these first bytes, not every continuation byte makes a character (RFC 3629, section 4).
_SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


def _want(begun: bytes) -> _Want:
    """Tell what is missing of a character that begins with these bytes."""
    lead = begun[0]
    size = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    return size - len(begun), *(_SECOND.get(lead, (0x80, 0xBF)) if len(begun) == 1 else (0x80, 0xBF))


def mixes_scripts(text: str) -> bool:
    """Has the text characters of several scripts that no language is written in together?

    >>> mixes_scripts("の究極"), mixes_scripts("आの")
    (False, True)
    """
    found = frozenset(filter(None, map(_script, text)))
    return len(found) > 1 and not any(found <= together for together in TOGETHER)


@cache
def script_names() -> tuple[str, ...]:
    """List the scripts of Unicode that characters are told apart by, those of most text first."""
    return tuple(tomllib.loads(_SCRIPTS.read_text("utf-8"))["names"])


@lru_cache(maxsize=4096)
def _script(character: str) -> str | None:
    """Find the script of a character; None for those that several scripts share, such as digits."""
    found = _one_of_the_scripts().match(character)
    return script_names()[found.lastindex - 1] if found and found.lastindex else None


@cache
def _one_of_the_scripts() -> regex.Pattern[str]:
    """Compile a pattern that matches a character of a script, in the group with the number of this script."""
    return regex.compile("|".join(f"(\\p{{Script={name}}})" for name in script_names()))

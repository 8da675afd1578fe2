"""Groups the bytes of a text by content: numbers, hexadecimal, addresses, white space, scripts, words.

GROUPS has the groups in the order of their rules; at each byte the first rule that matches wins. Addresses, hexadecimal
and numbers are found by the expressions in RULES, which never match across white space. So each distinct run of
characters between white space is searched once in a block, however often it occurs.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.text import utf8_widths

Labels = NDArray[np.uint8]  # the place of a group in GROUPS

BLOCK = 200_000  # bytes of a text, or a few more, that are labelled at once
LINE_BYTES = 20
LINE_TIMES = 5

# Scripts in use today, by their names in Unicode; the rest share a group.
SCRIPTS = (
    *("Arabic", "Armenian", "Bengali", "Bopomofo", "Cherokee", "Cyrillic", "Devanagari", "Ethiopic", "Georgian"),
    *("Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Javanese", "Kannada", "Katakana"),
    *("Khmer", "Lao", "Malayalam", "Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"),
    *("Thaana", "Thai", "Tibetan", "Tifinagh", "Yi"),
)


class WasteGroup(NamedTuple):
    """Names a group of content. key: for programs. title: for people. what: what belongs to it, in a few words."""

    key: str
    title: str
    what: str


GROUPS = (
    WasteGroup(
        "boilerplate", "Repeated lines", f"lines of at least {LINE_BYTES} bytes that occur at least {LINE_TIMES} times"
    ),
    WasteGroup("addresses", "Addresses", "URLs, e-mail and IP addresses, and paths of files"),
    WasteGroup("hexadecimal", "Hexadecimal", "hashes, UUIDs, base64 and other codes"),
    WasteGroup("numbers", "Numbers", "digits, with the signs between them"),
    WasteGroup("space", "White space", "indentation, line ends, and other white space that no word takes along"),
    *(WasteGroup(name.lower(), name, f"letters of the script {name}") for name in SCRIPTS),
    WasteGroup("scripts", "Other scripts", "letters of scripts that have no group of their own"),
    WasteGroup("words", "Words", "words in Latin letters"),
    WasteGroup("emoji", "Emoji", "pictures and flags"),
    WasteGroup("punctuation", "Punctuation", "punctuation and symbols"),
    WasteGroup(
        "other", "Other characters", "control characters, letters without a script, and what Unicode does not know yet"
    ),
    WasteGroup("unplaced", "Without bytes", "tokens that have no bytes of the text"),
)
LABEL = {group.key: label for label, group in enumerate(GROUPS)}


class Rule(NamedTuple):
    """Finds a group by an expression. signs: a run of characters that has none of these bytes is not searched."""

    group: str
    expression: re.Pattern[bytes]
    signs: frozenset[int]


def _rule(group: str, signs: bytes, *expressions: bytes) -> Rule:
    return Rule(group, re.compile(b"|".join(expressions)), frozenset(signs))


_BLANK = re.compile(rb"[ \n]")
_LINE = re.compile(rb"\S.{%d,}\S" % (LINE_BYTES - 2))  # without the white space at its ends
_DIGITS = b"0123456789"
_IN_PATH = rb"[\w.@+%~\x80-\xff-]"
_PATH_BEGINS = rb"(?<![\w.@+%~\x80-\xff/<-])"  # so that no run of these characters is searched twice
_CODE = rb"[A-Za-z0-9+/_-]"
_BEFORE, _BEHIND = rb"(?<![0-9A-Za-z])", rb"(?![0-9A-Za-z])"
RULES = (
    _rule(
        "addresses",
        b"/\\",
        rb"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]",
        _PATH_BEGINS + rb"(?:~|\.{1,2})/" + _IN_PATH + rb"+(?:/" + _IN_PATH + rb"+)*/?(?<!\.)",  # ~/notes, ./a, ../b/c
        _PATH_BEGINS + rb"(?:/" + _IN_PATH + rb"+){2,}/?(?<!\.)",  # /usr/bin
        _PATH_BEGINS + rb"(?:" + _IN_PATH + rb"+/)+" + _IN_PATH + rb"*\.[A-Za-z]\w{0,7}\b",  # src/main.py
        rb"\b[A-Za-z]:\\[^\s<>\"'|?*]+",  # C:\Users
    ),
    _rule("addresses", b".", rb"\bwww\.[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]"),
    _rule("addresses", b"@", rb"[\w.%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"),
    _rule("addresses", _DIGITS, rb"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?!\.?\d)"),
    _rule(
        "hexadecimal",
        _DIGITS,
        rb"\b0[xX][0-9A-Fa-f]+\b",
        _BEFORE + rb"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}" + _BEHIND,  # a UUID
        # seven digits or more, with a letter and a decimal digit among them
        _BEFORE + rb"(?=[0-9]*[A-Fa-f])(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{7,}" + _BEHIND,
        # base64: its first 24 characters have a digit, a small and a capital letter, but no 8 small letters in a row
        rb"(?<!" + _CODE + rb")(?=[^\d]{0,23}\d)(?=[^a-z]{0,23}[a-z])(?=[^A-Z]{0,23}[A-Z])"
        rb"(?!" + _CODE + rb"{0,16}[a-z]{8})" + _CODE + rb"{24,}={0,2}",
    ),
    _rule("hexadecimal", b"#", rb"#(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6})" + _BEHIND),
    _rule("numbers", _DIGITS, rb"\d+(?:[.:/T-]\d+|,\d{3}(?!\d))*(?:[eE][+-]?\d+)?"),
)

# What a character is by itself, if no expression matches it. The first that matches wins here too.
_CHARACTERS = {
    "space": r"\s",
    "numbers": r"\p{N}",
    "words": r"[\p{Latin}&&\p{L}]",
    **{name.lower(): rf"[\p{{{name}}}&&[\p{{L}}\p{{M}}]]" for name in SCRIPTS},
    "emoji": r"[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]",
    "words ": r"\p{M}",  # accents, which have no script of their own
    "other": r"[[\p{Common}\p{Inherited}]&&\p{L}]",  # letters without a script, such as signs of mathematics
    "scripts": r"\p{L}",
    "punctuation": r"[\p{P}\p{S}]",
}


class Labelled(NamedTuple):
    """Holds the groups of a text. labels: one a byte. spaces: bool, one a byte, whether it is white space."""

    labels: Labels
    spaces: NDArray[np.bool_]

    def of_spans(self, starts: NDArray[np.int64], end: int) -> Labels:
        """Find the label of each of these spans, which lie end to end.

        It is that of the first byte which is neither white space nor punctuation, so that `.name` and ` "name` are
        words; if there is none, of the first that is no white space, or of the first at all.
        """
        labels, spaces = self.labels[starts[0] : end], self.spaces[starts[0] : end]
        last_choice = np.where(spaces, 2, labels == LABEL["punctuation"])
        places = last_choice * len(labels) + np.arange(len(labels))
        found: Labels = labels[np.minimum.reduceat(places, starts - starts[0]) % len(labels)]
        return found


def label_steps(data: bytes) -> Iterator[Labelled]:
    """Group the bytes of a text in UTF-8, in slices: yields what is labelled so far, and at last all of it.

    >>> *_, found = label_steps("at 10:30 see ~/notes.txt".encode())
    >>> [GROUPS[found.labels[byte]].key for byte in (0, 2, 5, 9, 13)]
    ['words', 'space', 'numbers', 'words', 'addresses']
    """
    labels, spaces = found = Labelled(np.empty(len(data), np.uint8), np.empty(len(data), np.bool_))
    start = 0
    while start < len(data):
        runs: dict[bytes, list[tuple[int, int, int]]] = {}  # what `_matches` finds in each run between white space
        blank = _BLANK.search(data, start + BLOCK)
        end = blank.end() if blank else len(data)
        labels[start:end] = _by_character(data[start:end])
        spaces[start:end] = labels[start:end] == LABEL["space"]
        edges = start + np.flatnonzero(np.diff(spaces[start:end], prepend=True, append=True))
        for first, last in edges.reshape(-1, 2).tolist():
            run = data[first:last]
            if run not in runs:
                runs[run] = _matches(run)
            for place, behind, label in runs[run]:
                labels[first + place : first + behind] = label
        yield found
        start = end
    lines = [*_LINE.finditer(data)]
    times = Counter(line[0] for line in lines)
    for line in lines:
        if times[line[0]] >= LINE_TIMES:
            labels[slice(*line.span())] = LABEL["boilerplate"]
    yield found


def _by_character(data: bytes) -> Labels:
    """Label each character by itself. Each distinct character is classified once and then looked up."""
    codes = np.frombuffer(data.decode().encode("utf-32-le"), "<u4")
    seen = np.flatnonzero(np.bincount(codes))
    of_code = np.full(int(seen[-1]) + 1 if len(seen) else 1, LABEL["other"], np.uint8)
    text = "".join(map(chr, seen))
    for key, kind in reversed(_kinds().items()):
        of_code[[*map(ord, kind.findall(text))]] = LABEL[key.strip()]
    labels: Labels = of_code[codes]
    if len(labels) < len(data):
        labels = np.repeat(labels, utf8_widths(codes))
    return labels


@functools.cache
def _kinds() -> dict[str, regex.Pattern[str]]:
    return {key: regex.compile(expression, regex.V1) for key, expression in _CHARACTERS.items()}


def _matches(run: bytes) -> list[tuple[int, int, int]]:
    """Find all that the expressions match in a run: (start, end, label). What the first rule matches comes last."""
    return [
        (*match.span(), LABEL[rule.group])
        for rule in reversed(RULES)
        if not rule.signs.isdisjoint(run)
        for match in rule.expression.finditer(run)
    ]

r"""Read the Unicode classes off the installed tiktoken: python models/unicode_classes.py

Which characters are letters changes from one version of Unicode to the next. Python's `regex` package knows
thousands of letters that tiktoken does not, so the same split pattern cuts the same text in different places. A table
avoids that: each code point -> one representative of its class, where a class contains all code points that tiktoken's
patterns cannot tell apart. On the mapped text both engines see the same classes, and patterns can be used unchanged.

    class     all code points that are                                         are represented by
    itself    ASCII, or 'ſ' (U+017F, which (?i:s) matches)                     themselves
    upper     capitals and title case: \p{Lu}, \p{Lt}                          A
    lower     small letters: \p{Ll}                                            a
    letter    letters without case and modifiers: \p{Lo}, \p{Lm}               ª
    mark      \p{M}, an accent that joins the letter before it                 U+0300
    number    \p{N}                                                            0
    space     \s, except line ends and ' ', which are ASCII                    tab
    other     everything else: punctuation, symbols, unassigned, surrogates    !

To read a class, the script makes an `Encoding` whose pattern is that class, and whose vocabulary is the 256 bytes. It
encodes exactly the characters of the class and skips the rest.

The table is written to tokviz/data/unicode_classes.json as runs: [first code point, index of its class]. A run ends
where the next begins. The representative -1 means that a code point stands for itself.
"""

from __future__ import annotations

import itertools
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

import regex
import tiktoken

TABLE = Path(__file__).resolve().parent.parent / "tokviz" / "data" / "unicode_classes.json"
ITSELF = -1
CLASSES = {  # name: (what tiktoken's patterns call it, representative)
    "upper": (r"[\p{Lu}\p{Lt}]", ord("A")),
    "lower": (r"\p{Ll}", ord("a")),
    "letter": (r"[\p{Lm}\p{Lo}]", ord("ª")),
    "mark": (r"\p{M}", 0x0300),
    "number": (r"\p{N}", ord("0")),
    "space": (r"\s", ord("\t")),
}
OTHER = ord("!")
FOLDED = r"(?i:[sdmtlver])"  # the letters of 's 't 're 've 'm 'll 'd, in any case: "ſ" is one of them
EVERY = "".join(map(chr, itertools.chain(range(0xD800), range(0xE000, sys.maxunicode + 1))))


class Table(TypedDict):
    """The content of the file; see the docstring of this module."""

    tiktoken: str
    classes: list[str]
    representatives: list[int]
    runs: list[list[int]]


class ClassError(Exception):
    """tiktoken and `regex` do not see the classes as this script expects, so the table would not be exact."""


def read_classes() -> Table:
    """The table, read off the installed tiktoken. ClassError if it would not be exact."""
    members = {name: matched(pattern) for name, (pattern, _) in CLASSES.items()}
    _check(members)
    names = ["itself", *CLASSES, "other"]
    class_of = [names.index("other")] * (sys.maxunicode + 1)
    for name, points in members.items():
        for point in points:
            class_of[point] = names.index(name)
    for point in [*range(128), *matched(FOLDED)]:
        class_of[point] = names.index("itself")
    runs: list[list[int]] = []
    for point, index in enumerate(class_of):
        if not runs or runs[-1][1] != index:
            runs.append([point, index])
    representatives = [ITSELF, *(point for _, point in CLASSES.values()), OTHER]
    return Table(tiktoken=version("tiktoken"), classes=names, representatives=representatives, runs=runs)


def matched(pattern: str) -> set[int]:
    """The code points (except surrogates) that `pattern`, which matches one character, matches in tiktoken."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    probe = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return set(map(ord, probe.decode_bytes(probe.encode_ordinary(EVERY)).decode("utf-8")))


def _check(members: dict[str, set[int]]) -> None:
    """Check that the table is exact: no two classes overlap, and both engines agree on all representatives."""
    for (one, here), (two, there) in itertools.combinations(members.items(), 2):
        if here & there:
            raise ClassError(f"{one} and {two} share U+{min(here & there):04X}")
    letters = members["upper"] | members["lower"] | members["letter"]
    for shorthand, expected in ((r"\p{L}", letters), (r"\S", set(map(ord, EVERY)) - members["space"])):
        if matched(shorthand) != expected:
            raise ClassError(f"{shorthand} is not what the other classes say")
    folded = matched(FOLDED)
    seen_by = {FOLDED: folded} | {pattern: members[name] for name, (pattern, _) in CLASSES.items()}
    kept = {*range(128), *folded, *(point for _, point in CLASSES.values()), OTHER}
    for pattern, point in itertools.product(seen_by, sorted(kept)):
        if (regex.fullmatch(pattern, chr(point)) is not None) != (point in seen_by[pattern]):
            raise ClassError(f"regex and tiktoken differ on U+{point:04X} in {pattern}")
    for name, (_, point) in CLASSES.items():
        if point not in members[name] or point in folded:
            raise ClassError(f"U+{point:04X} cannot stand for {name}")
    if any(OTHER in points for points in members.values()):
        raise ClassError(f"U+{OTHER:04X} cannot stand for the rest")


def write(table: Table, path: Path = TABLE) -> None:
    """Write the table as JSON that a person can read, ten runs a line."""
    head = json.dumps({key: table[key] for key in table if key != "runs"}, indent=1)  # type: ignore[literal-required]
    runs = table["runs"]
    lines = [json.dumps(runs[i : i + 10], separators=(",", ":"))[1:-1] for i in range(0, len(runs), 10)]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = head.removesuffix("\n}") + ',\n "runs": [\n' + ",\n".join(lines) + "\n ]\n}\n"
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    found = read_classes()
    write(found)
    print(f"tiktoken {found['tiktoken']}: {len(found['runs']):,} runs, {TABLE.stat().st_size:,} bytes")

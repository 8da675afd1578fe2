r"""Says in a sentence what an alternative of a split pattern matches.

For the named patterns the sentences are data, written for people (`data/split_clauses.toml`). For others they are built
from the tree of the alternative, as far as `tokviz.split.pattern_tree` can read it.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from tokviz.base.data import DATA
from tokviz.base.wording import capital, count_of, listed
from tokviz.split.pattern_tree import Atom, Choice, End, Look, Node, NotProven, Repeat, Sequence, parse

_NOUNS = {  # a class, and what one of its characters is called
    r"\p{L}": "letter",
    r"\p{Lu}": "capital letter",
    r"\p{Ll}": "small letter",
    r"\p{Lt}": "title-case letter",
    r"\p{Lm}": "modifier letter",
    r"\p{Lo}": "letter without case",
    r"\p{M}": "combining mark",
    r"\p{N}": "numeral",
    r"\p{Nd}": "digit",
    r"\p{P}": "punctuation mark",
    r"\p{S}": "symbol",
    r"\p{Z}": "separator",
    r"\d": "digit",
    r"\w": "word character",
    r"\s": "white-space character",
    r"\n": "line feed",
    r"\r": "carriage return",
    r"\t": "tab",
    " ": "space",
}
_OF_NO_CLASS = {r"\S": r"\s", r"\D": r"\d", r"\W": r"\w"}
_ANY = (r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]")
_IN_SET = re.compile(r"\\[pP]\{[^}]*\}|\\[pP][A-Z]|\\[sSdDwWnrt]|\\[^\w]|[^\\]", re.DOTALL)
_COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}


class _NoWords(Exception):
    """There are no words for this part of a pattern."""


@functools.cache
def named_sentences() -> dict[tuple[str, str], str]:
    """Read (name of a pattern, alternative) -> sentence, for the named patterns.

    >>> named_sentences()["o200k", r"\\p{N}{1,3}"]
    'One to three numerals, without the space before them.'
    """
    rows = tomllib.loads((DATA / "split_clauses.toml").read_text(encoding="utf-8"))["clause"]
    return {(row["pattern"], row["clause"]): row["sentence"] for row in rows}


def sentence_of(clause: str, pattern: str = "", flags: str = "") -> str:
    r"""Say what an alternative matches; "" if tokviz has no words for it.

    pattern: the name of its pattern, if it has one. flags: the letters of the flags of its pattern.

    >>> sentence_of(r" ?\p{L}+")
    'An optional space, then one or more letters.'
    >>> sentence_of(r"\d{1,3}(?=\s)|[^a\t]")
    'One to three digits, if a white-space character follows; or a character that is no “a” or tab.'
    >>> sentence_of(r"(?<=a)b")
    ''
    """
    known = named_sentences().get((pattern, clause))
    if known:
        return known
    if set(flags) - {"i"}:
        return ""
    try:
        return f"{capital(_phrase(parse(f'(?i:{clause})' if flags else clause)))}."
    except (NotProven, _NoWords, IndexError):
        return ""


def _phrase(node: Node) -> str:
    match node:
        case Atom(text):
            return _name(text).with_article
        case End():
            return "the end of the text"
        case Look(text, wanted):
            return f"at a place {'before' if wanted else 'that is not before'} {_name(text).with_article}"
        case Choice(parts):
            return "; or ".join(map(_phrase, parts))
        case Sequence(parts):
            return _sequence(parts)
        case Repeat():
            return _repeat(node)


def _sequence(parts: tuple[Node, ...]) -> str:
    said = ""
    for words in _in_turn(parts):
        joint = ", " if words.startswith(("if ", "at the end")) else ", then "
        said += f"{joint}{words}" if said else words
    return said or "nothing"


def _in_turn(parts: tuple[Node, ...]) -> Iterator[str]:
    """Yield the parts in words, with characters that mean themselves written together."""
    at = 0
    while at < len(parts):
        part = parts[at]
        run = [*takewhile(bool, (_itself(one.text) if isinstance(one, Atom) else None for one in parts[at:]))]
        if len(run) > 1 and isinstance(part, Atom):
            yield f"“{''.join(filter(None, run))}”" + (" in any case" if part.text.startswith("(?i:") else "")
        elif isinstance(part, Look) and at:
            yield _follows(part)
        elif isinstance(part, End):
            yield "at the end of the text"
        elif isinstance(part, Choice):
            yield f"({_phrase(part)})"
        else:
            yield _phrase(part)
        at += max(len(run), 1)


def _follows(look: Look) -> str:
    name = _name(look.text)
    if look.wanted:
        return f"if {name.with_article} follows"
    return f"if {name.opposite} or the end of the text follows" if name.opposite else f"if no {name.one} follows"


def _repeat(node: Repeat) -> str:
    part, least, most = node.part, node.least, node.most
    if not isinstance(part, Atom):
        return f"({_phrase(part)}), {_often(least, most)}"
    name = _name(part.text)
    if (least, most) == (0, 1):
        return f"an optional {name.one}"
    if most is None:
        begun = {0: "any number of", 1: "one or more"}.get(least, f"at least {_count(least)}")
        return f"{begun} {name.many}"
    if least == most:
        return f"exactly {_count(least)} {name.one if least == 1 else name.many}"
    return f"{_count(least)} to {_count(most)} {name.many}" if least else f"up to {_count(most)} {name.many}"


def _often(least: int, most: int | None) -> str:
    if (least, most) == (0, 1):
        return "or nothing"
    if most is None:
        return {0: "any number of times", 1: "once or more"}.get(least, f"at least {count_of(least, 'time')}")
    return f"exactly {count_of(least, 'time')}" if least == most else f"{least:,} to {count_of(most, 'time')}"


def _count(n: int) -> str:
    return _COUNTS.get(n, f"{n:,}")


class _Name(NamedTuple):
    """Names the characters of a class: one, many, and one that is not of it, if there are words without "no" for it."""

    one: str
    many: str
    opposite: str = ""

    @property
    def with_article(self) -> str:
        if self.one.startswith("“"):
            return self.one
        return f"an {self.one}" if self.one[0] in "aeio" else f"a {self.one}"


def _name(text: str) -> _Name:
    r"""Say what a character of a class is called.

    >>> [_name(text).many for text in (r"[\r\n]", r"[^\p{L}]", "[a-z_]")]
    ['carriage returns or line feeds', 'characters that are no letter', 'characters from “a” to “z” or “_”']
    """
    if text.startswith("(?i:"):
        one, many, _ = _name(text[4:-1])
        letters = "“" in one
        return _Name(f"{one} in any case", f"{many} in any case") if letters else _Name(one, many)
    if text in _ANY:
        return _Name("character", "characters")
    if text == ".":
        return _none_of(_Name("line feed", "line feeds"))
    if text in _OF_NO_CLASS:
        return _none_of(_name(_OF_NO_CLASS[text]))
    if text.startswith((r"\P{", r"\p{^")):
        return _none_of(_name(text.replace("P", "p").replace("^", "")))
    if text.startswith("[^"):
        return _none_of(_one_of(text[2:-1]))
    if text.startswith("["):
        return _one_of(text[1:-1])
    text = repr(text)[1:-1] if text in "\n\r\t" else text
    if text in _NOUNS:
        first, *behind = _NOUNS[text].partition(" without")
        return _Name(_NOUNS[text], f"{first}s{''.join(behind)}")
    itself = _itself(text)
    if itself:
        return _Name(f"“{itself}”", f"“{itself}”")
    script = re.fullmatch(r"\\p\{(?:Script=|sc=|Is)?([A-Z]\w{2,})\}", text)
    if script:
        return _Name(f"{script[1]} character", f"{script[1]} characters")
    raise _NoWords


def _none_of(name: _Name) -> _Name:
    return _Name(f"character that is no {name.one}", f"characters that are no {name.one}", name.with_article)


def _one_of(items: str) -> _Name:
    """Say what a character of a set is called: "letter, numeral or “_”"."""
    found = _IN_SET.findall(items)
    if "".join(found) != items:
        raise _NoWords
    names: list[_Name] = []
    while found:
        first = found.pop(0)
        if found[:1] == ["-"] and len(found) > 1:
            start, end = _itself(first), _itself(found[1])
            if not (start and end):
                raise _NoWords
            words = f"from “{start}” to “{end}”"
            names.append(_Name(f"character {words}", f"characters {words}"))
            found = found[2:]
        else:
            names.append(_Name(f"“{first}”", f"“{first}”") if first in ".$^" else _name(first))
    return _Name(listed([name.one for name in names], "or"), listed([name.many for name in names], "or"))


def _itself(text: str) -> str | None:
    """Return the character that an atom means, if it is one that can be read in a quotation."""
    text = text[4:-1] if text.startswith("(?i:") else text
    if len(text) == 2 and text[0] == "\\" and not text[1].isalnum():
        return text[1] if text[1].isprintable() else None
    return text if len(text) == 1 and text.isprintable() and text not in ".$^" else None

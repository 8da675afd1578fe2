"""Reads the bundled texts: lines to look at, a story and a program to train on, and one text in many languages.

They are files in `data/samples/`; index.toml there describes each of them. examples.toml has short texts that each show
one thing about tokens.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from datetime import date
from typing import Literal

from tokviz.base.arguments import shown
from tokviz.base.data import DATA
from tokviz.base.errors import UnknownNameError

SAMPLES = DATA / "samples"

SampleKind = Literal["short", "story", "code", "parallel"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Holds a bundled text.

    language, script: "" if the text mixes several. The language of a program is its programming language.
    """

    key: str
    title: str
    text: str
    kind: SampleKind
    file: str
    written: date
    licence: str
    language: str = ""
    script: str = ""

    @property
    def n_bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.text.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class Parallel:
    """Holds the parallel sample in one language. Sentence i means the same in every language. code: ISO 639-1."""

    code: str
    language: str
    script: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(self.sentences)


@dataclass(frozen=True, slots=True)
class Example:
    """Holds a text that shows one thing. look: what to look at, in one line. date: when it was written, or read."""

    key: str
    title: str
    text: str
    look: str
    source: str
    date: date


@functools.cache
def samples() -> tuple[Sample, ...]:
    """Read all bundled texts, in the order in which pages list them.

    >>> [sample.key for sample in samples()]
    ['mixed', 'tongue', 'story', 'code', 'parallel']
    """
    rows = tomllib.loads(_read("index.toml"))["sample"]
    return tuple(Sample(text=_text(row["file"], row["kind"]), **row) for row in rows)


def sample(key: str) -> Sample:
    """Return the bundled text with this key. UnknownNameError lists the keys that exist.

    >>> print(sample("tongue").text.splitlines()[0])
    The feathered thrushes thread heather together;
    >>> sample("poem")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.UnknownNameError: There is no sample 'poem'. Choose one of: mixed, tongue, story, code, parallel.
    """
    for one in samples():
        if one.key == key:
            return one
    keys = ", ".join(one.key for one in samples())
    raise UnknownNameError(f"There is no sample {shown(key)}.", f"Choose one of: {keys}.")


@functools.cache
def parallel() -> tuple[Parallel, ...]:
    """Read the parallel sample: the same sentences in many languages.

    >>> {one.code: one.sentences[0] for one in parallel()}["de"]
    'Guten Morgen!'
    >>> len(parallel()), {len(one.sentences) for one in parallel()}
    (18, {6})
    """
    rows = tomllib.loads(_read("parallel.toml"))["text"]
    return tuple(Parallel(row["code"], row["language"], row["script"], tuple(row["sentences"])) for row in rows)


@functools.cache
def examples() -> tuple[Example, ...]:
    """Read the examples of the Tokens page, in the order in which it lists them.

    >>> {one.key: one.text for one in examples()}["trailing"].splitlines()
    ['The tea is hot', 'The tea is', 'The tea is ']
    """
    rows = tomllib.loads(_read("examples.toml"))["example"]
    return tuple(Example(text=row.pop("text", "") or _example(row.pop("sample")), **row) for row in rows)


def _example(key: str) -> str:
    """Make an example of a bundled text: of the parallel one, the first sentence in each language."""
    return "\n".join(one.sentences[0] for one in parallel()) if key == "parallel" else sample(key).text


def _text(file: str, kind: SampleKind) -> str:
    if kind == "parallel":
        return "\n\n".join(one.text for one in parallel())
    return _read(file).removesuffix("\n")  # the last line end belongs to the file, not to the text


def _read(file: str) -> str:
    # In text mode, so that a checkout with \r\n line ends gives the same text, and so the same tokens.
    return (SAMPLES / file).read_text(encoding="utf-8")

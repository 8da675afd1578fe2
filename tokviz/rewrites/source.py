"""What a rewrite gets and what it makes: the text, read as JSON if it is JSON; and the kinds of rewrites."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, NoReturn

from tokviz.arguments import shown
from tokviz.errors import InputError

JSON_ENDINGS = (".json", ".jsonl", ".ndjson", ".ipynb", ".geojson")
_BEGINS_AS_JSON = re.compile(
    r"""[ \t\r\n]*(?:\{[ \t\r\n]*["}]|\[[ \t\r\n]*(?:["\[\]{]|-?\d|-?Infinity|NaN|null|true|false))"""
)
WHITE = " \t\r\n"  # what JSON calls white space; str.strip alone would take more

Form = Literal["document", "lines"] | None


class Made(NamedTuple):
    """A rewritten text. loss: what is lost, as a sentence; "" if nothing is."""

    text: str
    loss: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rewrite.

    key, name, what, ending: as in `Rewrite`. make: Source -> Made, or None if there is nothing to rewrite. It raises
    InputError if there is something that cannot be rewritten.
    """

    key: str
    name: str
    what: str
    make: Callable[[Source], Made | None]
    ending: str = ""


class Number(str):
    """A number of JSON in its own spelling, so that it is never rounded."""


@dataclass(frozen=True)
class Source:
    """A text to be rewritten, clean of lone surrogates. name: of its file, "" if there is none."""

    text: str
    name: str = ""

    @cached_property
    def looks_like_json(self) -> bool:
        """Whether someone who sees its name or its first characters takes it for JSON."""
        if self.text.lstrip(WHITE)[:1] not in ("{", "["):
            return False
        closed = self.text.rstrip(WHITE)[-1] in "}]"
        return self.name.endswith(JSON_ENDINGS) or (closed and bool(_BEGINS_AS_JSON.match(self.text)))

    @cached_property
    def _form_and_fault(self) -> tuple[Form, str]:
        if not self.looks_like_json:
            return None, ""
        try:
            return _form(self.text), ""
        except InputError as fault:
            return None, str(fault)

    @property
    def form(self) -> Form:
        """What the text is: one JSON document, JSON Lines, or None if it is neither."""
        return self._form_and_fault[0]

    @property
    def fault(self) -> str:
        """Why a text that looks like JSON is none, as a sentence; "" if there is nothing to say."""
        return self._form_and_fault[1]

    def documents(self) -> list[Any]:
        """The data: one document, or one for each line of JSON Lines. Numbers are Number. It takes several times as
        much memory as the text, so it is not kept.

        Raises InputError if an object has a key twice, because no data structure holds it.
        """
        texts = [self.text] if self.form == "document" else filled_lines(self.text)
        return [_load(text, parse_int=Number, parse_float=Number, object_pairs_hook=_object) for text in texts]


def filled_lines(text: str) -> list[str]:
    """The lines of JSON Lines that are not empty."""
    return [line for line in text.split("\n") if line.strip(WHITE)]


def _form(text: str) -> Form:
    """What a text is that looks like JSON; InputError if it is not JSON."""
    try:
        _scan(text)
    except json.JSONDecodeError as fault:
        if fault.msg != "Extra data" or len(filled_lines(text)) < 2:
            raise InputError(f"It is not JSON: {fault.msg} in line {fault.lineno:,}, column {fault.colno:,}.") from None
    else:
        return "document"
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip(WHITE):
                _scan(line)
        except json.JSONDecodeError as fault:
            what = f"It is neither JSON nor JSON Lines: {fault.msg} in line {number:,}, column {fault.colno:,}."
            raise InputError(what) from None
    return "lines"


def _scan(text: str) -> None:
    _load(text, parse_int=_nothing, parse_float=_nothing)


def _load(text: str, **hooks: Any) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, **hooks)
    except RecursionError:
        raise InputError("Its lists and objects are nested too deeply to be read.") from None


def _nothing(_: str) -> None:
    """A number that is never read: int() refuses very long ones."""


def _no_constant(word: str) -> NoReturn:
    raise InputError(f"It contains {word}, which is not JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise InputError(f"An object has the key {shown(key)} more than once.")
    return found

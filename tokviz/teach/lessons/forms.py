"""Writes the same text in several forms. Views show them below each other, and tasks compare them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import regex
import yaml

from tokviz.base.errors import InputError, UnknownNameError
from tokviz.base.json_files import refuse_constant
from tokviz.base.text import clean

ENDLESS = 2**31 - 1  # the width of a line of YAML: a string is not broken into several


class Form(NamedTuple):
    """Describes a form. title: in a few words. make: writes a text in this form; InputError if it has no such form."""

    title: str
    make: Callable[[str], str]


def form_of(name: str) -> Form:
    r"""Find the form with this name. Raises UnknownNameError.

    >>> [form_of(name).make("Tea 12") for name in ("reversed", "spelled", "capitals", "space after")]
    ['21 aeT', 'T e a   1 2', 'TEA 12', 'Tea 12 ']
    >>> [form_of(name).make('{"z": [1.0, "no"], "a": "é"}') for name in ("json", "yaml")]
    ['{"z":[1.0,"no"],"a":"é"}', "z:\n- 1.0\n- 'no'\na: é\n"]
    """
    if name not in FORMS:
        raise UnknownNameError(f"There is no form “{name}”.", f"Choose one of: {', '.join(FORMS)}.")
    return FORMS[name]


def letters(text: str) -> list[str]:
    """Split a text into what a reader takes for its letters, each perhaps several code points.

    >>> letters("né👍🏽") == ["n", "é", "👍🏽"]
    True
    """
    return list(regex.findall(r"\X", text))


def grouped(text: str) -> str:
    """Put commas into each number, between threes of digits from the right.

    >>> grouped("127 + 6,770 = 6897")
    '127 + 6,770 = 6,897'
    """
    plain = regex.sub(r"(?<=\d),(?=\d{3})", "", text)
    return str(regex.sub(r"(?<=\d)(?=(?:\d{3})+(?!\d))", ",", plain))


def _of_json(write: Callable[[Any], str]) -> Callable[[str], str]:
    def make(text: str) -> str:
        try:
            return clean(write(json.loads(text, parse_constant=refuse_constant)))
        except (ValueError, RecursionError) as fault:
            raise InputError(f"This is not JSON: {fault}.", 'Write it as in {"name": "Ann"}.') from None

    return make


def _as_yaml(data: Any) -> str:
    written = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=ENDLESS)
    return str(written).removesuffix("...\n")  # a value alone is written with the mark of a document's end


FORMS: Mapping[str, Form] = {
    "typed": Form("As typed", lambda text: text),
    "reversed": Form("Reversed", lambda text: "".join(reversed(letters(text)))),
    "spelled": Form("Letter by letter", lambda text: " ".join(letters(text))),
    "small": Form("Small letters", str.lower),
    "capital": Form("One capital", lambda text: text[:1].upper() + text[1:].lower()),
    "capitals": Form("All capitals", str.upper),
    "space after": Form("A space after", lambda text: f"{text} "),
    "in threes": Form("In threes", grouped),
    "json": Form("JSON, no white space", _of_json(partial(json.dumps, separators=(",", ":"), ensure_ascii=False))),
    "yaml": Form("YAML", _of_json(_as_yaml)),
}

"""The fields of tokviz's own model file, one row each: what a value has to be.

A check gives what is wrong with a value, as the end of a sentence that begins with the name of its field; "" if nothing
is. What several fields say together, such as the order of the merges, `Tokenizer` checks when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from tokviz.arguments import shown
from tokviz.formats.parts import is_id
from tokviz.rules import PREFERENCES, TIES

Check = Callable[[Any], str]
Fields = Mapping[str, "Check | Fields"]

HISTORY = ("count", "replaced", "tied", "tokens_after")
COUNTS_BELOW = 2**53  # numbers that a browser has exactly
BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_SUM = re.compile(r"[0-9a-f]{64}")
_HEXADECIMAL = re.compile(r"([0-9a-f]{2})+")


def fault_in(fields: Fields, values: Mapping[str, Any], within: str = "") -> str:
    """What is wrong with the first value that is not as it has to be, after the name of its field; "" if all are right.

    >>> fault_in({"name": text}, {"name": 5})
    "'name' is 5, which is not a string"
    """
    for field, check in fields.items():
        name, value = f"{within}{field}", values.get(field)
        if callable(check):
            wrong = check(value)
        elif value is None:
            wrong = ""
        elif isinstance(value, Mapping):
            deeper = fault_in(check, value, f"{name}.")
            if deeper:
                return deeper
            wrong = ""
        else:
            wrong = f"is {shown(value)}, which is not an object"
        if wrong:
            return f"'{name}' {wrong}"
    return ""


def text(value: Any) -> str:
    if not isinstance(value, str):
        return f"is {shown(value)}, which is not a string"
    try:
        value.encode()
    except UnicodeEncodeError:
        return f"is {value[:80]!a}, which contains half a character"
    return ""


def ids(value: Any) -> str:
    if not isinstance(value, list):
        return "is not a list of ids"
    at = next((place for place, id in enumerate(value) if not is_id(id)), None)
    if at is not None:
        return f"is not a list of ids: at place {at:,} it has {shown(value[at])}"
    return "" if len(set(value)) == len(value) else "gives two tokens the same id"


def _alphabet(value: Any) -> str:
    return ids(value) or ("" if len(value) == 256 else f"has {len(value):,} ids, and there are 256 bytes")


def _pairs(value: Any) -> str:
    if not isinstance(value, list):
        return "is not a list"
    for number, pair in enumerate(value, 1):
        if not (isinstance(pair, list) and len(pair) == 2 and is_id(pair[0]) and is_id(pair[1])):
            return f"has no pair of ids at merge {number:,}"
    return ""


def _tokens(value: Any) -> str:
    if not isinstance(value, list):
        return "is not a list"
    for number, token in enumerate(value, 1):
        if not (isinstance(token, str) and token and BASE64.fullmatch(token)):
            return f"has no base64 at {number:,}"
    return "" if len(set(value)) == len(value) else "has a token twice"


def _rising(value: Any) -> str:
    return ids(value) or ("" if (np.diff(value) > 0).all() else "does not rise")


def _special_tokens(value: Any) -> str:
    if not isinstance(value, Mapping) or not all(map(is_id, value.values())):
        return "does not map text to ids"
    return next(filter(None, map(text, value)), "")


def number(least: int) -> Check:
    def check(value: Any) -> str:
        whole = is_id(value, COUNTS_BELOW) and value >= least
        return "" if whole else f"is {shown(value)}, which is not a whole number from {least:,} on"

    return check


def _one_of(names: Collection[str]) -> Check:
    def check(value: Any) -> str:
        known = isinstance(value, str) and value in names
        return "" if known else f"is {shown(value)}, which is none of {', '.join(names)}"

    return check


def list_of(check: Check) -> Check:
    def check_all(value: Any) -> str:
        if not isinstance(value, list | tuple):
            return f"is {shown(value)}, which is not a list"
        return next((f"at place {place:,} {wrong}" for place, one in enumerate(value) if (wrong := check(one))), "")

    return check_all


def _written_as(pattern: re.Pattern[str], what: str) -> Check:
    def check(value: Any) -> str:
        return "" if isinstance(value, str) and pattern.fullmatch(value) else f"is {shown(value)}, which is not {what}"

    return check


def or_none(check: Check) -> Check:
    return lambda value: "" if value is None else check(value)


def _texts(value: Any) -> str:
    """The texts of a training: a row for each, or one for all if they are too many."""
    rows, fields = ([value], ALL_TEXTS) if isinstance(value, Mapping) else (value, ONE_TEXT)
    if not isinstance(rows, list | tuple):
        return f"is {shown(value)}, which is not a list of texts"
    for number, row in enumerate(rows, 1):
        wrong = fault_in(fields, row) if isinstance(row, Mapping) else "is not an object"
        if wrong:
            return f"at text {number:,}: {wrong}"
    return ""


SUM = _written_as(_SUM, "a sha256")
ONE_TEXT: Fields = {"name": text, "bytes": number(0), "sha256": SUM}
ALL_TEXTS: Fields = {"texts": number(0), "bytes": number(0), "sha256_of_sums": SUM}
MADE_FROM: Fields = {
    "settings": {
        "vocab_size": or_none(number(256)),
        "pattern": or_none(text),
        "special_tokens": or_none(list_of(text)),
        "tie": or_none(_one_of(TIES)),
        "min_count": or_none(number(1)),
        "ban": or_none(list_of(_written_as(_HEXADECIMAL, "bytes in hexadecimal"))),
        "prefer": or_none(_one_of(PREFERENCES)),
    },
    "texts": or_none(_texts),
    "truncated_to": or_none(number(256)),
    "counted": {"shards": number(1), "bytes": number(0)},
}
_BOTH: Fields = {
    "name": text,
    "pattern": text,
    "regex_version": or_none(text),
    "alphabet": or_none(_alphabet),
    "special_tokens": _special_tokens,
}


def _history(value: Any) -> str:
    if not isinstance(value, Mapping) or set(value) != set(HISTORY):
        return f"does not hold {', '.join(HISTORY)}"
    for column in HISTORY:
        figures = value[column]
        if not isinstance(figures, list) or not all(is_id(figure, COUNTS_BELOW) for figure in figures):
            return f"does not have one {column!r} for each merge"
    return ""


OF_PAIRS: Fields = {
    **_BOTH,
    "merges": _pairs,
    "merge_ids": or_none(ids),
    "history": or_none(_history),
    "made_from": MADE_FROM,
}
OF_RANKS: Fields = {**_BOTH, "tokens": _tokens, "merge_ids": _rising, "vocab_size": number(256)}

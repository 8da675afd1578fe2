"""The fields of tokviz's own model file, one row each: what a value has to be.

What several fields say together, such as the order of the merges, `Tokenizer` checks when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tokviz.base.arguments import shown
from tokviz.base.fields import (
    COUNTS_BELOW,
    SUM,
    Fields,
    fault_in,
    ids,
    list_of,
    number,
    one_of,
    or_none,
    text,
    written_as,
)
from tokviz.base.json_files import is_id
from tokviz.training.rules import PREFERENCES, TIES

HISTORY = ("count", "replaced", "tied", "tokens_after")
BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_HEXADECIMAL = re.compile(r"([0-9a-f]{2})+")


def _alphabet(value: Any) -> str:
    return ids(value) or ("" if len(value) == 256 else f"has {len(value):,} ids, and there are 256 bytes")


def _pairs(value: Any) -> str:
    if not isinstance(value, list):
        return "is not a list"
    for at, pair in enumerate(value, 1):
        if not (isinstance(pair, list) and len(pair) == 2 and is_id(pair[0]) and is_id(pair[1])):
            return f"has no pair of ids at merge {at:,}"
    return ""


def _tokens(value: Any) -> str:
    if not isinstance(value, list):
        return "is not a list"
    for at, token in enumerate(value, 1):
        if not (isinstance(token, str) and token and BASE64.fullmatch(token)):
            return f"has no base64 at {at:,}"
    return "" if len(set(value)) == len(value) else "has a token twice"


def _rising(value: Any) -> str:
    return ids(value) or ("" if (np.diff(value) > 0).all() else "does not rise")


def _special_tokens(value: Any) -> str:
    if not isinstance(value, Mapping) or not all(map(is_id, value.values())):
        return "does not map text to ids"
    return next(filter(None, map(text, value)), "")


def _texts(value: Any) -> str:
    """The texts of a training: a row for each, or one for all if they are too many."""
    rows, fields = ([value], ALL_TEXTS) if isinstance(value, Mapping) else (value, ONE_TEXT)
    if not isinstance(rows, list | tuple):
        return f"is {shown(value)}, which is not a list of texts"
    for at, row in enumerate(rows, 1):
        wrong = fault_in(fields, row) if isinstance(row, Mapping) else "is not an object"
        if wrong:
            return f"at text {at:,}: {wrong}"
    return ""


ONE_TEXT: Fields = {"name": text, "bytes": number(0), "sha256": SUM}
ALL_TEXTS: Fields = {"texts": number(0), "bytes": number(0), "sha256_of_sums": SUM}
MADE_FROM: Fields = {
    "settings": {
        "vocab_size": or_none(number(256)),
        "pattern": or_none(text),
        "special_tokens": or_none(list_of(text)),
        "tie": or_none(one_of(TIES)),
        "min_count": or_none(number(1)),
        "ban": or_none(list_of(written_as(_HEXADECIMAL, "bytes in hexadecimal"))),
        "prefer": or_none(one_of(PREFERENCES)),
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

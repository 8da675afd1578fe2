"""What a value in a file has to be: one check for each field.

A check gives what is wrong with a value, as the end of a sentence that begins with the name of its field; "" if nothing
is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.json_files import is_id

Check = Callable[[Any], str]
Fields = Mapping[str, "Check | Fields"]
COUNTS_BELOW = 2**53  # numbers that a browser has exactly
_SUM = re.compile(r"[0-9a-f]{64}")


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


def number(least: int) -> Check:
    def check(value: Any) -> str:
        whole = is_id(value, COUNTS_BELOW) and value >= least
        return "" if whole else f"is {shown(value)}, which is not a whole number from {least:,} on"

    return check


def one_of(names: Collection[str]) -> Check:
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


def written_as(pattern: re.Pattern[str], what: str) -> Check:
    def check(value: Any) -> str:
        return "" if isinstance(value, str) and pattern.fullmatch(value) else f"is {shown(value)}, which is not {what}"

    return check


def or_none(check: Check) -> Check:
    return lambda value: "" if value is None else check(value)


SUM = written_as(_SUM, "a sha256")

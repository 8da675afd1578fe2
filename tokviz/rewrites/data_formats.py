"""The data of a JSON text in another format: YAML, and CSV for a list of flat objects.

Each is read again, and it is given only if the data are the same, number by number and in the same order.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from tokviz.errors import InputError
from tokviz.rewrites.source import Kind, Made, Number, Source

YAML_BYTES = 1_000_000  # of a JSON text; PyYAML takes about 2 s to write as much and to read it again
DEEPEST = 100  # lists and objects inside each other; PyYAML writes and reads them by recursion
ENDLESS = 2**31 - 1  # the width of a line: a string is not broken into several

_INT, _FLOAT, _STR = (f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "str"))
# Strings that PyYAML leaves without quotes, and that others read as something else: YAML 1.2 has more spellings of
# numbers than YAML 1.1, and in YAML 1.1 y and n are true and false.
_NOT_A_STRING = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+|[yYnN]", re.ASCII)
_EXPONENT = re.compile(r"(-?\d+)(\.\d+)?[eE]([-+]?)(\d+)", re.ASCII)


class _Writer(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes numbers as they are spelled, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class _Reader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads numbers exactly."""


def _write_number(writer: Any, number: Number) -> Any:
    """YAML 1.1 wants a point and a sign where JSON writes 1e5."""
    if re.fullmatch(r"-?\d+", number):
        return writer.represent_scalar(_INT, str(number))
    spelled = _EXPONENT.sub(lambda found: f"{found[1]}{found[2] or '.0'}e{found[3] or '+'}{found[4]}", number)
    return writer.represent_scalar(_FLOAT, spelled)


def _write_string(writer: Any, string: str) -> Any:
    return writer.represent_scalar(_STR, string, style='"' if _NOT_A_STRING.fullmatch(string) else None)


_Writer.add_representer(Number, _write_number)
_Writer.add_representer(str, _write_string)
_Reader.add_constructor(_INT, lambda _, node: (int, Decimal(node.value)))
_Reader.add_constructor(_FLOAT, lambda _, node: (float, Decimal(node.value)))


def _as_yaml(source: Source) -> Made | None:
    if source.form != "document":
        return None
    size = len(source.text.encode())
    if size > YAML_BYTES:
        raise InputError(f"It has {size:,} bytes, and YAML is written for up to {YAML_BYTES:,}.")
    (data,) = source.documents()
    if _deeper_than(data, DEEPEST):
        raise InputError(f"More than {DEEPEST} lists and objects are inside each other.")
    try:
        text = yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=ENDLESS)
        same = _in_order(yaml.load(text, Loader=_Reader)) == _in_order(_exact(data))  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, UnicodeEncodeError, InvalidOperation):
        same = False
    if not same:
        raise InputError("YAML cannot hold all of its strings and numbers exactly.")
    return Made(text)


def _deeper_than(data: Any, most: int) -> bool:
    level = [data]
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer)]
    return any(isinstance(inner, dict | list) for inner in level)


def _inside(data: Any) -> Iterable[Any]:
    if isinstance(data, dict):
        return data.values()
    return data if isinstance(data, list) else ()


def _exact(data: Any) -> Any:
    """The data with numbers as `_Reader` reads them."""
    if isinstance(data, dict):
        return {key: _exact(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_exact(value) for value in data]
    if isinstance(data, Number):
        return (int if re.fullmatch(r"-?\d+", data) else float, Decimal(data))
    return data


def _in_order(data: Any) -> Any:
    """The data so that == tells True from 1, and one order of keys from another."""
    if isinstance(data, dict):
        return ("object", [(key, _in_order(value)) for key, value in data.items()])
    if isinstance(data, list):
        return [_in_order(value) for value in data]
    return (type(data), data)


def _as_csv(source: Source) -> Made | None:
    if not source.form:
        return None
    rows = source.documents()
    if source.form == "document":
        (rows,) = rows
    if not (isinstance(rows, list) and len(rows) > 1 and all(isinstance(row, dict) and row for row in rows)):
        return None
    keys = list(rows[0])
    if any(list(row) != keys for row in rows) or any(
        isinstance(value, dict | list) for row in rows for value in row.values()
    ):
        return None
    values = [[_in_csv(value) for value in row.values()] for row in rows]
    out = io.StringIO(newline="")
    try:
        csv.writer(out, lineterminator="\n").writerows([keys, *values])
        text = out.getvalue()
        same = list(csv.reader(io.StringIO(text, newline=""), strict=True)) == [keys, *values]
    except csv.Error as fault:
        raise InputError(f"CSV cannot hold it: {fault}.") from None
    if not same:
        raise InputError("CSV cannot hold all of its values exactly.")
    return Made(text, "Which values were numbers, true, false or null. Spreadsheets run text that begins with =.")


def _in_csv(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else str(value).lower()  # true and false as JSON has them


KINDS = (
    Kind("yaml", "YAML for JSON", "Writes the same data as YAML, without most quotes and brackets.", _as_yaml, ".yaml"),
    Kind(
        "csv",
        "CSV for JSON",
        "Writes a list of objects as a table, so that their keys stand there once.",
        _as_csv,
        ".csv",
    ),
)

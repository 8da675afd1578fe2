"""Makes dictionaries and lists that cannot be changed, and that `json` can still write."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from tokviz.base.arguments import shown
from tokviz.base.errors import SettingError
from tokviz.base.text import clean

LEVELS = 100  # of dictionaries and lists in one another


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("This is read-only. Change a copy of it: copy.deepcopy gives one.")


class FrozenDict(dict[str, Any]):
    """Raises TypeError when it is changed. A copy of it is a plain dict."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[Any]]:
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """Raises TypeError when it is changed. A copy of it is a plain list."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = _refuse
    pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type, tuple[Any]]:
        return list, (list(self),)


def frozen_dict(value: Mapping[str, Any] | None, what: str) -> FrozenDict | None:
    """Make a read-only copy of a JSON object, through all its levels. SettingError for what JSON cannot hold.

    >>> settings = frozen_dict({"texts": [{"bytes": 11}]}, "made_from")
    >>> settings["texts"].append(None)
    Traceback (most recent call last):
        ...
    TypeError: This is read-only. Change a copy of it: copy.deepcopy gives one.
    """
    if value is None or isinstance(value, FrozenDict):
        return value
    if not isinstance(value, Mapping):
        raise SettingError(f"{what} is {shown(value)}, which is not a dictionary.", "Pass a dict, or None.")
    found: FrozenDict = _frozen({**value}, what, LEVELS)
    return found


def _whole(text: str, what: str) -> str:
    if clean(text) != text:
        raise SettingError(
            f"{what} contains half a character in {text[:80]!a}, which UTF-8 cannot write.", "Use whole characters."
        )
    return text


def _frozen(value: object, what: str, levels: int) -> Any:
    if isinstance(value, str):
        return _whole(value, what)
    if isinstance(value, FrozenDict | FrozenList | int) or value is None:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if not levels:
        raise SettingError(f"{what} nests more than {LEVELS} levels deep.", "Use fewer levels.")
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return FrozenDict({_whole(key, what): _frozen(part, what, levels - 1) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return FrozenList(_frozen(part, what, levels - 1) for part in value)
    raise SettingError(
        f"{what} contains {shown(value)}, which JSON cannot hold.",
        "Use dictionaries with text keys, lists, text, finite numbers, True, False and None.",
    )

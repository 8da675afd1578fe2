"""Reads values of JSON as Python's types say: a type is at once what a value has to be and what it becomes.

str, bool, int, float, Any     true is no number; a whole number fits float, and stays an int
Literal["a", "b"], A | None    of several types, the first whose outside fits: its kind, and the names it must have
list[A], tuple[A, ...]         from a list; tuple[A, B] from a list of two
dict[A, B]                     from an object
a dataclass, a NamedTuple      from an object, whose other names are left out; a field with a default may be missing
Annotated[A, ...]              with a range: of an int, or of a length. With a text: what the field is called in the
                               object. With a function: it gives what is wrong with a value, as the end of a
                               sentence that begins with the name of the value; "" if nothing is
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from inspect import Parameter, signature
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from tokviz.base.arguments import SHOWN, shown
from tokviz.base.text import clean

NO_END = 2**31 - 1  # a range up to here or further is said to have no end
_PLAIN: dict[Any, str] = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}
_PLAIN[NoneType] = "null"
_MISSING = "is missing"


def half_character(text: str) -> str:
    """Say what is wrong with a text that UTF-8 cannot write; "" if it can."""
    return "" if clean(text) == text else f"is {text[:SHOWN]!a}, which contains half a character"


Id = Annotated[int, range(2**31)]
JsonCount = Annotated[int, range(2**53)]  # a browser has these numbers exactly
JsonText = Annotated[str, half_character]


class Misfit(ValueError):
    """A value is not as its type says. path: the names and places that lead to it. wrong: the end of a sentence."""

    def __init__(self, wrong: str, *path: str | int) -> None:
        super().__init__(wrong)
        self.wrong, self.path = wrong, path

    def __str__(self) -> str:
        steps = [f".{step}" if str(step).isidentifier() else f"[{shown(step)}]" for step in self.path]
        return f"'{''.join(steps).removeprefix('.')}' {self.wrong}" if steps else f"it {self.wrong}"

    def within(self, step: str | int) -> Misfit:
        """Return the same fault, seen from what the value is in."""
        return Misfit(self.wrong, step, *self.path)


def read(value: Any, kind: Any) -> Any:
    """Read a value of JSON as this type. Misfit names the first place where it does not fit.

    >>> read({"pairs": [[1, 2]]}, dict[str, tuple[tuple[int, int], ...]])
    {'pairs': ((1, 2),)}
    >>> read({"tie": "x"}, dict[str, Literal["first", "lowest"]])
    Traceback (most recent call last):
        ...
    tokviz.base.typed.Misfit: 'tie' is 'x', which is none of first, lowest
    """
    plain, inner, bounds = _parts(kind)
    if plain in _PLAIN:
        number = isinstance(value, int) and not isinstance(value, bool)
        if not (number if plain is int else isinstance(value, plain) or (number and plain is float)):
            raise _is_not(_PLAIN[plain], value)
    elif plain is list or plain is tuple:
        size = None if plain is list or inner[-1] is ... else len(inner)
        if not isinstance(value, list) or size not in (None, len(value)):
            raise _is_not("a list" if size is None else f"a list of {size}", value)
        known = size is None and _all_within(value, inner[0])
        value = plain(value if known else _each(enumerate(value), repeat(inner[0]) if size is None else inner))
    elif plain is Union:
        value = None if value is None and NoneType in inner else _first(value, inner)
    elif plain is Literal:
        if not any(value == one and type(value) is type(one) for one in inner):
            raise Misfit(f"is {shown(value)}, which is none of {', '.join(map(str, inner))}")
    elif plain is not Any:
        if not isinstance(value, Mapping):
            raise _is_not("an object", value)
        if plain is dict:
            names = _each(zip(value, value, strict=True), repeat(inner[0]))
            value = dict(zip(names, _each(value.items(), repeat(inner[1])), strict=True))
        else:
            value = plain(**dict(_fields_in(value, plain)))
    for bound in bounds:
        if isinstance(bound, range) and (value if plain is int else len(value)) not in bound:
            span = f"from {bound[0]:,} " + ("on" if bound[-1] >= NO_END else f"to {bound[-1]:,}")
            raise _is_not(f"a whole number {span}" if plain is int else f"{span} long", value)
        if callable(bound) and (wrong := bound(value)):
            raise Misfit(wrong)
    return value


@cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Say what a type is, which types are in it, and its bounds if it is annotated."""
    kind, *bounds = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    plain = get_origin(kind) or kind
    return Union if plain is UnionType else plain, get_args(kind), (*bounds,)


def _is_not(what: str, value: Any) -> Misfit:
    return Misfit(f"is {shown(value)}, which is not {what}")


def _all_within(values: list[Any], kind: Any) -> bool:
    """Are these whole numbers of a range, as a quick look tells? Most of a model file is long lists of them."""
    plain, _, bounds = _parts(kind)
    if plain is not int or [*map(type, bounds)] != [range] or not {*map(type, values)} <= {int}:
        return False
    return not values or (min(values) in bounds[0] and max(values) in bounds[0])


def _each(values: Iterable[tuple[str | int, Any]], kinds: Iterable[Any]) -> Iterator[Any]:
    """Read values, each after its name or place, as these types."""
    for (step, value), kind in zip(values, kinds):  # noqa: B905 - of one type there is no end
        yield _at(step, value, kind)


def _at(step: str | int, value: Any, kind: Any) -> Any:
    try:
        return read(value, kind)
    except Misfit as fault:
        raise fault.within(step) from None


def _first(value: Any, kinds: tuple[Any, ...]) -> Any:
    """Read a value as the first of these types whose outside it has. A fault deeper inside it is raised."""
    several = [kind for kind in kinds if kind is not NoneType]
    for kind in several[:-1]:
        try:
            return read(value, kind)
        except Misfit as fault:
            if len(fault.path) > (fault.wrong == _MISSING):  # what is wrong is in it
                raise
    return read(value, several[-1])


def _fields_in(value: Mapping[str, Any], kind: Any) -> Iterator[tuple[str, Any]]:
    for _, name, _, needed in _fields_of(kind):
        if needed and name not in value:
            raise Misfit(_MISSING, name)
    for field, name, hint, _ in _fields_of(kind):
        if name in value:
            yield field, _at(name, value[name], hint)


@cache
def _fields_of(kind: Any) -> list[tuple[str, str, Any, bool]]:
    """List the name of each field here and in the object, its type, and whether it has no default."""
    given, hints, needed = signature(kind).parameters, get_type_hints(kind, include_extras=True), Parameter.empty
    return [
        (
            field,
            next((one for one in _parts(hint)[2] if isinstance(one, str)), field),
            hint,
            given[field].default is needed,
        )
        for field, hint in hints.items()
    ]

"""Lets packages further down say how a thing is drawn in Jupyter and written to a file.

An Encoding knows nothing of HTML, and a Tokenizer nothing of file formats: what draws and what writes imports them, and
says here which class it is for. `tokviz/__init__.py` names the modules that do so; the first call imports them.
"""

from __future__ import annotations

from functools import cache, singledispatch
from importlib import import_module

_modules: list[str] = []


def drawn_by(*modules: str) -> None:
    """Name the modules that register how something is drawn or written."""
    _modules.extend(modules)


def html(thing: object) -> str:
    """Draw a thing as HTML, for Jupyter. TypeError if nothing draws its class."""
    _import()
    return draw(thing)


def as_file(thing: object) -> bytes:
    """Make the file of a thing. TypeError if no module writes its class."""
    _import()
    return write(thing)


@cache
def _import() -> None:
    for module in _modules:
        import_module(module)


@singledispatch
def draw(thing: object) -> str:
    """Draw a thing as HTML; a module that draws a class registers itself here."""
    raise TypeError(f"Nothing draws a {type(thing).__name__}.")


@singledispatch
def write(thing: object) -> bytes:
    """Make the file of a thing; a module that writes a class registers itself here."""
    raise TypeError(f"No module writes a {type(thing).__name__}.")

"""Lets packages further down say how a thing is drawn in Jupyter and written to a file.

An Encoding knows nothing of HTML, and a Tokenizer nothing of file formats: what draws and what writes imports them, and
says here which class it is for. `tokviz/__init__.py` names the modules that do so; the first call imports them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, singledispatch
from importlib import import_module
from os import PathLike

from tokviz.base.files import write as write_file

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


@dataclass(frozen=True, repr=False)
class Page:
    """Holds a page that opens without a server, in any browser. Jupyter shows it in a frame.

    title: str, its heading.
    html: str, the whole file.
    height: int, that of the frame in pixels.
    """

    title: str
    html: str
    height: int = 480

    def __repr__(self) -> str:
        return f"<Page {self.title!r}: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        return html(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, whole or not at all.

        SettingError if the file cannot be written, InputError if the path is not a path.
        """
        from tokviz.base.arguments import path_of  # not at import: it needs numpy, and `import tokviz` imports this

        write_file(path_of(path), self.html.encode())


def page(thing: object, *about: object) -> Page:
    """Make the page of a thing. about: what it is shown with. TypeError if no module makes one of its class."""
    _import()
    return make_page(thing, *about)


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


@singledispatch
def make_page(thing: object, *about: object) -> Page:
    """Make the page of a thing; a module that makes one of a class registers itself here."""
    raise TypeError(f"No module makes a page of a {type(thing).__name__}.")

"""The script and style of each component, and what a component says.

A component is one folder with its Python, its scripts and its styles. The scripts are modules; bundle.py puts those
that a component needs into one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tokviz.base.typed import Misfit, read
from tokviz.ui.kit import served
from tokviz.ui.kit.bundle import bundle

_FOLDER = Path(__file__).parent
T = TypeVar("T")


def heard(value: Any, name: str, kind: type[T]) -> T | None:
    """What a component in the browser says under this name, read as this type (see base/typed.py).

    value: the component's value in the session. None if it says nothing there, or something else.
    """
    try:
        return read(value.get(name), kind) if isinstance(value, Mapping) else None
    except Misfit:
        return None


def source(name: str) -> str:
    """The text of a file of a component, e.g. source("minimap/minimap.css")."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def script(entry: str) -> str:
    """Put a script and all that it imports into one, e.g. script("ruler/ruler.js"), for a file that opens by itself."""
    return bundle(_FOLDER / entry)


def stylesheet(*names: str) -> str:
    """Join the palette as variables for both themes, kit.css, and then these files in order."""
    return served.stylesheet(*map(_place, names))


def component(folder: str, *styles: str, entry: str = "", html: str = "") -> Any:
    """Register the component of a folder: its script, and these styles after those of all.

    entry: the script's name, if it has not the folder's. html: the file of what is there before it is drawn.
    """
    place = _place(f"{folder}/{entry or folder}.js")
    return served.component(folder, place, *map(_place, styles), html=source(html) if html else "")


def _place(name: str) -> str:
    """Name a file's place in tokviz/ui, where the components are one folder."""
    return posixpath.normpath(f"{_FOLDER.name}/{name}")

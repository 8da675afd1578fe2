"""What the browser gets: an encoding as data, and the script and style of each component.

A component is one folder with its Python, its scripts and its styles. The scripts are modules; bundle.py puts those
that a component needs into one. The palette is data (tokviz/data/palette.json) and becomes CSS variables here, the
same for every component.
"""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokviz.base.typed import Misfit, read
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.hues import palette
from tokviz.ui.kit import served
from tokviz.ui.kit.bundle import bundle

_FOLDER = Path(__file__).parent
T = TypeVar("T")
_ESCAPED = re.compile("[\udc80-\udcff]")  # what "surrogateescape" makes of a byte that belongs to no character


def heard(value: Any, name: str, kind: type[T]) -> T | None:
    """What a component in the browser says under this name, read as this type (see base/typed.py).

    value: the component's value in the session. None if it says nothing there, or something else.
    """
    try:
        return read(value.get(name), kind) if isinstance(value, Mapping) else None
    except Misfit:
        return None


def int32(values: NDArray[Any] | Sequence[int]) -> str:
    """Integers as base64 of little-endian int32, which the browser reads without parsing.

    >>> int32([1, 256])
    'AQAAAAABAAA='
    """
    return base64.b64encode(np.asarray(values, dtype="<i4").tobytes()).decode("ascii")


def payload(encoding: Encoding) -> dict[str, Any]:
    """An encoding as JSON: its text, its seams, and no more of the tokenizer than its tokens need.

    The same encoding always gives the same payload, so Streamlit does not send it again. Ids can spell bytes that are
    not UTF-8: then the bytes are sent too, and the text has one U+FFFD for each byte that belongs to no character.
    """
    seams = np.asarray(encoding.seams, dtype=np.int32)
    merge_ids = np.asarray(encoding.merge_ids, dtype=np.int32)
    ranks = np.unique(seams[(seams >= 0) & (seams < len(merge_ids))])  # OPEN and SPLIT lie far above
    text = encoding.data.decode("utf-8", "surrogateescape")
    broken = _ESCAPED.search(text)
    added = sorted(encoding.added_ids.intersection(encoding.whole.values()))
    return {
        "text": _ESCAPED.sub("\ufffd", text),
        **({"bytes": base64.b64encode(encoding.data).decode("ascii")} if broken else {}),
        "seams": int32(seams),
        "ranks": int32(ranks),
        "ids": int32(merge_ids[ranks]),
        "alphabet": int32(encoding.alphabet),
        "whole": {str(start): id for start, id in encoding.whole.items()},
        "bare": len(encoding.bare),
        "special_ids": sorted(encoding.special_ids.intersection(encoding.whole.values())),
        **({"added_ids": added} if added else {}),
        **({} if encoding.typed is None else {"typed": int32(encoding.typed)}),
        **({"characters": encoding.units} if encoding.units else {}),
    }


def source(name: str) -> str:
    """The text of a file of a component, e.g. source("note/note.css")."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def script(entry: str) -> str:
    """Put a script and all that it imports into one, e.g. script("note/note.js"), for a file that opens by itself."""
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


def glyph(series: str) -> str:
    """The mark beside a tokenizer's name, such as "●" for "yours". ValueError if there is no such series."""
    try:
        return str(palette()["series_shapes"][series]["glyph"])
    except KeyError:
        known = ", ".join(palette()["series_shapes"])
        raise ValueError(f"There is no series {series!r}. The palette has: {known}.") from None

"""What the browser gets: of blocks, of an encoding, of numbers, and of a series of the palette."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.base.blocks import Chip, Series
from tokviz.catalog.references import reference_name, references
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.hues import palette
from tokviz.tokenizer.peers import AnyTokenizer

MOST_BYTES = 1_000  # of a token that are sent to the browser
_ESCAPED = re.compile("[\udc80-\udcff]")  # what "surrogateescape" makes of a byte that belongs to no character


def series_of(tokenizers: Sequence[AnyTokenizer]) -> list[str]:
    """Name the colour and mark of each tokenizer: a reference has its own, the others one after the other."""
    own = iter(["yours", "other1", "other2", "other3"])
    found = []
    for tok in tokenizers:
        name = reference_name(tok)
        found.append((references()[name].series if name else "") or next(own, "other4"))
    return found


def int32(values: NDArray[Any] | Sequence[int]) -> str:
    """Integers as base64 of little-endian int32, which the browser reads without parsing.

    >>> int32([1, 256])
    'AQAAAAABAAA='
    """
    return base64.b64encode(np.asarray(values, dtype="<i4").tobytes()).decode("ascii")


def payload(encoding: Encoding, *, live: bool = False) -> dict[str, Any]:
    """An encoding as JSON: its text, its seams, and no more of the tokenizer than its tokens need.

    live: whether the text can change in the browser, which then needs the ids of all bytes.

    The same encoding always gives the same payload, so Streamlit does not send it again. Ids can spell bytes that are
    not UTF-8: then the bytes are sent too, and the text has one U+FFFD for each byte that belongs to no character.
    """
    seams = np.asarray(encoding.seams, dtype=np.int32)
    merge_ids = np.asarray(encoding.merge_ids, dtype=np.int32)
    ranks = np.unique(seams[(seams >= 0) & (seams < len(merge_ids))])  # OPEN and SPLIT lie far above
    text = encoding.data.decode("utf-8", "surrogateescape")
    broken = _ESCAPED.search(text)
    alphabet = encoding.alphabet if live else encoding.alphabet[np.unique(np.frombuffer(encoding.data, np.uint8))]
    added = sorted(encoding.added_ids.intersection(encoding.whole.values()))
    return {
        "text": _ESCAPED.sub("\ufffd", text),
        **({"bytes": base64.b64encode(encoding.data).decode("ascii")} if broken else {}),
        "seams": int32(seams),
        "ranks": int32(ranks),
        "ids": int32(merge_ids[ranks]),
        "alphabet": int32(alphabet),
        "whole": {str(start): id for start, id in encoding.whole.items()},
        "bare": len(encoding.bare),
        "special_ids": sorted(encoding.special_ids.intersection(encoding.whole.values())),
        **({"added_ids": added} if added else {}),
        **({} if encoding.typed is None else {"typed": int32(encoding.typed)}),
        **({"characters": encoding.units} if encoding.units else {}),
    }


def glyph(series: str) -> str:
    """The mark beside a tokenizer's name, such as "●" for "yours". ValueError if there is no such series."""
    try:
        return str(palette()["series_shapes"][series]["glyph"])
    except KeyError:
        known = ", ".join(palette()["series_shapes"])
        raise ValueError(f"There is no series {series!r}. The palette has: {known}.") from None


def data_of(value: Any) -> Any:
    """Turn blocks and cells into what the browser gets: the kind of each record, and its fields.

    A field is left out if its record says nothing there. Bytes are a token, an `Encoding` is sent as components send
    it, and a series has its mark.

    >>> from tokviz.base.blocks import Group
    >>> data_of([Group([])]), data_of(b"so")
    ([{'kind': 'group', 'blocks': [], 'across': 2}], {'kind': 'chip', 'data': '736f'})
    """
    match value:
        case bytes():
            return data_of(Chip(value))
        case Encoding():
            return payload(value)
        case str() | int() | float() | None:
            return value
    if not is_dataclass(value):
        return [*map(data_of, value)]
    said = {field.name: getattr(value, field.name) for field in fields(value)}
    nothing = [field.name for field in fields(value) if not field.default and said[field.name] == field.default]
    data = {
        name: _plain(each) if isinstance(each, bytes) else data_of(each)
        for name, each in said.items()
        if name not in nothing
    }
    if isinstance(value, Chip) and len(value.data) > MOST_BYTES:
        data["size"] = len(value.data)
    if isinstance(value, Series):
        data["glyph"] = glyph(value.series)
    return {"kind": type(value).__name__.lower(), **data}


def _plain(token: bytes) -> str:
    return token[:MOST_BYTES].hex()


def view_data(
    encoding: Encoding, *, name: str, series: str, said: str | None = None, most: int | None = None
) -> dict[str, Any]:
    """Make what `token_view` sends to the browser. The same arguments give the same data, so it is sent once.

    name, series: the tokenizer's name, and its colour and mark ("yours", "gpt2", "cl100k_base", "o200k_base", "other1"
    to "other4"; any other is a ValueError). said: the text whose bytes and characters are counted, if it is not all
    that the encoding has. most: how many bytes are drawn, from the beginning; all are counted.
    """
    part = encoding if most is None or len(encoding.data) <= most else encoding.part(0, most)
    text = encoding.data.decode("utf-8", "surrogateescape") if said is None else said
    totals = {"tokens": len(encoding), "bytes": len(text.encode("utf-8", "surrogateescape")), "characters": len(text)}
    return {
        **payload(part),
        "start": part.start,
        "name": name,
        "series": series,
        "glyph": glyph(series),
        "totals": totals | {"written": len(encoding.data)} if said is not None or part is not encoding else None,
    }

"""The boundary ruler: a text with a row of ticks for each tokenizer, why they differ, and each one's tokens below.

Python finds the regions and the reasons, and sends those of the part in view. In the browser the reader goes from
region to region, hovers, and picks the pair to explain; it asks Python for another part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from tokviz.comparison.comparison import Comparison, Places, Reason
from tokviz.cost.figures import figures
from tokviz.split.specials import Reading
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.kit.data import glyph, heard, int32, payload
from tokviz.ui.kit.served import component
from tokviz.ui.tokenview.view import STYLES, Badge, TextTotals

BINS = 150  # bars that show where in a long text the tokenizers differ

_RULER = (f"compare/{name}.css" for name in ("ruler", "boundary_reasons", "panels", "narrow"))
_component = component("ruler", "compare/component.js", *STYLES, "tokenview/examples.css", *_RULER)


class RulerRow(NamedTuple):
    """A tokenizer on the ruler: its key, name and series, and what tiktoken says to its tokens of the text.

    called: what links call it.
    """

    key: str
    name: str
    series: str
    badge: Badge | None
    called: str = ""


class RulerRequest(NamedTuple):
    """What the visitor asked for in the browser. `at` is a byte of the text.

    what: "next" (the first disagreement from `at` on), "previous" (the last one that ends at `at` or before), "place"
    (the text around `at`), "specials" (special tokens read as `name` says), "example" (the example of this name as the
    text), or "back" (the text before an example).
    """

    what: str
    at: int
    name: str = ""


def ruler_request(value: Mapping[str, Any] | None) -> RulerRequest | None:
    """The request made in this run, from the component's value in the session; None if there is none."""
    return heard(value, "asked", RulerRequest)


def ruler(data: Mapping[str, Any], *, key: str) -> None:
    """Draw the ruler. `data` comes from ruler_data; while it does not change, nothing is sent again.

    Besides the request (see `ruler_request`), the value in the session has the "place" where the browser came to rest.
    """
    # without callbacks the values do not exist
    _component(key=key, data=data, on_asked_change=lambda: None, on_place_change=lambda: None)


def ruler_data(
    rows: Sequence[RulerRow],
    compared: Comparison,
    start: int,
    end: int,
    *,
    region: int | None = None,
    pair: tuple[str, str] | None = None,
    reading: Reading,
    turn: int,
) -> dict[str, Any]:
    """What the ruler sends to the browser: the bytes from start to end, which are a window of `compared`.

    compared: compares the rows. region: the first byte of the disagreement to show, None for the first one. pair: the
    keys of the two to explain first. turn: counts what Python sent, so that the browser can say what it answers to.
    """
    data = compared.encodings[0].data
    size, bounds = len(data), compared.bounds
    first, last = np.searchsorted(bounds[:, 0], [start, end])
    return {
        "text": data[start:end].decode(),
        "start": start,
        "size": size,
        "rows": [
            _row(row, tokenizer, encoding, start, end)
            for row, tokenizer, encoding in zip(rows, compared.tokenizers, compared.encodings, strict=True)
        ],
        "regions": int32((bounds[first:last] - start).ravel()),
        "first": int(first),
        "total": len(bounds),
        "density": _density(bounds[:, 0], size) if end - start < size else None,
        "why": _why(compared, start, end),
        "select": region,
        "pair": pair,
        "specials": reading,
        "turn": turn,
    }


def _row(row: RulerRow, tokenizer: AnyTokenizer, encoding: Encoding, start: int, end: int) -> dict[str, Any]:
    encoded = payload(encoding.part(start, end - start))
    whole = figures(encoding)
    return {
        **row._asdict(),
        "glyph": glyph(row.series),
        "badge": asdict(row.badge) if row.badge else None,
        "totals": asdict(TextTotals(whole.tokens, whole.bytes, whole.characters)),
        "kind": tokenizer.kind or None,
        "pattern": tokenizer.pattern,
        "vocab_size": tokenizer.vocab_size,
        **{name: value for name, value in encoded.items() if name != "text"},
    }


def _density(starts: Places, size: int) -> list[int]:
    """How many disagreements start in each of BINS equal parts of the text."""
    counts: list[int] = np.bincount(starts * BINS // max(size, 1), minlength=BINS).tolist()
    return counts


def _why(compared: Comparison, start: int, end: int) -> list[list[Any]]:
    """[a, b, start, end, reasons] of each difference. a and b are rows of the browser; bytes count from `start`."""
    return [
        [
            found.a,
            found.b,
            found.start - start,
            found.end - start,
            [_reason(reason, compared.tokenizers[found.b], start) for reason in found.reasons],
        ]
        for found in compared.differences(start, end)
    ]


def _reason(reason: Reason, theirs: AnyTokenizer, start: int) -> list[Any]:
    """The kind of a reason and what decides it. Tokens are hexadecimal: their bytes need not be whole characters."""
    by = reason.by
    match reason.kind:
        case "special" | "normalizer" | "other model":
            return [reason.kind, _in_window(by.at, start), len(by.token or b"")]
        case "taken":
            return [
                reason.kind,
                _in_window(by.at, start),
                by.rank,
                [part.hex() for part in by.parts],
                theirs.rank_of(reason.token),
            ]
        case "unreachable":
            return [reason.kind, [part.hex() for part in by.parts], by.looked_up]
        case "split" | "absent":
            return [reason.kind]


def _in_window(at: int | None, start: int) -> int | None:
    return None if at is None else at - start

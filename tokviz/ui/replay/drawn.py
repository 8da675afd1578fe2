"""Replay: the merges of a training, step by step, on a window of its corpus.

Python sends the merges and a window once. Stepping, playing, scrubbing, searching and sorting happen in the browser,
which tells Python the place when the reader has come to rest. What the browser cannot know (the candidate pairs of a
step, another window, the seams of a text just typed) it asks: see tokviz/ui/replay/questions.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.merges import MergeRecord
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.kit.data import heard, payload
from tokviz.ui.kit.served import component
from tokviz.ui.tokenview import view

STYLES = (
    *view.STYLES,
    *(f"tokenview/{name}.css" for name in ("marked", "strip")),
    *(f"kit/{name}.css" for name in ("blocks", "step_curve")),
    *(f"replay/{name}.css" for name in ("replay", "player", "ledger", "guess")),
)

_component = component("replay", "replay/replay.js", *STYLES)


def replay(
    data: Mapping[str, Any], choices: Mapping[str, str], plays: str, *, key: str, on_plays: Callable[[str], None]
) -> bool:
    """Draw the replay. Returns whether the reader has unfolded the charts, which come below it.

    data: from `Playing.data`; while it does not change, nothing is sent again. choices, plays: what can play, by its
    key, and which of it does. on_plays: called with another one that the reader chose. The value of the component has
    the reader's `place`: see tokviz/ui/replay/place.py.
    """

    def chosen() -> None:
        to = heard(widget_value(key), "plays", str)
        if to is not None and to in choices:
            on_plays(to)

    _component(
        key=key,
        data={**data, "choices": [*choices.items()], "plays": plays},
        on_plays_change=chosen,
        on_place_change=lambda: None,  # without a callback the value does not exist
        on_charts_change=lambda: None,
    )
    return heard(widget_value(key), "charts", bool) or False


def window_data(window: Encoding, drawn_to: int | None = None) -> dict[str, Any]:
    """A window as the browser reads it: an encoding, where it starts, and whether its start cuts a chunk.

    drawn_to: the last step of which it has the tokens; None if it has those of all steps.
    """
    return {**payload(window), "start": window.start, "cut": window.cut, "drawn_to": drawn_to}


def merge_columns(records: Sequence[MergeRecord], ranks: Sequence[int] | None = None) -> dict[str, Any]:
    """The merges as the browser reads them, about ten bytes each: columns of numbers, and an `id` of all of them.

    ranks: the true rank of each merge, ascending, if these are only some merges of a list. Ids, counts and ranks are
    stored as differences from the merge before, replacements as how many fewer they are than the count. So most numbers
    take one byte.
    """
    column = {name: np.array([getattr(record, name) for record in records], np.int64) for name in _COLUMNS}
    columns = {
        "left": varints(column["left"]),
        "right": varints(column["right"]),
        "id": varints(_folded(np.diff(column["id"], prepend=0))),
        "count": varints(_folded(np.diff(column["count"], prepend=0))),
        "unreplaced": varints(column["count"] - column["replaced"]),
        "tied": varints(column["tied"]),
    }
    if ranks is not None:
        column["rank"] = np.array(ranks, np.int64)
        columns["rank"] = varints(_folded(np.diff(column["rank"], prepend=0)))
    whole = json.dumps(columns, sort_keys=True).encode()
    return {"id": hashlib.sha256(whole).hexdigest()[:16], "columns": columns}


_COLUMNS = ("left", "right", "id", "count", "replaced", "tied")


def _folded(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Map whole numbers to those from 0: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return np.where(values < 0, -2 * values - 1, 2 * values)


def varints(values: NDArray[np.int64]) -> str:
    """Numbers from 0 as base64: seven bits a byte, low bits first; the eighth bit says that more bytes follow.

    >>> base64.b64decode(varints(np.array([1, 300]))).hex()
    '01ac02'
    """
    places = 7 * np.arange(9)
    bits = values[:, None] >> places
    follow = (bits >> 7) > 0
    written = np.concatenate([np.ones((len(values), 1), np.bool_), follow[:, :-1]], axis=1)
    data = ((bits & 0x7F) | np.where(follow, 0x80, 0)).astype(np.uint8)[written]
    return base64.b64encode(data.tobytes()).decode("ascii")

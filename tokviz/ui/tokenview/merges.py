"""What the browser gets of the merges of a training, which merges.js reads."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokviz.tokenizer.merges import MergeRecord


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

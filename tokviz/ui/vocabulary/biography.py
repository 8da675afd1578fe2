"""The biography of a token: how it was made, what it became, and where it stands."""

from __future__ import annotations

from typing import Any

from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.use import Counted


def biography_data(me: Visitor, shown: Shown, counted: Counted, id: int) -> dict[str, Any]:
    """What the browser needs to draw the biography. Raises TokvizError if no token has this id."""
    return {"id": id, "bytes": shown.tokenizer.decode_bytes([id]).hex()}

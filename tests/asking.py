"""Asks the questions of pages as a browser does, but for the connection."""

from __future__ import annotations

import json
from typing import Any

from tokviz.ui.compare import questions as _compare  # noqa: F401
from tokviz.ui.learn import questions as _learn  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.replay import questions as _replay  # noqa: F401
from tokviz.ui.server.ask import understood
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview import questions as _tokens  # noqa: F401
from tokviz.ui.train import questions as _train  # noqa: F401
from tokviz.ui.vocabulary import questions as _vocabulary  # noqa: F401


def ask(me: Visitor, name: str, kept: dict[type, Any] | None = None, **fields: Any) -> Any:
    """The answer to a question as the browser gets it. kept: by its class, what the connection keeps."""
    _, asked, read = understood(json.dumps({"n": 1, "ask": name, **fields}))
    return json.loads(json.dumps(asked.answer(read, me, new_key(), {} if kept is None else kept)))

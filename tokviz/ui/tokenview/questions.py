"""What the browser asks where a text is typed."""

from __future__ import annotations

from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview import choosing


@question("tokens.choices")
def choices(me: Visitor) -> Answer:
    """All that can be chosen: see `choosing.choices`."""
    return choosing.choices(me)

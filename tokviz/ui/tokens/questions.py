"""What the browser asks of the Tokens page."""

from __future__ import annotations

from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens import choosing


@question("tokens.choices")
def choices(me: Visitor) -> Answer:
    """All that can be chosen: see `choosing.choices`."""
    return choosing.choices(me)

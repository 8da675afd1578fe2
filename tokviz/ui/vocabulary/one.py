"""One vocabulary: the list of its tokens, and the biography of one of them."""

from __future__ import annotations

from tokviz.ui.components.token_list import token_list
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import choose_text, shown_of


def one(me: Visitor) -> None:
    """Draw the part."""
    shown = shown_of(me)
    choose_text(me, shown)
    token = me.state(VocabularyState).listed.token
    token_list({"of": shown.key, "token": 1753 if token is None else token}, key="vocabulary.list")

"""One vocabulary: the list of its tokens, and the biography of one of them."""

from __future__ import annotations

from dataclasses import asdict

from tokviz.ui.components.token_list import token_list
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import choose_text, shown_of, stamp


def one(me: Visitor) -> None:
    """Draw the part."""
    shown = shown_of(me)
    choose_text(me, shown)
    choice = asdict(me.state(VocabularyState).listed)
    token = choice.pop("token")
    token_list(shown.key, shown.name, choice, token, stamp(me, shown), key="vocabulary.list")

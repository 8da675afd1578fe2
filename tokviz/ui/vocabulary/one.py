"""One vocabulary: the list of its tokens, and the card of one of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tokviz.tokenizer.peers import size_in_words
from tokviz.ui.frame import links
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.kit.served import component
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import choose_text, shown_of, stamp

_component = component(
    "token_list",
    "vocabulary/token_list.js",
    *("kit/rows.css", "tokenview/tokens.css", "tokenview/card.css"),
    *("vocabulary/token_list.css", "vocabulary/token_card.css"),
)


def list_lead(shown: ShownTokenizer) -> str:
    """The line under the page's title: how many tokens there are."""
    return f"{size_in_words(shown.tokenizer)}."


def one(me: Visitor) -> None:
    """Draw the part."""
    state = me.state(VocabularyState)
    by = links.opened_by(VocabularyLink)
    led = state.chosen_in != "one" or (by is not None and by.link.page.token is not None)
    list_of(me, shown_of(me), state.listed, bring="token" if led else "", key="vocabulary.list")


def list_of(me: Visitor, shown: ShownTokenizer, listed: ListChoice, *, bring: str = "", key: str) -> None:
    """Draw what use is counted in, and the list of these tokens. Its script says what the data mean."""
    choose_text(me, shown)
    choice = asdict(listed)
    data: dict[str, Any] = {"of": shown.key, "name": shown.name, "token": choice.pop("token"), "choice": choice}
    _component(key=key, data=data | {"counted": stamp(me, shown), "bring": bring}, on_renew_change=lambda: None)

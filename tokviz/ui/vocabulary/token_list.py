"""The tokens of one vocabulary: their list, and the card of one of them."""

from __future__ import annotations

from dataclasses import asdict

from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import places, shown_of, stamp, upload

LIST = "vocabulary.list"
_component = component(
    "token_list",
    "vocabulary/token_list.js",
    *("kit/rows.css", "kit/menu.css", "tokenview/tokens.css", "tokenview/card.css"),
    *("vocabulary/token_list.css", "vocabulary/token_card.css"),
)


def one(me: Visitor) -> None:
    """Draw the part. Its script says what the data mean."""
    state, shown = me.state(VocabularyState), shown_of(me)
    there, choice = places(me, shown), asdict(state.listed)

    def choose_use() -> None:
        place = heard(widget_value(LIST), "use", str)
        state.use_in = place if place in there else ""

    upload(me)
    data = {
        "of": shown.key,
        "name": shown.name,
        "token": choice.pop("token"),
        "choice": choice,
        "counted": stamp(me, shown),
        "uses": [(key, place.name) for key, place in there.items()],
        "use": state.use_in if state.use_in in there else "",
    }
    _component(key=LIST, data=data, on_use_change=choose_use, on_renew_change=lambda: None)

"""The list of rewrites of a text: what each does, what it loses, and what it saves. A press chooses one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokviz.rewrites import Rewrite, Rewrites
from tokviz.ui.components import script, stylesheet
from tokviz.wording import count_of, percent

_component = st.components.v2.component(
    "tokviz_rewrite_list",
    css=stylesheet("rewrite_list/rewrite_list.css"),
    js=script("rewrite_list/rewrite_list.js"),
)


def rewrite_list(found: Rewrites, chosen: str, *, key: str, on_picked_change: Callable[[], None]) -> None:
    """Draw the list. chosen: the key of the rewrite that is chosen, "" for none. After a press `picked` says which."""
    _component(key=key, data=list_data(found, chosen), on_picked_change=on_picked_change)


def picked(value: Any) -> str | None:
    """The key of the rewrite that was pressed, from the component's value in the session; None if none was.

    >>> picked({"picked": "json"})
    'json'
    """
    said = value.get("picked") if isinstance(value, Mapping) else None
    return said if isinstance(said, str) else None


def list_data(found: Rewrites, chosen: str) -> dict[str, Any]:
    """What the list sends to the browser."""
    most = max((one.saved for one in found.saving), default=1)
    return {
        "chosen": chosen,
        "rows": [{**_row(one), "bar": one.saved / most} for one in found.saving],
        "others": [{**_row(one), "bar": None} for one in found.others],
        "refused": [refused._asdict() for refused in found.refused],
    }


def _row(one: Rewrite) -> dict[str, Any]:
    share = percent(one.saved / one.tokens_before) if one.saved > 0 else ""
    return {
        "key": one.key,
        "name": one.name,
        "what": one.what,
        "loss": one.loss,
        "words": words_of(one),
        "share": share,
    }


def words_of(one: Rewrite) -> str:
    """What the rewrite saves or costs, in a few words.

    >>> words_of(Rewrite("tabs", "Tabs for spaces", "", "", "", 9, 8, 5, 7, 8, ""))
    'costs 2 tokens more'
    """
    if one.saved > 0:
        return f"saves {count_of(one.saved, 'token')}"
    return f"costs {count_of(-one.saved, 'token')} more" if one.saved else "saves nothing"

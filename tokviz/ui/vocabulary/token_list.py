"""The list of the tokens of a tokenizer, and the biography of one of them beside it. The browser asks for both."""

from __future__ import annotations

from typing import Any

from tokviz.ui.kit.served import component

_STYLES = (
    *("kit/rows.css", "tokenview/tokens.css", "tokenview/tree.css", "vocabulary/token_list.css"),
    "vocabulary/biography.css",
)
_component = component("token_list", "vocabulary/token_list.js", *_STYLES)


def token_list(
    of: str, name: str, choice: dict[str, Any], token: int | None, counted: str, *, bring: str = "", key: str
) -> None:
    """Draw the list.

    of, name: the key and the name of the tokenizer. choice: which of its tokens are listed, as it is asked for.
    token: the id of the pinned one, None for the first of the list. counted: what use is counted in; when it changes,
    the list is asked for again. bring: "token" or "list" if a click led to it, which then comes into view; else "".
    """
    data = {"of": of, "name": name, "choice": choice, "token": token, "counted": counted, "bring": bring}
    _component(key=key, data=data, on_renew_change=lambda: None)

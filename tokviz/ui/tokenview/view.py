"""The token view: one text under one tokenizer, every token a span that can be pointed at.

Python sends the encoding and the browser draws it. Hover, keys and switches stay in the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokviz.offline.files import TOKENS
from tokviz.ui.kit.served import component

_component = component("token_view", "tokenview/panel.js", *TOKENS)


def token_view(data: Mapping[str, Any], *, key: str) -> None:
    """Draw a text as its tokens, with its figures above, and below them the token pointed at.

    `data` comes from view_data. Views of the same text point at the same bytes together.
    """
    _component(key=key, data=data)

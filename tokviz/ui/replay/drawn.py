"""Replay: the merges of a training, step by step, on a window of its corpus.

Python sends the merges and a window once. Stepping, playing, scrubbing, searching and sorting happen in the browser,
which tells Python the place when the reader has come to rest. What the browser cannot know (the candidate pairs of a
step, another window, the seams of a text just typed) it asks: see tokviz/ui/replay/questions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tokviz.offline.files import REPLAY
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component

_component = component("replay", "replay/replay.js", *REPLAY)


def replay(
    data: Mapping[str, Any], choices: Mapping[str, str], plays: str, *, key: str, on_plays: Callable[[str], None]
) -> None:
    """Draw the replay.

    data: from `Playing.data`; while it does not change, nothing is sent again. choices, plays: what can play, by its
    key, and which of it does. on_plays: called with another one that the reader chose. The value of the component has
    the reader's `place`: see tokviz/ui/replay/place.py.
    """

    def chosen() -> None:
        to = heard(widget_value(key), "plays", str)
        if to is not None and to in choices:
            on_plays(to)

    _component(
        key=key,
        data={**data, "choices": [*choices.items()], "plays": plays},
        on_plays_change=chosen,
        on_place_change=lambda: None,  # without a callback the value does not exist
    )

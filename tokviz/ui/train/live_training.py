"""Training as you type: a corpus that is written in the browser, and its merges after each key.

Python sends the text and the settings once. After that the browser and the Train page's socket keep corpus and merges
in step. A rerun of the page sends nothing unless something other than this browser changed the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.training.rules import TIES
from tokviz.ui.kit.served import component
from tokviz.ui.tokenview.view import STYLES

_STYLES = (*STYLES, "tokenview/marked.css", "tokenview/strip.css", "kit/step_curve.css", "tokenview/ladder.css")
_component = component("live_training", "train/live_training.js", *_STYLES, "train/live_training.css")


def live_training(data: Mapping[str, Any], *, key: str) -> None:
    """Draw it. While `data` does not change, nothing is sent again.

    data: text. settings: the fields of `TrainSettings` without the sample. step: the merge chosen, counted from 1; 0 is
    before the first, None the last. view, stamp: `view` names this text area, and `stamp` counts the texts that Python
    gave it. The browser takes the text if the stamp is new, and keeps its own if not. limit: UTF-16 units that a text
    can have. live, rest: a text of more than `live` bytes is trained when no key was pressed for `rest` milliseconds.
    link: bytes of a text that goes into a link.
    """
    choices = {
        "patterns": [[name, name] for name in PATTERNS] + [[CUSTOM, "your own"]],
        "own": CUSTOM,
        "ties": [[key, rule.label] for key, rule in TIES.items()],
    }
    _component(key=key, data={**data, **choices}, on_asked_change=lambda: None)  # else the value does not exist

"""The Replay page: the merges of a training, step by step, on a window of its corpus, and below it folds with what-ifs
and the replay as a file.

Python sends the merges and a window once. Stepping, playing, searching and sorting happen in the browser, which tells
Python the place when the reader has come to rest. What the browser cannot know (the candidate pairs of a step, another
window, the seams of a text just typed) it asks: see tokviz/ui/replay/questions.py.
"""

from __future__ import annotations

from tokviz.offline.files import REPLAY
from tokviz.offline.replay import Playing
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.say import part
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component
from tokviz.ui.replay.folds import take_along, try_it
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import agreed, called, follow_link
from tokviz.ui.replay.playing import at_home, choices
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import SAMPLE, Visitor

PLAYER = "replay.player"
_component = component("replay", "replay/replay.js", *REPLAY)


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "replay", ReplayLink)
    if arrived:
        follow_link(me, arrived)
    shown = at_home(me)
    links.offer_way_back(ReplayLink)
    links.say_faults()
    with part():
        _player(me, shown)
    with part():
        try_it(me, shown)
    with part():
        take_along(me, shown)


def _player(me: Visitor, shown: Playing) -> None:
    """Draw the player. While its data do not change, nothing is sent again. Its value has the place: see place.py."""
    offered = choices(me)

    def chosen() -> None:
        to = heard(widget_value(PLAYER), "plays", str)
        if to is not None and to in offered:
            me.plays = to

    data = shown.data(agreed(me, PLAYER, shown.id), called=called(me, shown))
    _component(
        key=PLAYER,
        data={**data, "choices": [*offered.items()], "plays": shown.key or SAMPLE},
        on_plays_change=chosen,
        on_place_change=lambda: None,  # without a callback the value does not exist
    )

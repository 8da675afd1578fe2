"""The Replay page: the player, and below it folds with what-ifs and the replay as a file."""

from __future__ import annotations

from tokviz.ui.frame import links, shell
from tokviz.ui.frame.say import part
from tokviz.ui.replay.drawn import replay
from tokviz.ui.replay.folds import take_along, try_it
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import agreed, called, follow_link
from tokviz.ui.replay.playing import at_home, choices
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import SAMPLE

PLAYER = "replay.player"


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

    def plays(key: str) -> None:
        me.plays = key

    with part():
        data = shown.data(agreed(me, PLAYER, shown.id), called=called(me, shown))
        replay(data, choices(me), shown.key or SAMPLE, key=PLAYER, on_plays=plays)
    with part():
        try_it(me, shown)
    with part():
        take_along(me, shown)

"""Where the player is: which place wins if the browser, a link and another tab each name one."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, NamedTuple

from tokviz.offline.replay import LENGTHS, OWN_TEXT_LIMIT, Playing
from tokviz.ui.frame.address import Link
from tokviz.ui.frame.links import Arrived
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server.visitor import SAMPLE, Visitor


class ToldPlace(NamedTuple):
    """A place as the browser tells it. id, stamp: of the data that it is about."""

    id: str
    stamp: int
    place: ReplayPlace


def agreed(me: Visitor, key: str, id: str) -> dict[str, Any]:
    """The place to send to the player in this tab, with a stamp. id: names what plays. key: the component's.

    The browser steps by itself and tells each place where it stops. The visitor's place follows, but what was sent to
    the browser stays as it is, because a change would send all of it again. A place that the browser did not tell, as
    that of a link, has a new stamp, and the browser goes there. `own`: whether there is a text of the visitor's own.
    """
    state, kept = me.state(ReplayState), kept_in_session(f"{key}.place")
    told = heard(widget_value(key), "place", ToldPlace)
    if told and told[:2] == (id, state.moved):
        place = told.place
        if place.length in LENGTHS and min(place.step, place.start) >= 0:
            state.place = replace(place, of=state.place.of)
    if told is None or kept.get("about") != (id, state.moved):
        sent = {**asdict(state.place), "stamp": state.moved, "own": bool(state.text)}
        kept.update(about=(id, state.moved), place=sent)
    return dict(kept["place"])


def follow_link(me: Visitor, arrived: Arrived[ReplayLink]) -> None:
    """Open what a link names: the tokenizer if it is here, the step, the window and the text.

    A link that names no tokenizer opens the sample. A visitor who predicts goes on to do so: without the question, the
    link would show its answer.
    """
    link, keys = arrived.link, arrived.keys
    if keys or not link.tokenizers:
        me.plays = keys[0] if keys else SAMPLE
    state, said = me.state(ReplayState), link.page
    state.move(
        ReplayPlace(
            of=None if me.plays == SAMPLE else me.plays,
            step=said.step or 0,
            start=said.start or 0,
            length=said.length if said.length in LENGTHS else ReplayPlace().length,
            presenting=said.presenting,
            predicting=state.place.predicting,
        )
    )
    if link.text is not None and len(link.text.encode()) <= OWN_TEXT_LIMIT:  # a sample that plays may be longer
        state.text = link.text


def link_to_place(me: Visitor, shown: Playing, place: ReplayLink) -> Link[ReplayLink]:
    """The link to a place of what plays.

    It carries the text that plays, or the visitor's own text if a corpus plays.
    """
    name = called(me, shown)
    return Link(place, text=shown.text or me.state(ReplayState).text or None, tokenizers=(name,) if name else ())


def called(me: Visitor, shown: Playing) -> str:
    """What links call the tokenizer that plays; "" for the sample's, which no link names."""
    mine = me.own(shown.key)
    return mine.sha256 if mine else shown.key or ""

"""Where the player stands: which place wins if the browser, a link and another tab each name one."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from tokviz.ui.frame.address import Link
from tokviz.ui.frame.links import Arrived
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.playing import LENGTHS, OWN_TEXT_LIMIT, Playing
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server.visitor import SAMPLE, Visitor

# The parts of a place that the browser knows.
_IN_BROWSER = ("step", "start", "length", "every", "presenting", "predicting")
_WINDOW = ("start", "length")  # those that are sent with a text


def agreed(me: Visitor, key: str, id: str) -> dict[str, Any]:
    """The place to send to the player in this tab, with a stamp. id: names what plays. key: the component's.

    The browser steps by itself and reports each place where it stops. The visitor's place follows these reports, but
    the data for the browser does not change, because a change would send all of it again. A place that the browser has
    neither received nor reported comes from a link, another tab or another tokenizer. It is sent under a new stamp,
    and the browser goes there. `was` is what the browser reported last: what is the same in both was not changed here,
    and stays as the browser has it by now.
    """
    state, kept = me.state(ReplayState), kept_in_session(f"{key}.place")
    told = (widget_value(key) or {}).get("place")
    if kept.get("id") == id and told != kept.get("told") and (heard := _reported(told, id, kept["stamp"])):
        kept["told"], kept["known"], kept["heard"] = told, heard, heard
        state.place = replace(state.place, **heard)
    place = {name: value for name, value in asdict(state.place).items() if name in _IN_BROWSER}
    if kept.get("id") != id or place != kept["known"]:
        if kept.get("id") != id:
            kept["heard"] = place
        stays = {name: was for name, was in kept["heard"].items() if name not in _WINDOW}
        kept |= {"id": id, "stamp": kept.get("stamp", 0) + 1, "sent": place, "known": place, "told": told, "was": stays}
    return {**kept["sent"], "was": kept["was"], "stamp": kept["stamp"]}


def _reported(place: object, id: str, stamp: int) -> dict[str, Any] | None:
    """The place that a browser reports, or None if the report is about other data or the place is impossible."""
    match place:
        case {
            "id": str(of),
            "stamp": int(answered),
            "step": int(step),
            "start": int(start),
            "length": int(length),
            "every": bool() | None as every,
            "presenting": bool(presenting),
            "predicting": bool(predicting),
        } if of == id and answered == stamp and step >= 0 and start >= 0 and length in LENGTHS:
            told = (step, start, length, every, presenting, predicting)
            return dict(zip(_IN_BROWSER, told, strict=True))
    return None


def follow_link(me: Visitor, arrived: Arrived[ReplayLink]) -> None:
    """Open what a link names: the tokenizer if it is here, the step, the window and the text.

    A link that names no tokenizer opens the sample. A visitor who predicts goes on to do so: without the question, the
    link would show its answer.
    """
    link, keys = arrived.link, arrived.keys
    if keys or not link.tokenizers:
        me.plays = keys[0] if keys else SAMPLE
    state, said = me.state(ReplayState), link.page
    state.place = ReplayPlace(
        of=None if me.plays == SAMPLE else me.plays,
        step=said.step or 0,
        start=said.start or 0,
        length=said.length if said.length in LENGTHS else ReplayPlace().length,
        presenting=said.presenting,
        predicting=state.place.predicting,
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

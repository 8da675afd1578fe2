"""The upper part of the Compare page: the text, and which of its bytes the ruler shows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import listed
from tokviz.catalog.samples import examples
from tokviz.comparison.comparison import Comparison, Places
from tokviz.split.specials import READINGS, Reading
from tokviz.tokenizer.live_text import beginning
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.compare.drawn import RulerRequest, RulerRow, ruler, ruler_data, ruler_request
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import PLACES, CompareState, RulerPlace
from tokviz.ui.frame.address import Link, NoPageLink, encode, left_out
from tokviz.ui.frame.links import Arrived, add_faults, link_name
from tokviz.ui.frame.tokenizers import ShownTokenizer, badge, encoded
from tokviz.ui.frame.widgets import bind, kept_in_session, widget_value
from tokviz.ui.server import limits
from tokviz.ui.server.registry import new_view, visitor
from tokviz.ui.server.visitor import Visitor

IN_VIEW = 2_000  # bytes of a long text that are drawn at once; all are compared
LEAD = 300  # bytes drawn before a disagreement that the browser asked for

RULER = "compare.ruler"


# -- what is compared --


@dataclass
class _Edited:
    """The visitor's text as the text area of one tab edits it. view: names the text area."""

    me: Visitor
    view: str

    @property
    def text(self) -> str:
        return self.me.text

    @text.setter
    def text(self, text: str) -> None:
        self.me.type(text, self.view)


def edit_text(me: Visitor) -> None:
    """Draw the text area, but only while it is open: the browser sends its whole text with every click on the page."""
    # The first value is kept: with another value this would be a new expander, which closes while one types in it.
    opens = kept_in_session(RULER).setdefault("opens", not me.text)
    area = st.expander("Edit text", expanded=opens, key="compare.edit", on_change="rerun")
    if area.open:
        foreign, view = "\r" in me.text, kept_in_session(RULER).setdefault("view", new_view())
        me.no_text(view)
        me.gets_text(view, me.text)
        with area:
            st.text_area(
                "Text",
                height=160,
                label_visibility="collapsed",
                placeholder="Type or paste some text",
                disabled=foreign,
                **bind("compare.text", "text", _Edited(me, view)),
            )
            if foreign:
                st.caption("This text has carriage returns, which a text area cannot hold. Tokens can convert them.")


def too_long(text: str) -> list[TokvizError]:
    """A note if the text is longer than what is compared here."""
    here = beginning(text, limits.TEXT_UNITS)
    if here == text:
        return []
    return [
        InputError(
            f"This text has {len(text):,} characters.",
            f"The first {len(here):,} are compared here. The whole text is kept.",
        )
    ]


def refused(chosen: Sequence[ShownTokenizer], text: str) -> list[TokvizError]:
    """The first special token of the text that each tokenizer refuses."""
    places: dict[tuple[str, int], list[str]] = {}
    for shown in chosen:
        first = shown.first_special(text)
        if first:
            places.setdefault(first, []).append(shown.name)
    faults: list[TokvizError] = []
    for (token, at), names in places.items():
        line = clean(text).encode().count(b"\n", 0, at) + 1
        faults.append(
            InputError(
                f"{listed(names)} {'refuses' if len(names) == 1 else 'refuse'} this text.",
                f"{token} is at byte {at:,}, line {line:,}. Remove it, or read it as text or as special. Until then "
                "it is drawn as text.",
            )
        )
    return faults


# -- the ruler --


def comparison(me: Visitor, tokenizers: tuple[AnyTokenizer, ...], text: str, reading: Reading) -> Comparison:
    """The text under the tokenizers, from the visitor's cache."""

    def make() -> Comparison:
        data = clean(text).encode()
        return Comparison(tokenizers, tuple(encoded(me, one, text, reading).over(data) for one in tokenizers))

    return me.cache.get(("compared", tokenizers, text, reading), make)


@st.fragment
def boundaries(chosen: Sequence[ShownTokenizer], text: str, reading: Reading) -> None:
    """Draw the ruler of a text, with a row for each chosen tokenizer. What it asks for reruns only this fragment.

    The browser moves from one disagreement to the next by itself and reports where it stopped. The place is remembered,
    and nothing is sent back. Data is sent only for a place that the browser does not know: a link's, another tab's, or
    one that it asked for.
    """
    me, kept, value = visitor(), kept_in_session(RULER), widget_value(RULER) or {}
    at = me.state(CompareState)
    if kept.get("text") != text:
        kept.update(text=text, of=sha256_of(text), shown=None)
    if at.ruler.of != kept["of"]:
        at.ruler = replace(at.ruler, of=kept["of"], start=0, region=None)
    at.ruler = _heard(kept, value.get("place"), at.ruler)
    ask = ruler_request(value)
    if ask and _another_text(me, ask):
        st.rerun()  # the whole page depends on it
    rows = [
        RulerRow(
            one.key,
            one.name,
            one.series,
            badge(me, one.tokenizer, text, reading) if text else None,
            called=link_name(me, one),
        )
        for one in chosen
    ]
    compared = comparison(me, tuple(one.tokenizer for one in chosen), text, reading)
    if ask:
        at.ruler = _place_asked_for(at.ruler, ask, compared.bounds)
    shown = (rows, reading, at.ruler)
    if kept["shown"] != shown:
        start, end = _in_view(compared, at.ruler)
        turn = kept.get("turn", 0) + 1
        region, pair = at.ruler.region, at.ruler.pair
        data = ruler_data(rows, compared, start, end, region=region, pair=pair, reading=reading, turn=turn)
        kept.update(shown=shown, data=data, turn=turn)
    link = link_to_comparison(me, chosen)
    ruler({**kept["data"], "link": _begun(link), "texts": _texts(me)}, key=RULER)
    if ask and ask.what == "specials" and ask.name in READINGS and ask.name != me.specials:
        me.specials = next(one for one in READINGS if one == ask.name)
        st.rerun()  # the whole page depends on it


def _another_text(me: Visitor, ask: RulerRequest) -> bool:
    """Show the text that the browser asked for: an example, or the visitor's own one before it. Is it another text?"""
    before = me.text
    example = next((one for one in examples() if ask.what == "example" and one.title == ask.name), None)
    if example and example.text != before:
        me.lend(example.text)
    elif ask.what == "back":
        me.back()
    return me.text != before


def _texts(me: Visitor) -> dict[str, Any]:
    """The texts that can be chosen: the examples, which of them is in view, and how many own texts are kept."""
    return {
        "examples": [{"name": one.title} for one in examples()],
        "example": next((one.title for one in examples() if one.text == me.text), None),
        "back": len(me.own_texts),
    }


def sha256_of(text: str) -> str:
    """The sha256 of a text, by which a `RulerPlace` names its text."""
    return hashlib.sha256(clean(text).encode()).hexdigest()


def _heard(kept: dict[str, Any], told: object, place: RulerPlace) -> RulerPlace:
    """The place, updated by the browser's report: the disagreement where it stopped, and the pair that it explains.

    A report names the turn of the data that it was made with. A report on older data is ignored.
    """
    before, kept["told"] = kept.get("told"), told
    if told == before or not kept["shown"]:
        return place
    if told is None:
        kept["shown"] = None  # the ruler is new, after a visit to another page: send the data again
        return place
    rows, reading, known = kept["shown"]
    match told:
        case {"turn": int(turn), "region": int() | None as region, "pair": [str(a), str(b)]} if (
            turn == kept["turn"] and known == place
        ):
            place = replace(place, region=region, pair=(a, b))
            kept["shown"] = rows, reading, place
    return place


def _place_asked_for(place: RulerPlace, ask: RulerRequest, bounds: Places) -> RulerPlace:
    """The place after the browser asked for another part of the text, or for the next or previous disagreement."""
    if ask.what == "place":
        return replace(place, start=ask.at, region=None)
    if ask.what == "next":
        i = int(np.searchsorted(bounds[:, 0], ask.at))
        if i < len(bounds):
            return replace(place, start=max(0, int(bounds[i, 0]) - LEAD), region=int(bounds[i, 0]))
    if ask.what == "previous":
        i = int(np.searchsorted(bounds[:, 1], ask.at, side="right")) - 1
        if i >= 0:
            return replace(place, start=max(0, int(bounds[i, 1]) + LEAD - IN_VIEW), region=int(bounds[i, 0]))
    return place


def _in_view(compared: Comparison, place: RulerPlace) -> tuple[int, int]:
    """(start, end) of the bytes that are drawn: from the place on, or else around the disagreement in view."""
    last = max(0, len(compared.encodings[0].data) - IN_VIEW)
    start, end = compared.window(min(place.start, last), IN_VIEW)
    if place.region is not None and not start <= place.region < end:
        start, end = compared.window(min(place.region - LEAD, last), IN_VIEW)
    return start, end


# -- links --


def link_to_comparison(me: Visitor, chosen: Sequence[ShownTokenizer]) -> Link[CompareLink]:
    """The link to the page as it is now. It contains a place in the text only if it contains the text too."""
    names = {one.key: link_name(me, one) for one in chosen}
    state = me.state(CompareState)
    place = state.ruler
    goes_along = not left_out(Link(NoPageLink(), text=me.text))
    pair = [names[key] for key in place.pair or () if key in names]
    page = CompareLink(
        start=place.start or None if goes_along else None,
        region=place.region if goes_along else None,
        pair=(pair[0], pair[1]) if len(pair) == 2 else None,
        tab=next(name for name, (tab, _) in PLACES.items() if tab == state.tab),
    )
    return Link(page, me.text, tuple(names.values()), me.specials)


def _begun(link: Link[CompareLink]) -> dict[str, Any]:
    """The part of the link that Python makes; the browser adds region and pair. places: whether to add a region."""
    begun, missing = replace(link, page=replace(link.page, region=None, pair=None)), left_out(link)
    return {"query": encode(begun), "places": not missing, "left_out": missing}


def follow_link(me: Visitor, arrived: Arrived[CompareLink]) -> None:
    """Apply a link: its tokenizers as far as they are here, its place in the text, its tab."""
    link, here, state = arrived.link.page, arrived.here, me.state(CompareState)
    state.chosen = arrived.keys or state.chosen
    if link.tab:
        state.show(link.tab)
    place = state.ruler
    if link.pair and all(name in here for name in link.pair):
        place = replace(place, pair=(here[link.pair[0]], here[link.pair[1]]))
    if link.start is not None or link.region is not None:
        text = beginning(me.text, limits.TEXT_UNITS)
        size, last = len(clean(text).encode()), max(link.start or 0, link.region or 0)
        if last < size:
            place = replace(place, of=sha256_of(text), start=link.start or 0, region=link.region)
        else:
            what = f"The place of the link, byte {last:,}, is not in the text."
            add_faults([InputError(what, f"The text has {size:,} bytes.")])
    state.ruler = place

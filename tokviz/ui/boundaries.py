"""Compare's upper part: which bytes of a text stand on the ruler, and whose boundaries count."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from tokviz.comparison import Comparison, Places
from tokviz.errors import TokvizError
from tokviz.proof import checks
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.address import Link, encode, left_out, sample_of
from tokviz.ui.components.ruler import Row, RulerRequest, bounds_of, ruler, ruler_data, ruler_request
from tokviz.ui.links import Arrived, doubt, name_of
from tokviz.ui.livetext import TEXT_LIMIT, beginning, first_refused
from tokviz.ui.shell import plain
from tokviz.ui.state import READINGS, TABS, Reading, RulerPlace, Visitor, bind, kept_in_session, visitor, widget_value
from tokviz.ui.tokenizers import Shown, at_hand, badge, encoded

IN_VIEW = 2_000  # bytes of a long text that are drawn at once; all are compared
LEAD = 300  # bytes of them that stand before a disagreement that was looked for

RULER = "compare.ruler"


# -- what is compared --


def edit_text(me: Visitor) -> None:
    """Draw the text area. Only while it is open: what stands in it goes up again with every press on the page."""
    # what it opens with stays so: with another value it would be another expander, and close while one types in it
    opens = kept_in_session(RULER).setdefault("opens", not me.text)
    area = st.expander("Edit text", expanded=opens, key="compare.edit", on_change="rerun")
    if area.open:
        foreign = "\r" in me.text
        with area:
            st.text_area(
                "Text",
                height=160,
                label_visibility="collapsed",
                placeholder="Type or paste some text",
                disabled=foreign,
                **bind("compare.text", "text"),
            )
            if foreign:
                st.caption("This text has carriage returns, which a text area cannot hold. Tokens can convert them.")


def too_long(text: str) -> list[str]:
    """What to say of a text that is longer than what is compared here; all of it is kept."""
    if beginning(text) == text:
        return []
    return [
        f"This text has {len(text):,} characters. The first {TEXT_LIMIT:,} are compared here, and all of it is kept."
    ]


def forget_gone(me: Visitor) -> list[str]:
    """Take out of the comparison what is no longer there, and say so; one sentence each."""
    there = {shown.key for shown in at_hand(me)}
    if not there.issuperset(me.compared):
        me.compared = [key for key in me.compared if key in there]
    return [
        f"“{lost.name}” is gone: the server ran short of memory. Train it again, or open its file on Train."
        for lost in me.lost
        if lost.kind == "tokenizer"
    ]


def able(chosen: Sequence[Shown], text: str, reading: Reading) -> tuple[list[Shown], list[str]]:
    """Those that can be put beside one another on this text, and of each of the others why it cannot."""
    good, faults = [], []
    for shown in chosen:
        try:
            encoded(shown.tokenizer, text, reading)
            good.append(shown)
        except TokvizError as error:
            faults.append(f"{shown.name} is left out. {error}")
    return good, faults


def refused(chosen: Sequence[Shown], text: str) -> list[str]:
    """Which special token stands first in the text, for whom, and the ways out: where they are refused."""
    places: dict[tuple[str, int], list[str]] = {}
    for shown in chosen:
        first = first_refused(shown.tokenizer, text)
        if first:
            places.setdefault(first, []).append(shown.name)
    faults = []
    for (token, at), names in places.items():
        line = clean(text).encode().count(b"\n", 0, at) + 1
        faults.append(
            f"Refused by {', '.join(names)}. {token} stands at byte {at:,}, line {line:,}. Take it out, or have it "
            "read as text or as special. Meanwhile it is drawn as text."
        )
    return faults


# -- the ruler --


@functools.lru_cache(maxsize=8)
def compared(tokenizers: tuple[Tokenizer, ...], text: str, reading: Reading) -> Comparison:
    """The text under the tokenizers. Remembered over the reruns of a page."""
    return Comparison(tokenizers, tuple(encoded(tokenizer, text, reading) for tokenizer in tokenizers))


def live_proof(shown: Sequence[Shown], text: str, reading: Reading) -> None:
    """What can be proved about the tokens on the page, each claim with how it was checked just now."""
    area = st.expander("Live proof: bytes, tokens, ids", key="compare.proof", on_change="rerun")
    if not area.open:
        return
    with area:
        for one in shown:
            st.markdown(f"**{one.label}**")
            for check in checks(one.tokenizer, clean(text), encoded(one.tokenizer, text, reading)):
                mark = {True: ":green[✓]", False: ":red[×]", None: ":gray[–]"}[check.holds]
                verdict = {True: "holds", False: "does not hold", None: "cannot be judged"}[check.holds]
                st.markdown(f"{mark} {check.claim}: **{verdict}**. {plain(check.how)}")


@st.fragment
def boundaries(chosen: Sequence[Shown], text: str, reading: Reading) -> None:
    """Draw the ruler of a text under the tokenizers chosen, a row each; what it asks for reruns no more than this.

    The browser goes from one disagreement to the next by itself and tells where it came to rest. That is remembered,
    and nothing is sent: only a place that it does not know (a link's, another tab's, one that was asked for) is.
    """
    me, kept, value = visitor(), kept_in_session(RULER), widget_value(RULER) or {}
    at = me.comparing
    if kept.get("text") != text:
        kept.update(text=text, of=sum_of(text), shown=None)
    if at.ruler.of != kept["of"]:
        at.ruler = replace(at.ruler, of=kept["of"], start=0, region=None)
    at.ruler = _heard(kept, value.get("place"), at.ruler)
    ask = ruler_request(value)
    if ask and ask.what == "rows":
        silent = frozenset(one.key for one in chosen) - set(ask.rows)
        at.ruler = replace(at.ruler, left_out=silent, region=ask.at)
    rows = [
        Row(
            one.key,
            one.name,
            one.series,
            badge(one.tokenizer, text, reading) if text else None,
            counted=one.key not in at.ruler.left_out,
        )
        for one in chosen
    ]
    counted = tuple(one.tokenizer for one, row in zip(chosen, rows, strict=True) if row.counted)
    consensus = compared(counted, text, reading) if counted else None
    if ask:
        at.ruler = _gone(at.ruler, ask, bounds_of(consensus))
    shown = (rows, reading, at.ruler)
    if kept["shown"] != shown:
        everyone = compared(tuple(one.tokenizer for one in chosen), text, reading)
        start, end = _in_view(everyone, at.ruler)
        turn = kept.get("turn", 0) + 1
        data = ruler_data(rows, everyone, consensus, start, end, at.ruler, reading, turn)
        kept.update(shown=shown, data=data, turn=turn)
    link = link_to(me, chosen)
    ruler({**kept["data"], "link": _begun(link)}, key=RULER)
    if ask and ask.what == "specials" and ask.name in READINGS and ask.name != me.specials:
        me.specials = next(one for one in READINGS if one == ask.name)
        st.rerun()  # all of the page follows


def sum_of(text: str) -> str:
    """The sha256 of a text, by which a place in it knows its text."""
    return hashlib.sha256(clean(text).encode()).hexdigest()


def _heard(kept: dict[str, Any], told: object, place: RulerPlace) -> RulerPlace:
    """The place with what the browser tells: which disagreement it came to rest on, and which pair it explains.

    It speaks of what was drawn by the turn it names; what it says of another is no longer true.
    """
    before, kept["told"] = kept.get("told"), told
    if told == before or not kept["shown"]:
        return place
    if told is None:
        kept["shown"] = None  # drawn afresh, after another page: from where it came to rest
        return place
    rows, reading, known = kept["shown"]
    match told:
        case {"turn": int(turn), "region": int() | None as region, "pair": [str(a), str(b)]} if (
            turn == kept["turn"] and known == place
        ):
            place = replace(place, region=region, pair=(a, b))
            kept["shown"] = rows, reading, place
    return place


def _gone(place: RulerPlace, ask: RulerRequest, bounds: Places) -> RulerPlace:
    """The place after going to another part of the text: there, or where the disagreement is that was looked for."""
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


def _in_view(everyone: Comparison, place: RulerPlace) -> tuple[int, int]:
    """(start, end) of the bytes that are drawn: from the place on, with the disagreement looked at among them."""
    last = max(0, len(everyone.encodings[0].data) - IN_VIEW)
    start, end = everyone.window(min(place.start, last), IN_VIEW)
    if place.region is not None and not start <= place.region < end:
        start, end = everyone.window(min(place.region - LEAD, last), IN_VIEW)
    return start, end


# -- links --


def link_to(me: Visitor, chosen: Sequence[Shown], *, with_text: bool = True) -> Link:
    """The link to the page as it stands. A place in a text means nothing without it, so both go along or neither."""
    names = {one.key: name_of(one) for one in chosen}
    place = me.comparing.ruler
    text = me.text if with_text or sample_of(me.text) else None
    goes_along = text is not None and not left_out(Link(text=text))
    pair = [names[key] for key in place.pair or () if key in names]
    return Link(
        text=text,
        tokenizers=tuple(names.values()),
        specials=me.specials,
        start=place.start or None if goes_along else None,
        region=place.region if goes_along else None,
        out=tuple(names[key] for key in names if key in place.left_out),
        pair=(pair[0], pair[1]) if len(pair) == 2 else None,
        tab=next((tab for tab in TABS if tab == me.comparing.tab), None),
    )


def _begun(link: Link) -> dict[str, Any]:
    """What the browser makes a link of: region and pair are as it has them. places: whether a region belongs in it."""
    query, missing = encode(replace(link, region=None, pair=None)), left_out(link)
    return {"query": query, "places": link.text is not None and not missing, "left_out": missing}


def follow(me: Visitor, arrived: Arrived) -> None:
    """Go where a link leads: its tokenizers as far as they are here, its place in the text, its tab."""
    link, here = arrived.link, arrived.here
    me.compared = arrived.keys or me.compared
    me.comparing.tab = link.tab or me.comparing.tab
    place = me.comparing.ruler
    if link.tokenizers:
        place = replace(place, left_out=frozenset(here[name] for name in link.out if name in here))
    if link.pair and all(name in here for name in link.pair):
        place = replace(place, pair=(here[link.pair[0]], here[link.pair[1]]))
    if link.start is not None or link.region is not None:
        text = beginning(me.text)
        size, last = len(clean(text).encode()), max(link.start or 0, link.region or 0)
        if last < size:
            place = replace(place, of=sum_of(text), start=link.start or 0, region=link.region)
        else:
            doubt([f"The place of the link, byte {last:,}, is not in the text. That has {size:,} bytes."])
    me.comparing.ruler = place

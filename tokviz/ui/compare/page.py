"""The Compare page: a text area above the ruler of boundaries and the tokens under each, and tabs of figures below."""

from __future__ import annotations

from typing import Any

from tokviz.base.errors import InputError
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import CompareState, RulerPlace
from tokviz.ui.compare.tabs import tabs
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.links import Arrived
from tokviz.ui.frame.say import part
from tokviz.ui.kit.served import component
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.choosing import Chosen, all_chosen, models_in_link, named
from tokviz.ui.tokenview.questions import sum_of, text_of
from tokviz.ui.tokenview.workbench import WORKBENCH_STYLES, asked, workbench_data

_component = component("compare", "compare/compare.js", *WORKBENCH_STYLES, "compare/ruler.css", "compare/compare.css")

BENCH = "compare.bench"


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "compare", CompareLink)
    state = me.state(CompareState)
    if arrived:
        _follow(me, state, arrived)
    links.offer_way_back(CompareLink)
    links.say_faults()
    with part():
        heads = _bench(me, state)
    with part():
        tabs(me, heads)


def _bench(me: Visitor, state: CompareState) -> list[Chosen]:
    """Draw what is above the tabs. Returns what is chosen."""
    ask = asked(me, state, BENCH)
    heads = all_chosen(me, state.chosen)
    state.chosen = [head.name for head in heads]

    def more() -> tuple[CompareLink, dict[str, Any]]:
        place = state.ruler
        region = place.start if place.sum == sum_of(text_of(me)) else None
        opened = {"view": "", "size": None, "pinned": None, "region": region, "pair": place.pair}
        return CompareLink(models=models_in_link(heads)), {"opened": opened}

    data = workbench_data(me, heads, BENCH, ask, more)
    _component(key=BENCH, data=data, on_asked_change=lambda: None)  # without a callback it has no value
    return heads


def _follow(me: Visitor, state: CompareState, arrived: Arrived[CompareLink]) -> None:
    """Apply a link: its tokenizers as far as they are here, its place in the text, its tab."""
    link, here = arrived.link.page, arrived.here
    state.chosen = named(me, arrived.keys, link.models) or state.chosen
    if link.tab:
        state.show(link.tab)
    pair = (here[link.pair[0]], here[link.pair[1]]) if link.pair and all(name in here for name in link.pair) else None
    text = text_of(me)
    start, size = link.region or link.start or 0, len(text.encode())
    if start and start >= size:
        what = f"The place of the link, byte {start:,}, is not in the text."
        links.add_faults([InputError(what, f"The text has {size:,} bytes.")])
        start = 0
    state.ruler = RulerPlace(sum_of(text), start, pair)

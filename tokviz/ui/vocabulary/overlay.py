"""Two vocabularies laid over each other: what they share, and in which order they learned it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from tokviz.encoding import Encoding
from tokviz.overlap import overlap_at, weighted_overlap_at
from tokviz.overlay import Overlay, TokenList, finding
from tokviz.peers import Peer
from tokviz.ui import charts
from tokviz.ui.address import Link, encode
from tokviz.ui.components.overlay import OverlayPart, TokenChip, overlay_bar, pressed_part, pressed_token, token_chips
from tokviz.ui.frame.say import note, plain, say
from tokviz.ui.frame.widgets import bind, widget_value
from tokviz.ui.links import name_of
from tokviz.ui.tables import csv, draw
from tokviz.ui.tokenizers import Shown, able, at_hand, encoded
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.ui.vocabulary.overlay_ranks import look_at, named, ranks_against_each_other, ranks_of_bin
from tokviz.ui.vocabulary.overlay_tables import part_table
from tokviz.ui.vocabulary.state import ListChoice, OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_sets import IN, NOT_IN, overlay_of
from tokviz.ui.vocabulary.use import choose_text, text_chosen
from tokviz.wording import count_of, listed

LISTED = 120  # tokens shown of a part or of a bin
WEIGHED = 2_000_000  # bytes of the text in which use is counted, at most
SPECIALS = 12  # special tokens named
BAR, TOKENS = "overlay.bar", "overlay.tokens"


def overlay(me: Visitor) -> None:
    """Draw the part."""
    over = me.state(VocabularyState).over
    a, b = _choose(me, over)
    if a.key == b.key:
        note("info", f"Both sides show {a.name}.", "Choose another tokenizer on one side.")
        return
    two = overlay_of(me, a, b)
    st.subheader(plain(finding(two, a.name, b.name)), anchor=False)
    numbers: dict[OverlayPart, int] = {"a": len(two.only_a), "shared": len(two.shared), "b": len(two.only_b)}
    overlay_bar(
        named(a),
        named(b),
        numbers,
        over.part,
        remarks=_remarks(two, a, b),
        query=_query(me, a, b),
        key=BAR,
        on_asked_change=partial(_take_part, me),
    )
    if over.part == "shared" and len(two.ranks):
        ranks_against_each_other(me, two, a, b, partial(_tokens, me, two, a, b))
    else:
        _tokens(me, two, a, b)
    if two.ranked:
        _sizes(me, two, a, b)


def _choose(me: Visitor, over: OverlayChoice) -> tuple[Shown, Shown]:
    """Draw the choice of the two tokenizers."""
    there = {shown.key: shown for shown in at_hand(me)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for side, label in (("a", "First vocabulary"), ("b", "Second vocabulary")):
            bound = bind(f"overlay.{side}", f"over.{side}", VocabularyState, typed=False)

            def changed(write_back: Any = bound["on_change"]) -> None:
                write_back()
                over.bin = None

            st.selectbox(
                label,
                list(there),
                format_func=lambda key: charts.marked(there[key]),
                width=280,
                key=bound["key"],
                on_change=changed,
            )
        st.button("⇄ Swap", key="overlay.swap", on_click=_swap, args=(me,))
    return there[over.a], there[over.b]


def _swap(me: Visitor) -> None:
    state = me.state(VocabularyState)
    over = state.over
    swapped: dict[OverlayPart, OverlayPart] = {"a": "b", "shared": "shared", "b": "a"}
    state.over = OverlayChoice(over.b, over.a, swapped[over.part], over.bin and (over.bin[1], over.bin[0]))


def _remarks(two: Overlay, a: Shown, b: Shown) -> list[str]:
    """Which special tokens there are, and which tokenizers have no ranks, as sentences."""
    remarks = []
    for shown, tokens in ((a, two.a), (b, two.b)):
        if isinstance(shown.tokenizer, Peer):
            remarks.append(
                f"{shown.name} is {shown.tokenizer.kind}. Nobody knows its merges, so its tokens have no ranks, and "
                "are compared by the bytes that they stand for."
            )
            if tokens.again:
                remarks.append(f"{count_of(len(tokens.again), 'id')} with the bytes of another id do not count again.")
    groups = {"in both": two.specials.shared, f"only in {a.name}": two.specials.only_a}
    groups[f"only in {b.name}"] = two.specials.only_b
    said = [f"{len(tokens):,} {where} ({_some(tokens)})" for where, tokens in groups.items() if tokens]
    return [*remarks, f"Special tokens are counted apart: {listed(said)}."] if said else remarks


def _query(me: Visitor, a: Shown, b: Shown) -> str:
    """The query of a link to these two vocabularies."""
    return encode(Link(VocabularyLink(part="overlay"), tokenizers=(name_of(me, a), name_of(me, b))))


def _some(tokens: Sequence[str]) -> str:
    more = f" and {len(tokens) - SPECIALS:,} more" if len(tokens) > SPECIALS else ""
    return ", ".join(tokens[:SPECIALS]) + more


def _take_part(me: Visitor) -> None:
    over, part = me.state(VocabularyState).over, pressed_part(widget_value(BAR))
    if part:
        over.part, over.bin = part, None


# -- tokens --


class _Listing(NamedTuple):
    """The first tokens of a part or of a bin. n: how many there are. by_rank: are they in the order of ranks?"""

    title: str
    chips: list[TokenChip]
    n: int
    by_rank: bool


def _tokens(me: Visitor, two: Overlay, a: Shown, b: Shown) -> None:
    """Draw the first tokens of the part that is pressed, or of the bin that is chosen, and the CSV of the part."""
    part, bin = me.state(VocabularyState).over.part, me.state(VocabularyState).over.bin
    found = _shared_tokens(two, a, b, bin) if part == "shared" else _tokens_of_one(two, a, b, part)
    words = f"The first {len(found.chips):,}{', by rank' if found.by_rank else ''}"
    every = len(found.chips) == found.n
    token_chips(found.title, "" if every else words, found.chips, key=TOKENS, on_asked_change=partial(_take_token, me))
    if not found.n:
        return
    with st.container(horizontal=True):
        if part != "shared" or not bin:
            st.button("Show all in the list", key="overlay.list", on_click=_list, args=(me,))
        st.download_button(
            "CSV of all shared tokens" if part == "shared" else "CSV of all of them",
            data=lambda: csv(part_table(two, part, (a.name, b.name))),
            file_name="tokviz-overlay.csv",
            mime="text/csv",
            on_click="ignore",
            key="overlay.csv",
        )


def _list(me: Visitor) -> None:
    """Go to the list of all tokens of the part that is pressed."""
    state = me.state(VocabularyState)
    over = state.over
    state.of, other = (over.b, over.a) if over.part == "b" else (over.a, over.b)
    state.chosen_in = "overlay"
    state.part, state.listed = "one", ListChoice(odd=f"{IN if over.part == 'shared' else NOT_IN}{other}")


def _shared_tokens(two: Overlay, a: Shown, b: Shown, bin: tuple[int, int] | None) -> _Listing:
    """The merges in both or in a bin of ranks; if both share no merge, the tokens in both."""
    if not len(two.ranks):
        chips = [_chip(two.a, place, "in both") for place in two.shared[:LISTED, 0].tolist()]
        return _Listing(f"{count_of(len(two.shared), 'token')} in both", chips, len(two.shared), by_rank=False)
    found = ranks_of_bin(two, bin, a.name, b.name) if bin else None
    title, ranks = found or (f"{count_of(len(two.ranks), 'merge')} in both", two.ranks)
    chips = [
        _chip(two.a, 256 + of_a, f"rank {of_a:,} in {a.name} and {of_b:,} in {b.name}")
        for of_a, of_b in ranks[:LISTED].tolist()
    ]
    return _Listing(title, chips, len(ranks), by_rank=True)


def _tokens_of_one(two: Overlay, a: Shown, b: Shown, part: OverlayPart) -> _Listing:
    """The tokens that only one has."""
    shown, of, places = (a, two.a, two.only_a) if part == "a" else (b, two.b, two.only_b)
    chips = []
    for place in places[:LISTED].tolist():
        rank = of.rank(place)
        chips.append(_chip(of, place, f"id {of.ids[place]:,}" if rank is None else f"rank {rank:,}"))
    return _Listing(f"{count_of(len(places), 'token')} only in {shown.name}", chips, len(places), of.merges > 0)


def _chip(of: TokenList, place: int, words: str) -> TokenChip:
    return TokenChip(of.tokens[place], int(of.ids[place]), words)


def _take_token(me: Visitor) -> None:
    over, token = me.state(VocabularyState).over, pressed_token(widget_value(TOKENS))
    if token is not None:
        look_at(me, over.b if over.part == "b" else over.a, token)


# -- the overlap at every size --


def _sizes(me: Visitor, two: Overlay, a: Shown, b: Shown) -> None:
    """Draw how much the two overlap at every vocabulary size, by merges and by their use in a text."""
    largest, smallest = 256 + max(two.a.merges, two.b.merges), 256 + min(two.a.merges, two.b.merges)
    sizes = sorted({*charts.steps_to(largest), smallest} - {256})
    reference_shown = at_hand(me)[-1]  # not one of the visitor's own: a corpus is known only as its chunks
    name, text = text_chosen(me, reference_shown)
    start = text.encode()[:WEIGHED].decode(errors="ignore")
    # a split pattern of a visitor's own may not cover the text
    both, faults = able([a, b], lambda shown: _encoded(me, shown, start), "the overlap by use")
    weighted = _weighted(me, two, a, b, start, sizes) if len(both) == 2 and start else []
    draw(charts.overlaps(overlap_at(two, sizes), weighted, (a.name, b.name), name), page="vocabulary")
    st.caption(_HOW)
    with st.columns([5, 7])[0]:
        choose_text(me, reference_shown)
    for fault in faults:
        say(fault)
    if len(start) < len(text):
        st.caption(f"The text is longer than {WEIGHED:,} bytes. Use is counted in its first {WEIGHED:,}.")


_HOW = (
    "By merges: how many merges both have, divided by how many at least one has. By use: both encode the text. For "
    "each token, take how often each of them has it in the result. Then the sum of the smaller numbers is divided by "
    "the sum of the larger numbers. A vocabulary that has no more merges stays as it is."
)


def _encoded(me: Visitor, shown: Shown, text: str) -> Encoding:
    return encoded(me, shown.tokenizer, text, me.specials)


def _weighted(me: Visitor, two: Overlay, a: Shown, b: Shown, text: str, sizes: list[int]) -> list[float | None]:
    """The overlap by use at each size, from the visitor's cache."""
    of_a, of_b = [_encoded(me, a, text)], [_encoded(me, b, text)]
    key = ("overlap", a.tokenizer, b.tokenizer, text, me.specials)
    return me.cache.get(key, lambda: weighted_overlap_at(two, of_a, of_b, sizes))

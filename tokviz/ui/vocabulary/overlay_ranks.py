"""The ranks of merges that two vocabularies share: as a picture, and those that moved most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import log, log2

import streamlit as st

from tokviz.overlay import (
    Overlay,
    Places,
    RankBins,
    most_moved,
    order_found,
    order_parting,
    parting_found,
    rank_bins,
)
from tokviz.ui.components.overlay import STEPS, Axis, Bin, Named, pressed_bin, rank_picture
from tokviz.ui.components.token_rows import Card, RowGroup, TokenRow, row_press, token_rows
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.tables import frame
from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.overlay_tables import bins_table
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.wording import count_of

MOVED = 6  # tokens shown of those that moved most, each way
PICTURE, MOST = "overlay.picture", "overlay.moved"


def named(shown: Shown) -> Named:
    """A tokenizer as the components draw it."""
    return Named(shown.name, shown.series)


def ranks_against_each_other(me: Visitor, two: Overlay, a: Shown, b: Shown, below: Callable[[], None]) -> None:
    """Draw the ranks of shared merges as a picture, and beside it what moved most. below: draws what is below it."""
    over, bins = me.state(VocabularyState).over, rank_bins(two)
    left, right = st.columns([7, 5], gap="large")
    with left:
        merges = "the only shared merge" if len(two.ranks) == 1 else f"the {len(two.ranks):,} shared merges"
        rank_picture(
            f"Ranks of {merges} against each other",
            Axis(named(a), _ranks_in_words(bins.columns), _ticks(bins.columns, two.a.merges)),
            Axis(named(b), _ranks_in_words(bins.rows), _ticks(bins.rows, two.b.merges)),
            _drawn_bins(bins),
            over.bin,
            key=PICTURE,
            on_asked_change=partial(_take_bin, me),
        )
        below()
        with st.expander("Table", key="overlay.table"):
            frame(bins_table(bins, (a.name, b.name)), "overlay-ranks", page="overlay")
    with right:
        _moved(me, two, a, b)


def _ranks_in_words(edges: Sequence[int]) -> list[str]:
    """The ranks of each bin in words; "" for a bin without ranks.

    >>> _ranks_in_words([0, 1, 1, 2, 4])
    ['0', '', '1', '2 to 3']
    """
    return [
        "" if start == end else f"{start:,}" if end - start == 1 else f"{start:,} to {end - 1:,}"
        for start, end in pairwise(edges)
    ]


def _ticks(edges: Sequence[int], merges: int) -> list[tuple[int, float]]:
    """Ranks to name on an axis, with their places from 0 to 1.

    >>> [rank for rank, _ in _ticks([0] * 35, 100_000)]
    [16, 256, 4096, 65536]
    """
    base = 16 if merges > 256 else 4
    ranks = [rank for rank in (base**power for power in range(1, 8)) if rank < merges]
    return [(rank, 2 * log2(rank + 1) / (len(edges) - 1)) for rank in ranks]


def _drawn_bins(bins: RankBins) -> list[Bin]:
    """The bins with merges in them, column by column. Their colours are on a log scale too."""
    columns, rows = bins.counts.T.nonzero()
    counts = bins.counts[rows, columns].tolist()
    most = log(max(counts))
    return [
        Bin(column, row, count, 1 + round((STEPS - 1) * (log(count) / most if most else 0.5)))
        for column, row, count in zip(columns.tolist(), rows.tolist(), counts, strict=True)
    ]


def _take_bin(me: Visitor) -> None:
    over, pressed = me.state(VocabularyState).over, pressed_bin(widget_value(PICTURE))
    if pressed:
        over.bin = None if pressed == over.bin else pressed


def ranks_of_bin(two: Overlay, bin: tuple[int, int], a: str, b: str) -> tuple[str, Places] | None:
    """A bin in words, and the ranks of its merges; None if there is no such bin. a, b: the names of the tokenizers."""
    bins, (column, row) = rank_bins(two), bin
    if not (0 <= column < len(bins.columns) - 1 and 0 <= row < len(bins.rows) - 1):
        return None
    found = bins.of(two.ranks, column, row)
    of_a = _ranks_in_words(bins.columns)[column]
    of_b = _ranks_in_words(bins.rows)[row]
    return f"{count_of(len(found), 'merge')} of rank {of_a} in {a} and {of_b} in {b}", found


def _moved(me: Visitor, two: Overlay, a: Shown, b: Shown) -> None:
    """Draw which shared merges moved most, both ways, and where the two orders part."""
    moved = most_moved(two, MOVED)
    words = f"Rank in {a.name} → in {b.name}, the largest ratio first. Parts of characters are left out."
    cards = [
        Card(key, title, words, [RowGroup("", [_moved_row(two, *pair) for pair in ranks.tolist()], none)], framed=False)
        for key, title, ranks, none in (
            ("earlier", f"Learned much earlier in {b.name}", moved.earlier, "None comes earlier there."),
            ("later", "Learned much later there", moved.later, "None comes later there."),
        )
    ]
    cards.append(_order(two, a, b))
    token_rows(cards, key=MOST, across=1, on_asked_change=partial(_take_moved, me))


def _moved_row(two: Overlay, rank_a: int, rank_b: int) -> TokenRow:
    return TokenRow([two.a.made[rank_a]], f"{rank_a:,} → ", f"{rank_b:,}", int(two.a.ids[256 + rank_a]))


def _order(two: Overlay, a: Shown, b: Shown) -> Card:
    """How alike the two orders are, and the first merge that differs."""
    found = order_parting(two)
    rows = []
    if found:
        for shown, token, parts in ((a, found.a, found.parts_a), (b, found.b, found.parts_b)):
            if token is not None:
                rows.append(TokenRow(parts or [token], f"rank {found.rank:,} in {shown.name}"))
    words = f"{order_found(two)} {parting_found(found, a.name, b.name)}".strip()
    return Card("order", "The order of the merges", words, [RowGroup("", rows)], framed=False)


def _take_moved(me: Visitor) -> None:
    pressed = row_press(widget_value(MOST))
    if pressed and pressed.id is not None:
        look_at(me, me.state(VocabularyState).over.a, pressed.id)


def look_at(me: Visitor, key: str, token: int) -> None:
    """Show the biography of a token of this tokenizer."""
    state = me.state(VocabularyState)
    if state.of != key:
        state.of, state.listed = key, ListChoice()
    state.look_at(token)

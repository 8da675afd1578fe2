"""The tab Vocabulary size: the compression at each size, and the text at the size that is picked."""

from __future__ import annotations

import streamlit as st

from tokviz.base.blocks import Bar, Button, Line, Series, Table
from tokviz.base.wording import listed, rate, vocabulary_size
from tokviz.ui.compare.figure_tables import Measured, fewest
from tokviz.ui.compare.folds import side_by_side, with_csv
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import text_of


def sizes_tab(me: Visitor, rows: Measured) -> None:
    """Draw the tab."""

    def pressed(press: Press) -> None:
        visitor().state(CompareState).size = press.value

    uncut = [shown.name for shown, _ in rows if not shown.tokenizer.has_merges]
    rows = [row for row in rows if row[0].tokenizer.has_merges]
    if uncut:
        st.caption(plain(f"Left out, because no merges of {listed(uncut)} are known."))
    if not rows:
        return
    size = me.state(CompareState).size or min(256 + len(tally.closed) for _, tally in rows)
    with_csv(
        [
            Line([finding(rows)], "title"),
            Line(["Bytes a token with only the first merges. Press a size to see the text at that size."], "quiet"),
        ],
        sizes_table(rows, size),
        "sizes",
        pressed,
    )
    st.subheader(f"The text with a vocabulary of {vocabulary_size(size)}", anchor=False)
    smaller = [shown.name for shown, tally in rows if 256 + len(tally.closed) < size]
    if smaller:
        st.caption(plain(f"Shown with all their merges, because they have fewer tokens: {', '.join(smaller)}."))
    text = text_of(me)
    cut = [(shown, encoded(me, shown.tokenizer, text, me.specials).at(max(size - 256, 0))) for shown, _ in rows]
    side_by_side(cut, "compare.at")


def sizes_table(rows: Measured, picked: int) -> Table:
    """Bytes a token at each power of two and at each tokenizer's own size, read off the tallies of the whole text."""
    own = [256 + len(tally.closed) for _, tally in rows]
    sizes = sorted({256, *own, *(2**n for n in range(8, max(own).bit_length()))})
    reached = [
        [tally.bytes / max(int(tally.tokens_at[size - 256]), 1) if size <= most else None for size in sizes]
        for (_, tally), most in zip(rows, own, strict=True)
    ]
    highest = max(value for values in reached for value in values if value is not None)
    cells = [
        [
            Button("size", size, f"{size:,}"),
            *(None if value is None else Bar(value / highest, rate(value)) for value in at_size),
        ]
        for size, *at_size in zip(sizes, *reached, strict=True)
    ]
    titles = ["Tokens", *(Series(shown.series, shown.name) for shown, _ in rows)]
    return Table(titles, cells, "Vocabulary sizes", marked=[sizes.index(picked)] if picked in sizes else [])


def finding(rows: Measured) -> str:
    """The title: who needs the fewest tokens if all are cut to the size of the smallest."""
    size = min(256 + len(tally.closed) for _, tally in rows)
    tokens = [(shown.name, int(tally.tokens_at[size - 256])) for shown, tally in rows]
    return f"With a vocabulary of {vocabulary_size(size)}, {fewest(tokens)}"

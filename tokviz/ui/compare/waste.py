"""The tab Waste: where a text or a file costs many tokens under one tokenizer, and which merges would save some.

It shows the groups of content and their chunks, and the next merges with their exact savings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tokviz.next_merges import NextMerge
from tokviz.peers import Peer
from tokviz.text import Text
from tokviz.tokenizer import Tokenizer
from tokviz.ui import charts
from tokviz.ui.compare.figure_tables import text_compared
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.waste_work import MERGES, Waste, WasteWork
from tokviz.ui.components.token_rows import Card, RowGroup, TokenRow, token_rows
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import bind
from tokviz.ui.links import name_of
from tokviz.ui.tables import draw, frame
from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work
from tokviz.ui.work.progress import settle
from tokviz.waste import ChunkCost, GroupCost, LineCost, WasteReport
from tokviz.wording import capital, count_of, percent, rate, times, visible

PLACE = "compare.waste"
THIS_TEXT = ""
CHUNKS = 10  # of a group that are shown
PIECES = 6  # tokens of a chunk for which there is room
A_COLUMN = 5  # merges in a column


def waste_tab(me: Visitor, chosen: Sequence[Shown]) -> None:
    """Draw the tab."""
    text, shown = _choose(me, chosen)
    if not text.n_bytes:
        st.info("There is no text. Type or paste some above, or upload a file in the tab Files.")
        return
    about = (text.sha256, text.name, shown.key)
    last = work.of(me, PLACE)
    if not (isinstance(last, WasteWork) and last.about == about and last.found):
        settle(me, PLACE, WasteWork(text, shown, place=PLACE, about=about), kept="Nothing was found yet.")
        return
    found, of = last.found, text.name or "this text"
    _groups(me, found.report, shown, of)
    _merges(me, found, shown, of)


def _choose(me: Visitor, chosen: Sequence[Shown]) -> tuple[Text, Shown]:
    """Draw the choice of the text and of the tokenizer."""
    state = me.state(CompareState)
    files = {file.name: file.text for file in state.files}
    if state.waste_of not in files:
        state.waste_of = THIS_TEXT if me.text or not files else next(iter(files))
    there = {shown.key: shown for shown in chosen}
    if state.waste_with not in there:
        state.waste_with = chosen[0].key
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if files:
            said = {THIS_TEXT: "This text"}
            st.selectbox(
                "Text or file",
                [THIS_TEXT, *files],
                format_func=lambda name: said.get(name, name),
                width=300,
                **bind("compare.waste_of", "waste_of", CompareState),
            )
        st.segmented_control(
            "Tokenizer",
            list(there),
            required=True,
            wrap=True,
            format_func=lambda key: there[key].label,
            **bind("compare.waste_with", "waste_with", CompareState, typed=False),
        )
    return files.get(state.waste_of) or _this_text(me), there[state.waste_with]


def _this_text(me: Visitor) -> Text:
    text = text_compared(me)
    data = text.encode()
    return Text(text, "", bom=False, repaired=0, sha256=hashlib.sha256(data).hexdigest(), n_bytes=len(data))


# -- what is dear --


def _groups(me: Visitor, report: WasteReport, shown: Shown, of: str) -> None:
    def remember(pick: dict[str, Any]) -> None:
        visitor().state(CompareState).group = str(pick["key"])

    said = f"{count_of(report.tokens, 'token')}, {count_of(report.n_bytes, 'byte')}"
    st.caption(f"{said}. Special tokens are read as text.")
    left, right = st.columns([7, 5], gap="large")
    with left:
        draw(charts.group_costs(report, shown, of), remember)
    there = {cost.group.key: cost for cost in report.groups}
    with right:
        _chunks(me, shown, report, there.get(me.state(CompareState).group, report.groups[0]))


def _chunks(me: Visitor, shown: Shown, report: WasteReport, cost: GroupCost) -> None:
    """Draw the chunks of a group that cost most; of repeated lines, the lines."""
    is_lines = cost.group.key == "boilerplate" and bool(report.lines)
    st.subheader(plain(f"{cost.group.title}: what costs most"), anchor=False)
    share = percent(cost.tokens / report.tokens) if report.tokens else percent(0)
    figures = f"{count_of(cost.tokens, 'token')}, {share} of all, at {rate(cost.bytes_per_token)} bytes per token"
    what = "lines" if is_lines else "chunks"
    st.caption(plain(f"{capital(cost.group.what)}: {figures}. Its {what} with the most tokens:"))
    most = report.lines if is_lines else cost.leading
    rows = [_row(shown, _pieces(one), _often(one), one.total, sum=False) for one in most[:CHUNKS]]
    cards = [Card("chunks", "", groups=[RowGroup("", rows)], framed=False)]
    token_rows(cards, key="compare.waste.chunks", across=1, called=name_of(me, shown))


def _often(cost: ChunkCost | LineCost) -> str:
    """How often a chunk is there, and of how many tokens it is; "" if the figure that follows says all of it."""
    if cost.times == 1:
        return ""
    return f"{times(cost.times)} {cost.tokens:,}: " if cost.tokens > 1 else f"{times(cost.times)}: "


def _pieces(cost: ChunkCost | LineCost) -> Sequence[bytes]:
    """The tokens of a chunk if they are known and there is room for them, or the whole chunk."""
    pieces = () if isinstance(cost, LineCost) else cost.pieces
    return pieces if 0 < len(pieces) <= PIECES else [cost.data]


def _row(shown: Shown, tokens: Sequence[bytes], words: str, figure: int, *, sum: bool = True) -> TokenRow:
    """A row of tokens; those that the tokenizer has lead to their biographies."""
    ids = [None if isinstance(shown.tokenizer, Peer) else _id_of(shown.tokenizer, token) for token in tokens]
    return TokenRow(tokens, words, count_of(figure, "token"), sum=sum, ids=ids)


def _id_of(tok: Tokenizer, token: bytes) -> int | None:
    """The id of a token that stood in a text; None if these bytes are several tokens."""
    ids = tok.explain_chunks(token, np.array([len(token)])).ids
    return int(ids[0]) if len(ids) == 1 else None


# -- the next merges --


def _merges(me: Visitor, found: Waste, shown: Shown, of: str) -> None:
    merges = found.merges
    if merges is None:
        st.subheader("The next merges", anchor=False)
        st.caption(plain(f"No merges of {shown.name} are known, so nothing can be said of the next ones."))
        return
    st.subheader(plain(merges_found(merges, found.report.tokens)), anchor=False)
    if not merges:
        st.caption(plain(f"No chunk of {of} has two tokens that a new merge could join."))
        return
    st.caption(
        plain(
            f"Appended to {shown.name} one after the other, each where it saves most in {of}. "
            f"Each saving is exact. All merges together could save at most {count_of(found.report.over_one, 'token')}, "
            "because none crosses the end of a chunk."
        )
    )
    cards = []
    for start in range(0, len(merges), A_COLUMN):
        some = merges[start : start + A_COLUMN]
        rows = [_row(shown, [merge.left, merge.right], "saves ", merge.saved) for merge in some]
        first, last = start + 1, start + len(some)
        title = f"Merge {first}" if first == last else f"Merges {first} to {last}"
        cards.append(Card(str(start), title, groups=[RowGroup("", rows)]))
    token_rows(cards, key="compare.waste.merges", across=MERGES // A_COLUMN, called=name_of(me, shown))
    with st.expander("Table"):
        frame(merges_table(merges), "next-merges")


def merges_found(merges: Sequence[NextMerge], tokens: int) -> str:
    """The finding: what the next merges would save together.

    >>> merges_found([NextMerge(b"a", b"b", 3)], 12).replace("\\u00a0", " ")
    'The next merge would save 3 tokens, 25.0 %'
    """
    if not merges:
        return "No next merge would save a token"
    saved = sum(merge.saved for merge in merges)
    which = "The next merge" if len(merges) == 1 else f"The next {len(merges)} merges"
    return f"{which} would save {count_of(saved, 'token')}, {percent(saved / tokens)}"


def merges_table(merges: Sequence[NextMerge]) -> pd.DataFrame:
    """The next merges in their order."""
    return pd.DataFrame(
        [
            {
                "merge": place,
                "left": visible(merge.left),
                "right": visible(merge.right),
                "token": visible(merge.token),
                "saved tokens": merge.saved,
            }
            for place, merge in enumerate(merges, 1)
        ]
    )

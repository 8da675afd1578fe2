"""The tab Waste: what each kind of content in a text or a file costs under one tokenizer, and its dearest chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from tokviz.base.blocks import Card, CardGroup, CardRow, Cards, Chip, Quiet
from tokviz.base.sentences import Strong
from tokviz.base.text import Text
from tokviz.base.wording import capital, count_of, times
from tokviz.cost.waste import ChunkCost, GroupCost, WasteReport
from tokviz.ui.compare.figure_tables import text_compared
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.waste_work import WasteWork
from tokviz.ui.frame.links import link_name
from tokviz.ui.frame.progress import settle
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tables import frame
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import bind, widget_value
from tokviz.ui.server import work
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show

PLACE = "compare.waste"
THIS_TEXT = ""
OVER = "above average"
CHUNKS = 10  # of a group that are shown
PIECES = 24  # tokens of a chunk that are drawn apart, on two lines of a phone; a chunk of more is drawn whole


def waste_tab(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    """Draw the tab."""
    text, shown = _choose(me, chosen)
    if not text.n_bytes:
        st.info("There is no text. Type or paste some above, or upload a file in the tab Files.")
        return
    about = (text.sha256, text.name, shown.key)
    last = work.of(me, PLACE)
    if not (isinstance(last, WasteWork) and last.about == about and last.report):
        last = WasteWork(text, shown, place=PLACE, about=about)
        settle(me, PLACE, last, kept="Nothing was counted yet.")
        if not last.report:
            return
    report = last.report

    def remember() -> None:
        found = widget_value("compare.table.waste")["selection"]["cells"]
        if found:
            visitor().state(CompareState).group = report.groups[found[0][0]].group.key

    opened = next((one for one in report.groups if one.group.key == me.state(CompareState).group), report.groups[0])
    left, right = st.columns([2, 1], gap="large")
    with left:
        st.subheader(plain(dearest_group(report)), anchor=False)
        st.caption("Special tokens are read as text. Choose a group to see its dearest chunks.")
        alt = "What each group of content costs"
        frame(groups_table(report), "waste", picked=remember, marked=opened.group.title, alt=alt)
    with right:
        _chunks(me, shown, opened)


def _choose(me: Visitor, chosen: Sequence[ShownTokenizer]) -> tuple[Text, ShownTokenizer]:
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


def dearest_group(report: WasteReport) -> str:
    """The finding: the group with the most tokens above the average, and how many these are."""
    first = report.groups[0]
    if first.over_average <= 0:
        return "No group of content costs more than the average of the text"
    verb = "cost" if first.group.title.endswith("s") else "costs"
    more = count_of(first.over_average, "token")
    return f"{first.group.title} {verb} most: {more} more than at the text's average"


def groups_table(report: WasteReport) -> pd.DataFrame:
    """The figures of the groups. Their tokens and bytes add up to those of the text."""
    return pd.DataFrame(
        [
            {
                "group": cost.group.title,
                OVER: cost.over_average,
                "tokens": cost.tokens,
                "share of tokens": cost.tokens / report.tokens if report.tokens else 0.0,
                "bytes": cost.n_bytes,
                "bytes per token": cost.n_bytes / cost.tokens if cost.tokens else None,
                "beyond one a chunk": cost.over_one,
            }
            for cost in report.groups
        ]
    )


def _chunks(me: Visitor, shown: ShownTokenizer, cost: GroupCost) -> None:
    """Draw the chunks of a group that cost most."""
    st.subheader(plain(f"{cost.group.title}: what costs most"), anchor=False)
    st.caption(plain(f"{capital(cost.group.what)}. The chunks with the most tokens:"))
    rows = [_row(shown, one, link_name(me, shown)) for one in cost.leading[:CHUNKS]]
    card = Card("chunks", "", groups=[CardGroup(rows)], framed=False)
    show(Cards([card], across=1), key="compare.waste.chunks")


def _row(shown: ShownTokenizer, chunk: ChunkCost, called: str) -> CardRow:
    """A row of the tokens of a chunk, which lead to their cards; of the whole chunk if they cannot be told."""
    tokens = [
        Chip(chunk.data, id=shown.tokenizer.added_tokens.get(chunk.data.decode("utf-8", "replace")), called=called)
    ]
    if shown.tokenizer.has_merges and tokens[0].id is None:
        again = shown.tokenizer.explain_chunks(chunk.data, np.array([len(chunk.data)]))
        if len(again) == chunk.tokens <= PIECES:
            tokens = [Chip(token.data, id=token.id, called=called) for token in again.tokens()]
    often = f"{times(chunk.times)} {chunk.tokens:,}:" if chunk.times > 1 and chunk.tokens > 1 else ""
    return CardRow(tokens, [Quiet(often), Strong(count_of(chunk.total, "token"))])

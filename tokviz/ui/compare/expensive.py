"""Expensive places: what each kind of content in a text costs under one tokenizer, and its most expensive chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from tokviz.base.blocks import Button, Cell, Chip, Chips, Line, Quiet, Table
from tokviz.base.errors import InputError
from tokviz.base.sentences import Strong
from tokviz.base.text import Text
from tokviz.base.wording import capital, count_of, percent, rate, times
from tokviz.cost.waste import ChunkCost, WasteReport, waste_steps
from tokviz.ui.compare.folds import with_csv
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.links import link_name
from tokviz.ui.frame.progress import settle
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server import work
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Progress, Steps, Work
from tokviz.ui.tokenview.shown import show

MOST_BYTES = 20_000_000  # of a text
CHUNKS = 10  # of a group that are shown
PIECES = 24  # tokens of a chunk that are drawn apart, on two lines of a phone; a chunk of more is drawn whole


def expensive(me: Visitor, text: Text, tokenizers: Sequence[ShownTokenizer], place: str) -> None:
    """Draw the groups of content in a text, and the chunks of one of them. place: of this fold, for its work."""
    state = me.state(CompareState)
    there = {shown.key: shown for shown in tokenizers}
    if state.expensive_under not in there:
        state.expensive_under = tokenizers[0].key
    st.segmented_control(
        "Tokenizer",
        list(there),
        required=True,
        wrap=True,
        label_visibility="collapsed",
        format_func=lambda key: there[key].label,
        **bind(f"{place}.under", "expensive_under", CompareState),
    )
    shown = there[state.expensive_under]
    report = _report(me, text, shown, place)
    if report is None:
        return

    def pressed(press: Press) -> None:
        visitor().state(CompareState).group = press.value

    keys = [cost.group.key for cost in report.groups]
    at = keys.index(state.group) if state.group in keys else 0
    opened, called = report.groups[at], link_name(me, shown)
    with_csv(
        [
            Line([most_expensive_group(report)], "title"),
            Line(["Special tokens are read as text. Press a group to see its most expensive chunks."], "quiet"),
        ],
        groups_table(report, at),
        place,
        pressed,
    )
    show(
        Line([f"{opened.group.title}: what costs most"], "title"),
        Line([f"{capital(opened.group.what)}. The chunks with the most tokens:"], "quiet"),
        Table([], [_row(shown, one, called) for one in opened.leading[:CHUNKS]], "The chunks with the most tokens"),
        key=f"{place}.chunks",
    )


def _report(me: Visitor, text: Text, shown: ShownTokenizer, place: str) -> WasteReport | None:
    """What the content costs, counted as work; None until that is done."""
    about = (text.sha256, text.name, shown.key)
    last = work.of(me, place)
    if not (last and last.about == about and last.result):
        last = Work(place, about, _steps(text, shown))
        settle(me, place, last, kept="Nothing was counted yet.")
    report: WasteReport | None = last.result
    return report


def _steps(text: Text, shown: ShownTokenizer) -> Steps[WasteReport | None]:
    if text.n_bytes > MOST_BYTES:
        what = f"{text.name or 'The text'} has {text.n_bytes:,} bytes, and up to {MOST_BYTES:,} are looked at here."
        raise InputError(what, "Choose a shorter file.")
    report = None
    for step in waste_steps(text.text, shown.tokenizer):
        report = step.result
        yield Progress(f"Counting what each kind of content costs under {shown.name}", step.done, step.of)
    return report


def most_expensive_group(report: WasteReport) -> str:
    """The finding: the group with the most tokens above the average, and how many these are."""
    first = report.groups[0]
    if first.over_average <= 0:
        return "No group of content costs more than the average of the text"
    verb = "cost" if first.group.title.endswith("s") else "costs"
    more = count_of(first.over_average, "token")
    return f"{first.group.title} {verb} most: {more} more than at the text's average"


def groups_table(report: WasteReport, opened: int) -> Table:
    """The figures of the groups. Their tokens and bytes add up to those of the text."""
    titles = ["Group", "Above average", "Tokens", "Share", "Bytes", "Bytes a token", "Above one a chunk"]
    rows = [
        [
            Button("group", cost.group.key, cost.group.title),
            cost.over_average,
            cost.tokens,
            percent(cost.tokens / report.tokens) if report.tokens else None,
            cost.n_bytes,
            rate(cost.n_bytes / cost.tokens) if cost.tokens else None,
            cost.over_one,
        ]
        for cost in report.groups
    ]
    return Table(titles, rows, "What each group of content costs", marked=[opened])


def _row(shown: ShownTokenizer, chunk: ChunkCost, called: str) -> list[Cell]:
    """A row of the tokens of a chunk, which lead to their cards; of the whole chunk if they cannot be told."""
    tokens = [
        Chip(chunk.data, id=shown.tokenizer.added_tokens.get(chunk.data.decode("utf-8", "replace")), called=called)
    ]
    if shown.tokenizer.has_merges and tokens[0].id is None:
        again = shown.tokenizer.explain_chunks(chunk.data, np.array([len(chunk.data)]))
        if len(again) == chunk.tokens <= PIECES:
            tokens = [Chip(token.data, id=token.id, called=called) for token in again.tokens()]
    often = f"{times(chunk.times)} {chunk.tokens:,}:" if chunk.times > 1 and chunk.tokens > 1 else ""
    return [Chips(tokens), [Quiet(often), Strong(count_of(chunk.total, "token"))]]

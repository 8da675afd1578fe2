"""The tab Files: whole files are uploaded and counted in a thread. It draws their figures, and a map of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.base.text import Text, read_text
from tokviz.base.wording import factor, free_name
from tokviz.catalog.samples import samples
from tokviz.ui.compare import file_reasons
from tokviz.ui.compare.counted_file import IN_VIEW, FileCounts
from tokviz.ui.compare.counting import Count
from tokviz.ui.compare.figure_tables import vocabulary_in_use
from tokviz.ui.compare.minimap import looked, minimap
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame import charts
from tokviz.ui.frame.charts import Measured, names
from tokviz.ui.frame.progress import settle
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tables import draw, frame, views
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.uploads import named, repairs, uploader
from tokviz.ui.frame.widgets import bind, widget_value
from tokviz.ui.server import work
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor

PLACE = "compare.files"


def files_tab(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    """Draw the tab: the uploader, the count under way, the file in view with its map, and the figures of all files."""
    _choose(me)
    if not me.state(CompareState).files:
        return
    with st.container():  # always drawn, so that progress and notes that come and go do not move what is below
        todo = wanted(me, chosen)
        settle(me, PLACE, Count(todo, place=PLACE) if todo else None, kept="What was counted before that is kept.")
        for file in me.state(CompareState).files:
            _say_of(file, chosen)
    _show(me, chosen)


def wanted(me: Visitor, chosen: Sequence[ShownTokenizer]) -> list[tuple[FileCounts, list[ShownTokenizer]]]:
    """Each file that is not counted under all of these tokenizers, with those that are missing."""
    rows = [(file, [shown for shown in chosen if file.lacks(shown.key)]) for file in me.state(CompareState).files]
    return [(file, shown) for file, shown in rows if shown]


def _say_of(file: FileCounts, chosen: Sequence[ShownTokenizer]) -> None:
    if file.text.repaired:
        st.caption(plain(f"{file.name}: {repairs(file.text)}."))
    for shown in chosen:
        if shown.key in file.faults:
            fault = file.faults[shown.key]
            note("warn", f"{shown.name} is left out of {file.name}. {fault.what}", fault.way_out)


def _choose(me: Visitor) -> None:
    st.subheader("Whole files", anchor=False)
    st.caption(
        "The figures of files of many megabytes, and a map of the tokens per byte along each. "
        "Special tokens in a file are read as text."
    )
    state = me.state(CompareState)

    def kept() -> list[Text]:
        return [file.text for file in state.files]

    uploader(state.uploads, "One or several text files in UTF-8", "compare", partial(_put, me), kept=kept)
    if state.uploads.faults and state.files:
        st.caption(plain(f"In use: {named(kept())}."))
    with st.container(horizontal=True, vertical_alignment="center"):
        if state.files:
            st.button("Remove the files", on_click=_empty, args=(me,))
        else:
            st.button("Use the samples", on_click=_samples, args=(me,))
            st.caption("Story, code and languages, a few kilobytes each, to see what this tab shows.")


def _put(me: Visitor, texts: Sequence[Text]) -> None:
    """Replace the files. A file that was there before keeps its counts. Files with equal names are numbered."""
    known = {(file.text.sha256, file.name): file for file in me.state(CompareState).files}
    files: list[FileCounts] = []
    for text in texts:
        name = free_name(text.name, [file.name for file in files])
        files.append(known.get((text.sha256, name)) or FileCounts(replace(text, name=name)))
    me.state(CompareState).files = files
    for place in (PLACE, file_reasons.PLACE):
        work.forget(me, place)


def _samples(me: Visitor) -> None:
    _put(me, [read_text(row.text.encode(), row.title) for row in samples() if row.kind != "short"])


def _empty(me: Visitor) -> None:
    _put(me, [])
    me.state(CompareState).uploads.empty()


def counted_files(file: FileCounts, chosen: Sequence[ShownTokenizer]) -> Measured:
    """The tallies of a file under those tokenizers that it has been counted under."""
    return [(shown, file.tallies[shown.key]) for shown in chosen if shown.key in file.tallies]


def files_table(files: Sequence[FileCounts], chosen: Sequence[ShownTokenizer]) -> pd.DataFrame:
    """The figures of all files under all tokenizers, as far as they are counted."""
    titles = names([(shown, None) for shown in chosen])
    rows: list[dict[str, Any]] = [
        {
            "file": file.name,
            "tokenizer": titles[shown.key],
            "bytes": tally.bytes,
            "tokens": tally.tokens,
            "bytes per token": tally.bytes_per_token,
            "characters per token": tally.characters_per_token,
            "tokens per word": tally.tokens_per_word,
            "single-byte tokens": tally.single_byte_share,
            "vocabulary in use": vocabulary_in_use(shown, tally),
        }
        for file in files
        for shown, tally in counted_files(file, chosen)
    ]
    return pd.DataFrame(rows)


def _show(me: Visitor, chosen: Sequence[ShownTokenizer]) -> None:
    state = me.state(CompareState)
    table = files_table(state.files, chosen)
    if table.empty:
        return
    by_name = {file.name: file for file in state.files}
    if state.file not in by_name:
        state.file, state.byte = state.files[0].name, 0
    if len(by_name) > 1:
        st.selectbox("File in view", list(by_name), **bind("compare.file", "file", CompareState))
    file = by_name[state.file or state.files[0].name]
    rows = counted_files(file, chosen)
    if rows:
        here = min(state.byte or 0, file.text.n_bytes - 1)
        key = f"compare.minimap.{file.text.sha256[:12]}"

        def look() -> None:
            place = looked(widget_value(key), file.text.n_bytes)
            if place is not None:
                visitor().state(CompareState).byte = place

        st.subheader(plain(uneven(file, rows)), anchor=False)
        st.caption("Tokens per byte along the file; higher is more tokens")
        width = file.text.n_bytes / file.stretches
        of_rows = [(shown, (file.density[shown.key] / width).tolist()) for shown, _ in rows]
        minimap(
            of_rows, name=file.name, n_bytes=file.text.n_bytes, at=here, window=IN_VIEW, key=key, on_looked_change=look
        )
        pieces = [(shown, file.near(shown.key, shown.tokenizer, here)) for shown, _ in rows]
        views(pieces, f"compare.near.{file.text.sha256[:12]}", {shown.key: tally for shown, tally in rows})
        draw(charts.compression(rows, file.name))
        file_reasons.reasons(me, file, chosen)
    st.subheader("Figures of all files", anchor=False)
    st.caption("Each file as a whole")
    frame(table, "files")


def uneven(file: FileCounts, rows: Measured) -> str:
    """The finding: where the file has the most tokens per byte, and how many times its average that is.

    >>> import tokviz
    >>> text = read_text(b"the cat sat on the mat. " * 100 + b"0123456789" * 40, "notes.txt")
    >>> shown, file = ShownTokenizer("gpt2", "GPT-2", "gpt2", None), FileCounts(text)
    >>> _ = list(Count([(file, [shown])], place=PLACE).slices())
    >>> uneven(file, counted_files(file, [shown]))
    'notes.txt takes 1.6 times as many tokens at byte 2,403 as on average, under GPT-2'
    """
    worst = None
    for shown, tally in rows:
        density = file.density[shown.key]
        mean = tally.tokens / len(density)
        most = int(density.argmax())
        times = float(density[most]) / mean if mean else 0.0
        if worst is None or times > worst[0]:
            worst = (times, most * file.text.n_bytes // len(density), shown.name)
    if worst is None or worst[0] < 1.5:
        return "The tokens per byte are about the same in the whole file"
    times, place, name = worst
    return f"{file.name} takes {factor(times)} times as many tokens at byte {place:,} as on average, under {name}"

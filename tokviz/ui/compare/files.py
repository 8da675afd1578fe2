"""The tab Files: whole files are uploaded and counted in a thread. It draws their figures, and a map of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from tokviz.base.blocks import Line
from tokviz.base.text import Text, read_text
from tokviz.base.wording import factor, free_name
from tokviz.catalog.samples import samples
from tokviz.offline.data import glyph
from tokviz.ui.compare import file_reasons
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.compare.counting import count_files
from tokviz.ui.compare.expensive import expensive
from tokviz.ui.compare.figure_tables import Counted, Measured, all_figures, figures_table
from tokviz.ui.compare.folds import fold, side_by_side
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.trained_on import trained_on
from tokviz.ui.frame.progress import settle
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tables import csv_button
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.uploads import named, repairs, uploader
from tokviz.ui.frame.widgets import bind, widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.kit.served import component
from tokviz.ui.server import work
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokenview.choosing import Chosen
from tokviz.ui.tokenview.shown import show

PLACE = "compare.files"
_map = component("minimap", "compare/minimap.js", "compare/minimap.css")


def files_tab(me: Visitor, chosen: Sequence[Chosen], tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw the tab: the uploader, the count under way, the figures of all files, and the file in view with its map."""
    _choose(me)
    files = me.state(CompareState).files
    if files:
        with st.container():  # always drawn, so that progress and notes that come and go do not move what is below
            todo = wanted(me, tokenizers)
            count = Work(PLACE, None, count_files(todo)) if todo else None
            settle(me, PLACE, count, kept="What was counted before that is kept.")
            for file in files:
                _say_of(file, tokenizers)
        _figures(files, chosen)
        _in_view(me, tokenizers)
    fold("Trained on, tested on", "trained_on", lambda: trained_on(me, tokenizers))


def wanted(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> list[tuple[FileCounts, list[ShownTokenizer]]]:
    """Each file that is not counted under all of these tokenizers, with those that are missing."""
    rows = [(file, [one for one in tokenizers if file.lacks(one.key)]) for file in me.state(CompareState).files]
    return [(file, missing) for file, missing in rows if missing]


def _say_of(file: FileCounts, tokenizers: Sequence[ShownTokenizer]) -> None:
    if file.text.repaired:
        st.caption(plain(f"{file.name}: {repairs(file.text)}."))
    for shown in tokenizers:
        if shown.key in file.faults:
            fault = file.faults[shown.key]
            note("warn", f"{shown.name} is left out of {file.name}. {fault.what}", fault.way_out)


def _choose(me: Visitor) -> None:
    st.caption(
        "Choose text files, also of many megabytes, to see their figures and a map of the tokens per byte along each. "
        "Special tokens in a file are read as text."
    )
    state = me.state(CompareState)
    uploader(state.uploads, "One or several text files in UTF-8", "compare", partial(_put, me))
    if state.uploads.faults and state.files:
        st.caption(plain(f"In use: {named([file.text for file in state.files])}."))
    if state.files:
        st.button("Remove the files", on_click=_empty, args=(me,))
    else:
        st.button("Use the samples", on_click=_samples, args=(me,), help="Story, code and languages")


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


def _figures(files: Sequence[FileCounts], chosen: Sequence[Chosen]) -> None:
    """Draw the figures of all files, as far as they are counted."""
    rows = [
        Counted(one, file.tallies[one.shown.key], file.name)
        for file in files
        for one in chosen
        if one.shown.key in file.tallies
    ]
    if rows:
        show(figures_table(rows, "Figures of all files"), key="compare.files.figures")
        csv_button("CSV", lambda: all_figures(rows), "files", "compare.files.csv")


def counted_under(file: FileCounts, tokenizers: Sequence[ShownTokenizer]) -> Measured:
    """The tallies of a file under those tokenizers that it has been counted under."""
    return [(shown, file.tallies[shown.key]) for shown in tokenizers if shown.key in file.tallies]


def _in_view(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw the file in view: its map, the tokens at a place of it, why tokenizers differ, and its expensive places."""
    state = me.state(CompareState)
    by_name = {file.name: file for file in state.files}
    if state.file not in by_name:
        state.file, state.byte = state.files[0].name, 0
    if len(by_name) > 1:
        st.selectbox("File in view", list(by_name), width=300, **bind("compare.file", "file", CompareState))
    file = by_name[state.file or state.files[0].name]
    rows = counted_under(file, tokenizers)
    if not rows:
        return
    here = min(state.byte or 0, file.text.n_bytes - 1)
    key = f"compare.minimap.{file.text.sha256[:12]}"

    def look() -> None:
        place = looked(widget_value(key), file.text.n_bytes)
        if place is not None:
            visitor().state(CompareState).byte = place

    show(
        Line([uneven(file, rows)], "title"),
        Line(["Tokens per byte along the file; higher is more tokens"], "quiet"),
        key="compare.files.uneven",
    )
    width = file.text.n_bytes / file.stretches
    drawn = [
        {
            "name": shown.name,
            "series": shown.series,
            "glyph": glyph(shown.series),
            "values": (file.density[shown.key] / width).round(4).tolist(),
        }
        for shown, _ in rows
    ]
    data = {"name": file.name, "bytes": file.text.n_bytes, "at": here, "rows": drawn}
    _map(key=key, data=data, on_looked_change=look)
    side_by_side([(shown, file.near(shown.key, shown.tokenizer, here)) for shown, _ in rows], "compare.near")
    file_reasons.reasons(me, file, tokenizers)
    under = [shown for shown, _ in rows]
    fold("Expensive places", "expensive_in_file", lambda: expensive(me, file.text, under, "expensive-places-in-file"))


def looked(value: Any, n_bytes: int) -> int | None:
    """The byte to go to, from the map's value; None if there is none, or if it lies outside the file."""
    place = heard(value, "looked", int)
    return place if place is not None and 0 <= place < n_bytes else None


def uneven(file: FileCounts, rows: Measured) -> str:
    """The finding: where the file has the most tokens per byte, and how many times its average that is.

    >>> import tokviz
    >>> text = read_text(b"the cat sat on the mat. " * 100 + b"0123456789" * 40, "notes.txt")
    >>> shown, file = ShownTokenizer("gpt2", "GPT-2", "gpt2", None), FileCounts(text)
    >>> _ = list(count_files([(file, [shown])]))
    >>> uneven(file, counted_under(file, [shown]))
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

"""The corpus a visitor trains on: files of their own, or a sample."""

from __future__ import annotations

import streamlit as st

from tokviz.errors import InputError, TokvizError
from tokviz.samples import sample, samples
from tokviz.text import Text, read_text
from tokviz.ui.frame import shell
from tokviz.ui.frame.shell import plain
from tokviz.ui.visitors.visitor import Visitor, bind, widget_value

UPLOAD_MB = 100


def chosen(me: Visitor) -> tuple[str, list[Text]]:
    """The name of the corpus, and its texts: what was uploaded, else the sample."""
    if me.corpus:
        first, more = me.corpus[0].name.rsplit(".", 1)[0], len(me.corpus) - 1
        return (f"{first} and {more} more" if more else first), me.corpus
    row = sample(me.settings.sample)
    return row.title, [read_text(row.text.encode(), row.title)]


def choose(me: Visitor) -> None:
    """Draw the uploader and what stands in it, or the samples."""
    files, repair = f"train.files.{me.uploads}", f"train.repair.{me.uploads}"
    st.file_uploader(
        f"Corpus: one or several UTF-8 text files, up to {UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=UPLOAD_MB,
        key=files,
        on_change=_take,
        args=(me, files, repair),
    )
    for fault in me.faults:
        shell.say(InputError(fault))
    if any("UTF-8" in fault for fault in me.faults):
        label = "Read it with the faults replaced by U+FFFD"
        st.checkbox(label, key=repair, on_change=_take, args=(me, files, repair))
    for text in me.corpus:
        state = f"{text.repaired:,} faults replaced" if text.repaired else "valid UTF-8"
        mark = ", byte order mark taken off" if text.bom else ""
        lines = text.text.count("\n") + 1
        st.markdown(f":small[**{plain(text.name)}** :gray[· {text.n_bytes:,} bytes · {lines:,} lines · {state}{mark}]]")
    if me.corpus:
        st.button("Use a sample instead", on_click=_empty, args=(me,))
    else:
        titles = {row.key: row.title for row in samples()}
        bound = bind("train.sample", "settings.sample")
        st.selectbox("Or a sample", list(titles), format_func=lambda key: titles[key], **bound)


def _take(me: Visitor, key: str, repair_key: str) -> None:
    """Read what was uploaded. A file that cannot be read is named; the others, and what was there before, stay."""
    texts, me.faults = [], []
    for file in widget_value(key):
        try:
            text = read_text(file.getvalue(), file.name, repair=bool(widget_value(repair_key)))
        except TokvizError as fault:
            me.faults.append(str(fault))
            continue
        if text.n_bytes:
            texts.append(text)
        else:
            me.faults.append(f"{file.name} is empty. Choose a file with some text in it.")
    if texts or not me.faults:
        me.corpus = texts


def _empty(me: Visitor) -> None:
    me.corpus, me.faults, me.uploads = [], [], me.uploads + 1

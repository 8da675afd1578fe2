"""The corpus of the Train page: uploaded files or a sample."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.samples import sample, samples
from tokviz.text import Text, read_text
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import bind
from tokviz.ui.train.state import TrainState
from tokviz.ui.uploads import uploader
from tokviz.ui.visitors.visitor import Visitor


def corpus_of(me: Visitor) -> tuple[str, list[Text]]:
    """The name of the corpus, and its texts: the uploaded files, or the chosen sample if there are none."""
    if me.corpus:
        first, more = me.corpus[0].name.rsplit(".", 1)[0], len(me.corpus) - 1
        return (f"{first} and {more} more" if more else first), me.corpus
    row = sample(me.state(TrainState).settings.sample)
    return row.title, [read_text(row.text.encode(), row.title)]


def choose_corpus(me: Visitor) -> None:
    """Draw the uploader, and below it the uploaded files or the choice of a sample."""
    uploader(me.state(TrainState).uploads, "Corpus: one or several UTF-8 text files", "train", partial(_take, me))
    for text in me.corpus:
        state = f"{text.repaired:,} faults replaced" if text.repaired else "valid UTF-8"
        mark = ", byte order mark removed" if text.bom else ""
        lines = text.text.count("\n") + 1
        st.markdown(f":small[**{plain(text.name)}** :gray[· {text.n_bytes:,} bytes · {lines:,} lines · {state}{mark}]]")
    if me.corpus:
        st.button("Use a sample instead", on_click=_use_a_sample, args=(me,))
    else:
        titles = {row.key: row.title for row in samples()}
        bound = bind("train.sample", "settings.sample", TrainState)
        st.selectbox("Or a sample", list(titles), format_func=lambda key: titles[key], **bound)


def _take(me: Visitor, texts: list[Text]) -> None:
    me.corpus = texts


def _use_a_sample(me: Visitor) -> None:
    me.corpus = []
    me.state(TrainState).uploads.empty()

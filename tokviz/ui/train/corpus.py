"""The corpus of the Train page: uploaded files, or a sample. There is none before a file is uploaded.

A corpus that is written is in write.py.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import NamedTuple

import regex
import streamlit as st

from tokviz.base.text import Text, read_text
from tokviz.base.wording import count_of
from tokviz.catalog.samples import sample, samples
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.uploads import repairs, uploader
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.state import TrainState

LISTED = 4  # files that are listed; of more, only the number is shown
SHORT = 16  # letters of a corpus's name that go into the name of its tokenizer


class Corpus(NamedTuple):
    """A corpus. name: in sentences. short: in the name of a tokenizer that is trained on it."""

    name: str
    short: str
    texts: list[Text]

    @property
    def n_bytes(self) -> int:
        """The length of all texts in UTF-8."""
        return sum(text.n_bytes for text in self.texts)


def chosen_corpus(me: Visitor) -> Corpus | None:
    """The uploaded files, or the sample that the visitor chose; None if they uploaded nothing yet."""
    state = me.state(TrainState)
    if state.way == "sample":
        return sample_corpus(state.settings.sample)
    if not me.corpus:
        return None
    first, more = PurePath(me.corpus[0].name).stem, len(me.corpus) - 1
    return Corpus(f"{first} and {more:,} more" if more else first, _first_letters(first, SHORT), me.corpus)


def _first_letters(name: str, n: int) -> str:
    """The first n letters of a name, each with its marks and joined emoji.

    >>> _first_letters("Moby-Dick; or, The Whale", 13)
    'Moby-Dick; or'
    """
    return "".join(regex.findall(r"\X", name)[:n]).rstrip(" ,;.-_")


def sample_corpus(key: str) -> Corpus:
    """A sample as a corpus."""
    row = sample(key)
    return Corpus(row.title, key.capitalize(), [read_text(row.text.encode(), row.title)])


def choose_corpus(me: Visitor) -> None:
    """Draw the uploader and the uploaded files, or the choice of a sample."""
    state = me.state(TrainState)
    if state.way == "sample":
        _choose_sample()
        return
    uploader(state.uploads, "Text: files in UTF-8", "train", partial(setattr, me, "corpus"))
    lead = "In use: " if state.uploads.faults else ""
    for text in me.corpus[:LISTED]:
        faults = repairs(text) or "valid UTF-8"
        size = count_of(text.n_bytes, "byte")
        mark = ", byte order mark removed" if text.bom else ""
        lines = count_of(text.text.count("\n") + 1, "line")
        st.markdown(f":small[{lead}**{plain(text.name)}** :gray[· {size} · {lines} · {faults}{mark}]]")
    if len(me.corpus) > LISTED:
        st.caption(f"and {len(me.corpus) - LISTED:,} more files")


def _choose_sample() -> None:
    titles = {row.key: row.title for row in samples()}
    st.selectbox(
        "Text: a sample",
        list(titles),
        format_func=titles.__getitem__,
        **bind("train.sample", "settings.sample", TrainState),
    )

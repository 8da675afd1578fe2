"""The corpus of the part "splits": a bundled sample, the text of the Tokens page, the corpus of Train, or a file."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import streamlit as st

from tokviz.samples import samples
from tokviz.ui.frame.widgets import bind
from tokviz.ui.uploads import named
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import SAMPLE

DEFAULT = "sample.code"


class SplitCorpus(NamedTuple):
    """A corpus. key: differs from that of any other corpus."""

    key: Hashable
    texts: tuple[str, ...]


def corpus_places(me: Visitor) -> dict[str, str]:
    """What the visitor can choose: place -> how the choice shows it. The last is a file, which may be yet to come."""
    there = {SAMPLE + sample.key: sample.title for sample in samples()}
    there["text"] = "Your text on Tokens"
    if me.corpus:
        there["corpus"] = f"{named(me.corpus)}, from Train"
    return {**there, "file": "A file…"}


def choose_corpus(me: Visitor) -> None:
    """Draw the choice."""
    there, settings = corpus_places(me), me.state(VocabularyState).splits
    if settings.corpus not in there:  # the corpus of Train is gone
        settings.corpus = DEFAULT
    st.selectbox(
        "Corpus",
        list(there),
        format_func=lambda place: f"Corpus: {there[place]}",
        label_visibility="collapsed",
        width=300,
        **bind("vocabulary.splits.corpus", "splits.corpus", VocabularyState, typed=False),
    )


def split_corpus(me: Visitor) -> SplitCorpus | None:
    """The corpus that the visitor chose; None as long as the file is not here."""
    state = me.state(VocabularyState)
    place = state.splits.corpus
    if place == "file":
        file = state.use_file
        return SplitCorpus(("file", file.sha256), (file.text,)) if file else None
    if place == "corpus":
        return SplitCorpus(tuple(text.sha256 for text in me.corpus), tuple(text.text for text in me.corpus))
    if place == "text":
        return SplitCorpus(("text", me.text), (me.text,))
    return next(SplitCorpus(place, (sample.text,)) for sample in samples() if SAMPLE + sample.key == place)

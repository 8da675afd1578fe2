"""A tokenizer whose corpus is missing: ask for its texts, check them, and train on them again."""

from __future__ import annotations

import threading
from functools import partial

import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.base.text import Text, read_text
from tokviz.catalog.samples import samples
from tokviz.training.again import train_again
from tokviz.training.train import Training
from tokviz.ui.frame.progress import ended, progress
from tokviz.ui.frame.say import note
from tokviz.ui.frame.training import told
from tokviz.ui.frame.uploads import uploader
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server import work
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.server.work import Work

PLACE = "corpus"


def corpus_again(me: Visitor, mine: Mine) -> None:
    """Draw which corpus is missing and an uploader for it, or the progress of the training that runs on it again.

    mine: a tokenizer of the visitor's own that has no training.
    """
    last = work.of(me, PLACE)
    if last and last.about == mine.key:
        if not last.over:
            progress(me, last)
            return
        ended(last)
    origin = mine.tokenizer.origin
    missing = f"The corpus of “{mine.name}” is not here."
    if origin.counted or not origin.sums:
        why = f"It was trained on {origin.words}." if origin.counted else "Its file does not name its texts."
        note("info", missing, f"{why} Its list and curves are here; windows, candidates and what-ifs need the texts.")
        return
    way_out = "Upload it again to get its windows, candidates and what-ifs back. It is checked by its sha256."
    note("info", missing, way_out)
    names = [row.name for row in origin.named] or ["all texts together"]
    st.text("\n".join(f"{sum}  {name}" for name, sum in zip(names, origin.sums, strict=False)))
    key, uploads = f"replay.corpus.{mine.key}", me.state(ReplayState).uploads
    found = _at_hand(me, origin.sums)
    if found:
        st.button("**Use it from here**", on_click=_begin, args=(me, mine, found), key=f"replay.corpus.here.{mine.key}")
    take, label = partial(_take, me, mine), "Its corpus: the same files"
    uploader(uploads, label, key, take, always_repair=True)


def _at_hand(me: Visitor, wanted: list[str]) -> list[Text] | None:
    """The texts with these sums, if all are on the Train page or among the samples; None if one is missing."""
    known = {text.sha256: text for text in (read_text(row.text.encode(), row.title) for row in samples())}
    known |= {text.sha256: text for text in me.corpus}
    return [known[sum] for sum in wanted] if all(sum in known for sum in wanted) else None


def _take(me: Visitor, mine: Mine, texts: list[Text]) -> None:
    """Train again on the uploaded texts, put into the order of the first training."""
    if not texts:  # the last file was removed
        return
    places = {sum: place for place, sum in enumerate(mine.tokenizer.origin.sums)}
    _begin(me, mine, sorted(texts, key=lambda text: places.get(text.sha256, len(places))))


def _begin(me: Visitor, mine: Mine, texts: list[Text]) -> None:
    uploads = me.state(ReplayState).uploads

    def take(_: Visitor, training: Training) -> None:
        mine.training = training
        uploads.empty()

    stop = threading.Event()
    try:
        steps = told(train_again(mine.tokenizer, texts, stop.is_set))
        again = Work(PLACE, mine.key, steps, take, texts, stop, needs_kernels=False)
        work.start(me, again)
    except TokvizError as fault:
        uploads.faults = [*uploads.faults, fault.without_frames()]
        return
    again.done_soon()

"""A tokenizer without its corpus: the corpus asked for again, known by its sums, and its training made once more."""

from __future__ import annotations

import threading
from functools import partial

import streamlit as st

from tokviz.corpus_match import named_texts, refuse_other_texts, sums, train_again
from tokviz.errors import TokvizError
from tokviz.samples import samples
from tokviz.text import Text, read_text
from tokviz.ui.frame.say import note, say
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.uploads import uploader
from tokviz.ui.visitors.visitor import Mine, Visitor
from tokviz.ui.work import training as trainings
from tokviz.ui.work.progress import progress

PLACE = "corpus"


def corpus_again(me: Visitor, mine: Mine) -> None:
    """Draw what is missing and the way to bring it; while the training is made again, its progress."""
    job = trainings.of(me, PLACE)
    here = job if job and job.name == mine.key else None
    if here and not here.done.is_set():
        progress(me, here)
        return
    if here and here.error:
        say(here.error)
    elif here and here.failed:
        say(RuntimeError())
    wanted, names = sums(mine.tokenizer), named_texts(mine.tokenizer)
    if not wanted:
        note(
            "info",
            f"The corpus of “{mine.name}” is not known.",
            "Its file does not say which texts it was trained on, so none can be known to be its own. Ledger and "
            "curve are all there is; a tokenizer trained here keeps its corpus.",
        )
        return
    note(
        "info",
        f"The corpus of “{mine.name}” is not here.",
        "Bring it again, and its windows, candidates and what-ifs are back. It is known by its sha256.",
    )
    st.text("\n".join(f"{sum}  {name}" for name, sum in zip(names or ["all texts together"], wanted, strict=False)))
    found = _at_hand(me, wanted)
    if found:
        st.button("**Use it from here**", on_click=_begin, args=(me, mine, found), key=f"replay.corpus.here.{mine.key}")
    key, uploads = f"replay.corpus.{mine.key}", me.state(ReplayState).uploads
    uploader(uploads, "Its corpus: the same files", key, partial(_take, me, mine), always_repair=True)


def _at_hand(me: Visitor, wanted: list[str]) -> list[Text] | None:
    """The texts, where they are all on the Train page or among the samples; None if one is not."""
    known = {text.sha256: text for text in (read_text(row.text.encode(), row.title) for row in samples())}
    known |= {text.sha256: text for text in me.corpus}
    return [known[sum] for sum in wanted] if all(sum in known for sum in wanted) else None


def _take(me: Visitor, mine: Mine, texts: list[Text]) -> None:
    """Train again on what was uploaded, in whatever order the files were chosen."""
    places = {sum: place for place, sum in enumerate(sums(mine.tokenizer))}
    _begin(me, mine, sorted(texts, key=lambda text: places.get(text.sha256, len(places))))


def _begin(me: Visitor, mine: Mine, texts: list[Text]) -> None:
    def take(person: Visitor, job: trainings.TrainingWork) -> None:
        mine.training = job.training
        job.training = job.progress = None

    uploads = me.state(ReplayState).uploads
    uploads.faults = []
    stop = threading.Event()
    try:
        refuse_other_texts(mine.tokenizer, texts)
        steps = train_again(mine.tokenizer, texts, stop.is_set)
    except TokvizError as fault:
        uploads.faults = [fault]
        return
    job = trainings.TrainingWork(mine.key, mine.corpus_name, steps, place=PLACE, take=take, stop=stop)
    trainings.start(me, job)
    job.done.wait(trainings.AT_ONCE_S)

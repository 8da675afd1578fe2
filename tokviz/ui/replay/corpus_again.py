"""A tokenizer without its corpus: the corpus asked for again, known by its sums, and its training made once more."""

from __future__ import annotations

import threading

import streamlit as st

from tokviz.errors import TokvizError
from tokviz.origin import named_texts, refuse_other_texts, sums, train_again
from tokviz.samples import samples
from tokviz.text import Text, read_text
from tokviz.ui.frame import shell
from tokviz.ui.train.corpus import UPLOAD_MB
from tokviz.ui.visitors.visitor import Mine, Visitor, kept_in_session, widget_value
from tokviz.ui.work import training as jobs
from tokviz.ui.work.progress import progress

PLACE = "corpus"


def corpus_again(me: Visitor, mine: Mine) -> None:
    """Draw what is missing and the way to bring it; while the training is made again, its progress."""
    job = jobs.of(me, PLACE)
    here = job if job and job.name == mine.key else None
    if here and not here.done.is_set():
        progress(me, here)
        return
    if here and here.error:
        shell.say(here.error)
    elif here and here.failed:
        shell.say(RuntimeError())
    wanted, names = sums(mine.tokenizer), named_texts(mine.tokenizer)
    if not wanted:
        shell.note(
            "info",
            f"The corpus of “{mine.name}” is not known.",
            "Its file does not say which texts it was trained on, so none can be known to be its own. Ledger and "
            "curve are all there is; a tokenizer trained here keeps its corpus.",
        )
        return
    shell.note(
        "info",
        f"The corpus of “{mine.name}” is not here.",
        "Bring it again, and its windows, candidates and what-ifs are back. It is known by its sha256.",
    )
    st.text("\n".join(f"{sum}  {name}" for name, sum in zip(names or ["all texts together"], wanted, strict=False)))
    found = _at_hand(me, wanted)
    if found:
        st.button("**Use it from here**", on_click=_begin, args=(me, mine, found), key=f"replay.corpus.here.{mine.key}")
    key = f"replay.corpus.{mine.key}"
    st.file_uploader(
        f"Its corpus: the very files, up to {UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=UPLOAD_MB,
        key=key,
        on_change=_take,
        args=(me, mine, key),
    )
    trouble = kept_in_session(PLACE).get("trouble")
    if trouble:
        shell.say(trouble)


def _at_hand(me: Visitor, wanted: list[str]) -> list[Text] | None:
    """The texts, where they are all on the Train page or among the samples; None if one is not."""
    known = {text.sha256: text for text in (read_text(row.text.encode(), row.title) for row in samples())}
    known |= {text.sha256: text for text in me.corpus}
    return [known[sum] for sum in wanted] if all(sum in known for sum in wanted) else None


def _take(me: Visitor, mine: Mine, key: str) -> None:
    """Read what was brought. A file that had to be repaired has the same sum still, and is repaired again."""
    texts = [read_text(file.getvalue(), file.name, repair=True) for file in widget_value(key) or []]
    if texts:
        places = {sum: place for place, sum in enumerate(sums(mine.tokenizer))}
        texts.sort(key=lambda text: places.get(text.sha256, len(places)))  # in whatever order they were chosen
        _begin(me, mine, texts)


def _begin(me: Visitor, mine: Mine, texts: list[Text]) -> None:
    def take(person: Visitor, job: jobs.Job) -> None:
        mine.training = job.training
        job.training = job.progress = None

    kept = kept_in_session(PLACE)
    kept["trouble"] = None
    stop = threading.Event()
    try:
        refuse_other_texts(mine.tokenizer, texts)
        steps = train_again(mine.tokenizer, texts, stop.is_set)
    except TokvizError as fault:
        kept["trouble"] = fault
        return
    job = jobs.Job(mine.key, mine.corpus_name, steps, place=PLACE, take=take, stop=stop)
    jobs.start(me, job)
    job.done.wait(jobs.AT_ONCE_S)

"""Train: a corpus and six settings in, a tokenizer of one's own out."""

import functools
import threading
import time
from collections.abc import Callable

import streamlit as st

from tokviz import library
from tokviz.corpus import UNCUT_LIMIT
from tokviz.errors import SettingError, TokvizError
from tokviz.samples import sample, samples
from tokviz.specials import check_special_tokens
from tokviz.split import PATTERNS, check_pattern
from tokviz.text import Text, read_text
from tokviz.tokenizer import Tokenizer
from tokviz.training import VOCAB_LIMIT, Tie, Training, train, train_steps
from tokviz.ui import jobs, shell
from tokviz.ui.components.note import note
from tokviz.ui.components.trained import foretaste, trained
from tokviz.ui.shell import plain
from tokviz.ui.state import Mine, bind, shared, visitor, widget_value

UPLOAD_MB = 100
FORETASTE_CHARACTERS = 20_000
FORETASTE_SIZE = 512  # tokens
CUSTOM = "custom"
TIES = {"first": "first in the corpus", "lowest": "lowest ids", "hf": "as Hugging Face does"}
STOPPED = {
    "size": "vocabulary size",
    "no_pairs": "no pair left",
    "min_count": "least pair count",
    "cancelled": "cancel",
}

shell.enter()
shell.head("Train", "Train a byte-level BPE tokenizer on your own text. It joins the others on every page.")
me = visitor()


def corpus() -> tuple[str, list[Text]]:
    """The name of the corpus, and its texts: what was uploaded, else the sample."""
    if me.corpus:
        return me.corpus[0].name.rsplit(".", 1)[0], me.corpus
    chosen = sample(me.settings.sample)
    return chosen.title, [read_text(chosen.text.encode(), chosen.title)]


def take_files(key: str, repair_key: str) -> None:
    """Read what was uploaded; a file that cannot be read is named, and leaves the others as they are."""
    texts, me.faults = [], []
    repair = bool(widget_value(repair_key))
    for file in widget_value(key):
        try:
            text = read_text(file.getvalue(), file.name, repair)
        except TokvizError as fault:
            me.faults.append(str(fault))
            continue
        if text.n_bytes:
            texts.append(text)
        else:
            me.faults.append(f"{file.name} is empty. Choose a file with some text in it.")
    me.corpus = texts


def empty_uploader() -> None:
    me.corpus, me.faults, me.uploads = [], [], me.uploads + 1


def choose_corpus() -> None:
    files, repair = f"train.files.{me.uploads}", f"train.repair.{me.uploads}"
    st.file_uploader(
        f"Corpus: one or several UTF-8 text files, up to {UPLOAD_MB} MB",
        accept_multiple_files=True,
        max_upload_size=UPLOAD_MB,
        key=files,
        on_change=take_files,
        args=(files, repair),
    )
    for fault in me.faults:
        what, _, way_out = fault.partition(". ")
        note("bad", f"{what}.", way_out)
    if any("UTF-8" in fault for fault in me.faults):
        st.checkbox(
            "Read it with the faults replaced by U+FFFD", key=repair, on_change=take_files, args=(files, repair)
        )
    if me.corpus:
        for text in me.corpus:
            state = f"{text.repaired:,} faults replaced" if text.repaired else "valid UTF-8"
            mark = ", byte order mark taken off" if text.bom else ""
            lines = text.text.count("\n") + 1
            st.markdown(
                f":small[**{plain(text.name)}** :gray[· {text.n_bytes:,} bytes · {lines:,} lines · {state}{mark}]]"
            )
        st.button("Use a sample instead", on_click=empty_uploader)
    else:
        titles = {row.key: row.title for row in samples()}
        st.selectbox(
            "Or a sample", list(titles), format_func=lambda key: titles[key], **bind("train.sample", "settings.sample")
        )


def choose_settings() -> list[str]:
    """The six settings; what is wrong with them, each in a sentence."""
    faults = []
    settings = me.settings
    st.number_input("Vocabulary size", step=256, **bind("train.size", "settings.vocab_size"))
    if 256 <= settings.vocab_size <= VOCAB_LIMIT:
        st.caption(f"256 bytes + {settings.vocab_size - 256:,} merges. Special tokens come on top.")
    else:
        faults.append(
            f"The vocabulary size {settings.vocab_size:,} is out of range. The 256 bytes are always in it, and "
            f"{VOCAB_LIMIT:,} is the limit."
        )
    st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **bind("train.pattern", "settings.pattern"))
    if settings.pattern == CUSTOM:
        st.text_input("Your split pattern, a regular expression", **bind("train.custom", "settings.custom"))
        st.caption(r"In the syntax of the regex package. It has to cover the text: end it with `|[\s\S]`.")
        try:
            check_pattern(settings.custom)
        except TokvizError as fault:
            faults.append(str(fault))
    else:
        st.caption(plain(PATTERNS[settings.pattern].summary))
    left, right = st.columns(2)
    left.selectbox("When pairs tie", list(TIES), format_func=lambda key: TIES[key], **bind("train.tie", "settings.tie"))
    right.number_input("Least pair count", min_value=1, step=1, **bind("train.least", "settings.min_count"))
    st.text_area(
        "Special tokens, one a line",
        height=80,
        placeholder="<|endoftext|>",
        **bind("train.special", "settings.special"),
    )
    try:
        check_special_tokens(special_tokens())
    except TokvizError as fault:
        faults.append(str(fault))
    return faults


def special_tokens() -> list[str]:
    return [line for line in me.settings.special.splitlines() if line]


def pattern() -> str:
    return me.settings.custom if me.settings.pattern == CUSTOM else me.settings.pattern


def begin() -> None:
    name, texts = corpus()
    stop = threading.Event()
    title = f"{name} {me.settings.vocab_size:,}"
    steps = train_steps(
        texts,
        me.settings.vocab_size,
        pattern(),
        special_tokens(),
        me.settings.tie,
        me.settings.min_count,
        name=title,
        cancel=stop.is_set,
    )
    jobs.start(me, jobs.Job(title, name, steps, stop=stop))


@functools.cache
def pace() -> float:
    """How long this machine takes for a small training, against the one the estimate was measured on (14 ms)."""
    text = sample("story").text
    begun = time.perf_counter()
    train(text, 512)
    return (time.perf_counter() - begun) / 0.014


def estimate(texts: list[Text]) -> tuple[str, str]:
    """How long the training should take, in words, and what stands against it."""
    size = sum(text.n_bytes for text in texts)
    uncut = me.settings.pattern == "none"
    if uncut and max((text.n_bytes for text in texts), default=0) > UNCUT_LIMIT:
        return (
            "",
            f"Without a split pattern a text may have {UNCUT_LIMIT:,} bytes. Choose a pattern, or a shorter text.",
        )
    merges = max(me.settings.vocab_size - 256, 0)
    seconds = pace() * ((1.5e-6 if uncut else 0.3e-6) * size + 20e-6 * min(merges, size))
    words = (
        "under a second"
        if seconds < 1
        else f"about {seconds:.0f} s"
        if seconds < 90
        else f"about {seconds / 60:.0f} minutes"
    )
    return f"{size:,} bytes, {words} on this machine", ""


@st.fragment(run_every=0.25)
def progress(job: jobs.Job) -> None:
    if job.done.is_set():
        st.rerun()
    at = job.progress
    with st.container(border=True):
        title, button = st.columns([4, 1], vertical_alignment="center")
        if button.button("Cancel", width="stretch"):
            jobs.cancel(me)
        if job.stop.is_set():
            title.subheader("Cancelling", anchor=False)
        elif job.preparing:
            title.subheader("Preparing the trainer", anchor=False)
        elif at is None or job.begun is None:
            title.subheader("Waiting for its turn" if job.begun is None else "Reading the corpus", anchor=False)
        elif at.stage == "count":
            title.subheader(f"Cutting the corpus: {at.done:,} of {at.of:,} bytes", anchor=False)
        else:
            title.subheader(f"Training: merge {at.done:,} of {at.of:,}", anchor=False)
        share = at.done / at.of if at and at.of else 0.0
        left = job.seconds_left
        st.progress(min(share, 1.0))
        st.caption(f"{share:.0%}" + (f" · about {left:.0f} s left" if left and left >= 1 else ""))


def show_result(mine: Mine) -> None:
    tok, training = mine.tokenizer, mine.training
    history = tok.history or ()
    if training and training.stopped in ("no_pairs", "min_count"):
        why = "No pair is left" if training.stopped == "no_pairs" else "No pair is frequent enough"
        note(
            "warn",
            f"{why} after {len(history):,} merges of {training.asked:,}.",
            f"“{mine.corpus_name}” is {training.n_bytes:,} bytes long. Use a longer corpus, or ask for "
            f"{tok.vocab_size:,} tokens.",
        )
    trained(mine, stopped=STOPPED[training.stopped] if training else None, key=f"train.result.{mine.key}")
    with st.container(horizontal=True):
        if st.button("**Replay the merges**"):
            st.switch_page("pages/replay.py")
        if st.button("Compare"):
            st.switch_page("pages/compare.py")
        st.download_button(
            "Download",
            data=tok.to_bytes,
            file_name=f"{library.clean_name(mine.name)}{library.SUFFIX}",
            mime="application/json",
            on_click="ignore",
        )
        if st.button("Drop it"):
            me.drop(mine.key)
            st.rerun()


def show_library(mine: Mine | None) -> None:
    st.subheader("Library", anchor=False)
    if mine and not shared():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input("Save it as", value=mine.name, key=f"train.name.{mine.key}")
            if st.button("Save"):
                mine.saved_as = library.save(mine.tokenizer, name)
                st.toast(f"Saved as {plain(mine.saved_as)}.")
        if mine.saved_as:
            st.caption(f"Saved as **{plain(mine.saved_as)}**.")
    saved = library.names()
    if saved:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox("Saved tokenizers", saved, key="train.saved")
            if st.button("Open it"):
                add(library.open_saved(name), name)
            if not shared() and st.button("Delete it"):
                library.delete(name)
                st.rerun()
    file = st.file_uploader("Open a tokviz model file", type=["json"], key=f"train.model.{len(me.trained)}")
    if file:
        add(Tokenizer.from_bytes(file.getvalue(), file.name), None)


def add(tok: Tokenizer, saved_as: str | None) -> None:
    texts = (tok.made_from or {}).get("texts")
    first = texts[0] if isinstance(texts, list) and texts else None
    mine = me.add(tok.name, tok, corpus_name=str(first.get("name", "")) if isinstance(first, dict) else "")
    mine.saved_as = saved_as
    jobs.forget(me)
    st.rerun()


@functools.lru_cache(maxsize=32)
def small_training(text: str, pattern: str, tie: Tie, min_count: int, special_tokens: tuple[str, ...]) -> Training:
    return train(text, FORETASTE_SIZE, pattern, special_tokens, tie, min_count)


def show_foretaste() -> None:
    """The first merges on the head of the corpus, at once: what the settings mean before any of them is used."""
    name, texts = corpus()
    settings = me.settings
    head = texts[0].text[:FORETASTE_CHARACTERS] if texts else ""
    training = small_training(head, pattern(), settings.tie, settings.min_count, tuple(special_tokens()))
    foretaste(training, name, key="train.foretaste")


def guarded(part: Callable[..., None], *args: object) -> None:
    """Draw a part of the page; what goes wrong in it is said there, and the rest stands."""
    try:
        part(*args)
    except TokvizError as fault:
        shell.say(fault)


settings, result = st.columns([5, 7], gap="large")
with settings:
    choose_corpus()
    faults = choose_settings()
    _, texts = corpus()
    words, limit = estimate(texts)
    faults += [limit] if limit else []
    for fault in faults:
        shell.say(SettingError(fault))
    job = jobs.of(me)
    running = job is not None and not job.done.is_set()
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button("**Train**", disabled=bool(faults) or running or not me.room)
        st.caption(words if me.room else "You have five tokenizers of your own. Drop one to make room for the next.")
    if pressed:
        guarded(begin)
        st.rerun()

with result:
    mine = me.own(me.current)
    if job and running:
        progress(job)
    elif job and job.error:
        shell.say(job.error)
    elif job and job.failed:
        shell.say(RuntimeError())
    elif job and job.training and job.kept is None:
        made = len(job.training.merges)
        note(
            "warn",
            f"Cancelled at merge {made:,} of {job.training.asked:,}.",
            f"The {made:,} merges are kept: a tokenizer of {256 + made:,} tokens.",
        )
        with st.container(horizontal=True):
            st.button("Keep it", on_click=jobs.keep, args=(me, job))
            st.button("Put it away", on_click=jobs.forget, args=(me,))
    if mine and not running:
        guarded(show_result, mine)
    elif not running and not faults:
        guarded(show_foretaste)
    guarded(show_library, mine)

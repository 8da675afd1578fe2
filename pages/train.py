"""Train: a corpus and six settings in, a tokenizer of one's own out."""

import functools
import threading
import time
from collections.abc import Callable

import streamlit as st

from tokviz import library
from tokviz.corpus import UNCUT_LIMIT
from tokviz.errors import SettingError, TokvizError
from tokviz.formats.tokviz import dump
from tokviz.samples import sample
from tokviz.specials import check_special_tokens
from tokviz.split import PATTERNS, check_pattern
from tokviz.text import Text
from tokviz.training import VOCAB_LIMIT, Tie, Training, train, train_steps
from tokviz.ui import links
from tokviz.ui.components.note import note
from tokviz.ui.components.trained import foretaste, trained
from tokviz.ui.frame import shell
from tokviz.ui.frame.shell import plain
from tokviz.ui.shelf import pressed, shelf
from tokviz.ui.train import corpus as corpora
from tokviz.ui.visitors.visitor import Mine, bind, visitor
from tokviz.ui.work import training as jobs
from tokviz.ui.work.progress import progress

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
links.arrived(me, "train")
links.say_faults()


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
    name, texts = corpora.chosen(me)
    stop = threading.Event()
    title = f"{name} {me.settings.vocab_size:,}"
    chosen = me.settings
    steps = train_steps(
        texts,
        chosen.vocab_size,
        pattern(),
        special_tokens(),
        chosen.tie,
        chosen.min_count,
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
        if st.button("**Replay the merges**", on_click=setattr, args=(me, "plays", mine.key)):
            st.switch_page("pages/replay.py")
        if st.button("Compare"):
            st.switch_page("pages/compare.py")
        st.download_button(
            "Download",
            data=functools.partial(dump, tok),
            file_name=f"{library.clean_name(mine.name)}{library.SUFFIX}",
            mime="application/json",
            on_click="ignore",
        )
        st.button("Drop it", on_click=pressed, args=(me, me.drop, mine.key))


@functools.lru_cache(maxsize=32)
def small_training(text: str, pattern: str, tie: Tie, min_count: int, special_tokens: tuple[str, ...]) -> Training:
    return train(text, FORETASTE_SIZE, pattern, special_tokens, tie, min_count)


def show_foretaste() -> None:
    """The first merges on the head of the corpus, at once: what the settings mean before any of them is used."""
    name, texts = corpora.chosen(me)
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
    corpora.choose(me)
    faults = choose_settings()
    _, texts = corpora.chosen(me)
    words, limit = estimate(texts)
    faults += [limit] if limit else []
    for fault in faults:
        shell.say(SettingError(fault))
    job = jobs.of(me)
    running = job is not None and not job.done.is_set()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "**Train**",
            disabled=bool(faults) or running or not me.room,
            on_click=pressed,
            args=(me, begin),
        )
        st.caption(words if me.room else "You have five tokenizers of your own. Drop one to make room for the next.")

with result:
    mine = me.own(me.current)
    if job and running:
        progress(me, job)
    elif job and job.failed:
        shell.say(RuntimeError())
    elif job and job.error:
        shell.say(job.error)
    if job and not running and job.training and job.kept is None:
        made = len(job.training.merges)
        if made:
            at = f"Cancelled at merge {made:,} of {job.training.asked:,}."
            done = "The training is done, but there was no room for it."
            what = at if job.training.stopped == "cancelled" else done
            note("warn", what, f"The {made:,} merges are kept: a tokenizer of {256 + made:,} tokens.")
            with st.container(horizontal=True):
                st.button("Keep it", on_click=pressed, args=(me, jobs.keep, me, job))
                st.button("Put it away", on_click=pressed, args=(me, jobs.forget, me))
        else:
            note("warn", "Cancelled before the first merge.", "Nothing was made. Train again, or change the settings.")
    if mine and not running:
        guarded(show_result, mine)
    elif not running and not faults:
        guarded(show_foretaste)
    guarded(shelf, me, mine)

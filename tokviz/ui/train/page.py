"""The Train page: the corpus and the settings on the left, the tokenizer on the right."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import astuple
from functools import partial

import streamlit as st

from tokviz import library
from tokviz.errors import TokvizError
from tokviz.formats.tokviz import dump
from tokviz.training import Training, train_steps
from tokviz.ui import links
from tokviz.ui.address import NoPageLink
from tokviz.ui.components.trained import foretaste, trained
from tokviz.ui.frame import shell
from tokviz.ui.frame.lost import say_lost
from tokviz.ui.frame.say import note, say
from tokviz.ui.shelf import pressed, shelf
from tokviz.ui.train.corpus import choose_corpus, corpus_of
from tokviz.ui.train.settings import check_size, choose_settings, estimate, pattern_of, special_tokens_of
from tokviz.ui.train.state import TrainState
from tokviz.ui.visitors.registry import visitor
from tokviz.ui.visitors.visitor import Mine, Visitor
from tokviz.ui.work import training as trainings
from tokviz.ui.work.progress import progress

FORETASTE_CHARACTERS = 20_000
FORETASTE_SIZE = 512  # tokens
FORETASTE_S = 2  # seconds; only a custom pattern can take so long
STOPPED = {
    "size": "vocabulary size",
    "no_pairs": "no pair left",
    "min_count": "least pair count",
    "cancelled": "cancel",
}


def page() -> None:
    """Draw the page."""
    shell.enter()
    shell.head("Train", "Train a byte-level BPE tokenizer on your own text. It joins the others on every page.")
    me = visitor()
    links.arrived(me, "train", NoPageLink)
    links.say_faults()
    say_lost(me, "train", ("corpus", "training", "tokenizer"))
    work = trainings.of(me)
    running = work is not None and not work.done.is_set()
    settings, result = st.columns([5, 7], gap="large")
    with settings:
        ready = _settings(me, running)
    with result:
        _result(me, work, running, ready)


def _settings(me: Visitor, running: bool) -> bool:
    """Draw the corpus, the settings and the button. Returns whether the settings are valid and complete."""
    settings = me.state(TrainState).settings
    choose_corpus(me)
    faults = choose_settings(settings)
    _, texts = corpus_of(me)
    too_long = check_size(settings, texts)
    faults += too_long
    for number, fault in enumerate(faults):
        say(fault, key=f"train.fault.{number}")
    full = "You have five tokenizers of your own. Drop one to make room for the next."
    with st.container(horizontal=True, vertical_alignment="center"):
        blocked = bool(faults) or running or not me.room or not pattern_of(settings)
        st.button("**Train**", disabled=blocked, on_click=pressed, args=(me, _begin, me))
        st.caption(("" if too_long else estimate(settings, texts)) if me.room else full)
    return bool(not faults and pattern_of(settings))


def _about(me: Visitor) -> tuple[object, ...]:
    """What a training would be about now: an error of an earlier one is not shown when this has changed."""
    return corpus_of(me)[0], *astuple(me.state(TrainState).settings)


def _begin(me: Visitor) -> None:
    name, texts = corpus_of(me)
    settings = me.state(TrainState).settings
    title = f"{name} {settings.vocab_size:,}"
    stop = threading.Event()
    steps = train_steps(
        texts,
        settings.vocab_size,
        pattern=pattern_of(settings),
        special_tokens=special_tokens_of(settings),
        tie=settings.tie,
        min_count=settings.min_count,
        name=title,
        cancel=stop.is_set,
    )
    trainings.start(me, trainings.TrainingWork(title, name, steps, about=_about(me), stop=stop))


def _result(me: Visitor, work: trainings.TrainingWork | None, running: bool, ready: bool) -> None:
    mine = me.own(me.current)
    if work and running:
        progress(me, work)
    elif work and work.failed:
        say(RuntimeError())
    elif work and work.error and work.about == _about(me):
        say(work.error)
    if work and not running and work.training and work.kept is None:
        _offer_to_keep(me, work)
    if mine and not running:
        _guarded(_show, me, mine)
    elif not running and ready:
        _guarded(_foretaste, me)
    _guarded(shelf, me, mine)


def _guarded(part: Callable[..., None], *args: object) -> None:
    """Draw a part of the page. An error in it is shown in its place, and the rest of the page is drawn."""
    try:
        part(*args)
    except TokvizError as fault:
        say(fault)


def _offer_to_keep(me: Visitor, work: trainings.TrainingWork) -> None:
    """Draw the offer to keep a training that was cancelled, or for whose tokenizer there was no room."""
    made = len(work.training.merges) if work.training else 0
    if not work.training or not made:
        note(
            "warn",
            "Cancelled before the first merge.",
            "There is no tokenizer to keep. Train again, or change the settings.",
        )
        return
    cancelled = f"Cancelled at merge {made:,} of {work.training.asked:,}."
    done = "The training is done, but there was no room for it."
    what = cancelled if work.training.stopped == "cancelled" else done
    note("warn", what, f"The {made:,} merges are kept: a tokenizer of {256 + made:,} tokens.")
    with st.container(horizontal=True):
        st.button("Keep it", on_click=pressed, args=(me, trainings.keep, me, work))
        st.button("Discard it", on_click=pressed, args=(me, trainings.forget, me))


def _show(me: Visitor, mine: Mine) -> None:
    """Draw the tokenizer, and the buttons for what to do with it."""
    tok, training = mine.tokenizer, mine.training
    if training and training.stopped in ("no_pairs", "min_count"):
        why = "No pair is left" if training.stopped == "no_pairs" else "No pair is frequent enough"
        note(
            "warn",
            f"{why} after {len(tok.merge_ids):,} merges of {training.asked:,}.",
            f"“{mine.corpus_name}” is {training.n_bytes:,} bytes long. Use a longer corpus, or ask for "
            f"{tok.vocab_size:,} tokens.",
        )
    trained(
        tok,
        training,
        name=mine.name,
        corpus_name=mine.corpus_name,
        stopped=STOPPED[training.stopped] if training else None,
        key=f"train.result.{mine.key}",
    )
    with st.container(horizontal=True):
        if st.button("**Replay the merges**", on_click=setattr, args=(me, "plays", mine.key)):
            st.switch_page("pages/replay.py")
        if st.button("Compare"):
            st.switch_page("pages/compare.py")
        st.download_button(
            "Download",
            data=partial(dump, tok),
            file_name=f"{library.clean_name(mine.name)}{library.SUFFIX}",
            mime="application/json",
            on_click="ignore",
        )
        st.button("Drop it", on_click=pressed, args=(me, me.drop, mine.key))


def _foretaste(me: Visitor) -> None:
    """Draw the first merges on the head of the corpus, so that the settings show their effect before the training."""
    name, texts = corpus_of(me)
    settings = me.state(TrainState).settings
    head = texts[0].text[:FORETASTE_CHARACTERS] if texts else ""
    pattern, special_tokens = pattern_of(settings), tuple(special_tokens_of(settings))
    tie, least = settings.tie, settings.min_count
    shell.wait_for_kernels()

    def first_merges() -> Training | TokvizError | None:
        """None if the pattern takes too long."""
        until = time.monotonic() + FORETASTE_S
        try:
            *_, last = train_steps(
                head,
                FORETASTE_SIZE,
                pattern=pattern,
                special_tokens=special_tokens,
                tie=tie,
                min_count=least,
                cancel=lambda: time.monotonic() > until,
            )
        except TokvizError as fault:
            return fault.without_frames()
        return None if last.training is None or last.training.stopped == "cancelled" else last.training

    training = me.cache.get(("foretaste", head, pattern, tie, least, special_tokens), first_merges)
    if isinstance(training, TokvizError):
        say(training, key="train.foretaste.fault")
    elif training:
        foretaste(training, name, key="train.foretaste")
    else:
        note(
            "warn",
            f"The split pattern takes more than {FORETASTE_S} seconds for the first {len(head):,} characters.",
            "So there are no first merges to show. A training with it may take long; you can cancel it.",
        )

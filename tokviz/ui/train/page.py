"""The Train page: the corpus and the settings on the left, the tokenizer on the right.

A corpus is uploaded, or taken from the samples, or written. A written one is trained with each key: see write.py.
"""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import astuple
from functools import partial
from typing import Literal

import streamlit as st

from tokviz import kernels
from tokviz.base import bounds
from tokviz.base.errors import SettingError, TokvizError
from tokviz.base.files import clean_name
from tokviz.base.progress import result_of
from tokviz.base.wording import count_of
from tokviz.catalog import saved as library
from tokviz.formats.tokviz import dump
from tokviz.split.cutting import CUSTOM
from tokviz.training.train import Training, train_steps
from tokviz.ui.frame import links, shelf, shell
from tokviz.ui.frame.address import Link
from tokviz.ui.frame.buttons import ask, pressed, say_trouble
from tokviz.ui.frame.field import field, shown_in
from tokviz.ui.frame.progress import ended, progress
from tokviz.ui.frame.say import note, part, plain, say
from tokviz.ui.frame.training import PLACE, Expected, add, told
from tokviz.ui.frame.widgets import bind, kept_in_session, take_shown
from tokviz.ui.server import limits, work
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import NO_ROOM, Mine, Visitor, shared, why_read_only
from tokviz.ui.server.work import Steps, Work
from tokviz.ui.train.corpus import Corpus, choose_corpus, chosen_corpus, sample_corpus
from tokviz.ui.train.estimate import better_counted, distinct_bytes, expected, in_words
from tokviz.ui.train.link import TrainLink
from tokviz.ui.train.settings import MEND, choose_settings, faults, given_to_training, in_a_line
from tokviz.ui.train.state import EXAMPLE, WAYS, TrainSettings, TrainState
from tokviz.ui.train.trained import foretaste, say_trained, show_tokens
from tokviz.ui.train.write import WRITE, write
from tokviz.ui.train.written import why_no_more

FORETASTE_CHARACTERS = 20_000
FORETASTE_SIZE = 512  # tokens
FORETASTE_S = 2  # seconds; only a custom pattern or a busy machine can take so long
CHOOSE = "Choose a text: upload a file, or take a sample."


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "train", TrainLink, lend=False)
    if arrived:
        _follow(me, arrived.link)
    state = me.state(TrainState)
    links.offer_way_back(TrainLink)
    shell.head("Train")
    links.say_faults()
    if state.way == "write":
        _choose_way()
        with st.container(key="train.writing"):  # on a phone, the text comes before the settings
            with part(), _fold(state, state.written.settings):
                choose_settings(state.written.settings, "written.settings", [2, 2, 3])
            with part():
                write(me)
    else:
        _upload_or_sample(me)


def _choose_way() -> None:
    bound = bind("train.way", "way", TrainState)
    st.segmented_control("Train on", WAYS, required=True, format_func=str.title, **bound)


def _fold(state: TrainState, settings: TrainSettings) -> AbstractContextManager[object]:
    """What the settings are in. On a phone they are one line, from which they unfold: see page.css."""
    words = f"{plain(in_a_line(settings))} :gray[{'close' if state.unfolded else 'change'}]"
    unfold = partial(setattr, state, "unfolded", not state.unfolded)
    st.button(words, key="train.line", width="stretch", on_click=unfold)
    return st.container(key="train.unfolded" if state.unfolded else "train.folded")


def _follow(me: Visitor, link: Link[TrainLink]) -> None:
    """Write the corpus of the link. The text of any other link is the one that Tokens shows."""
    if link.page.writes:
        link.page.apply(me.state(TrainState), link.text)
        kept_in_session(WRITE).clear()  # the browser has other text and settings
    elif link.text is not None:
        me.lend(link.text)


def _upload_or_sample(me: Visitor) -> None:
    last = work.of(me, PLACE)
    running = last is not None and not last.over
    settings, result = st.columns([5, 7], gap="large")
    beginning = None
    with settings, part():
        _choose_way()
        state = me.state(TrainState)
        with _fold(state, state.settings) if me.own(me.current) else nullcontext():
            beginning, first = _choose(me, running)
        _offer_to_train(me, beginning, first, running)
    with result, part():
        _result(me, last, running, beginning)


def _choose(me: Visitor, running: bool) -> tuple[Training | None, str]:
    """Draw the corpus and the settings.

    Returns a training on the beginning of the corpus, to be shown, and what the visitor has to do before they can
    train, "" if nothing. The training is None while another one runs, or where a setting is wrong.
    """
    choose_corpus(me)
    settings, corpus = me.state(TrainState).settings, chosen_corpus(me)
    choose_settings(settings, "settings", [1, 1])
    found = faults(settings, corpus)
    if settings.pattern == CUSTOM and not settings.custom:
        return None, "Type a split pattern."
    beginning = None
    if not found and not running:
        tried = _tried(me, corpus or sample_corpus(EXAMPLE))
        if isinstance(tried, TokvizError):  # the split pattern cannot cut the corpus
            found = [tried]
        elif tried.stopped == "cancelled" and not tried.merges:
            slow = f"The first merges alone take more than {FORETASTE_S} seconds."
            note("warn", slow, "The training may take long. You can cancel it.")
        else:
            beginning = tried
    for fault in found:
        say(fault)
    if not corpus:
        return beginning, CHOOSE
    if not me.room:
        return beginning, f"{NO_ROOM} Remove one to make room for the next."
    return beginning, MEND if found else ""


def _offer_to_train(me: Visitor, beginning: Training | None, first: str, running: bool) -> None:
    """Draw the button, and what it would do. first: what the visitor has to do before."""
    corpus = chosen_corpus(me)
    distinct = distinct_bytes(corpus.n_bytes, beginning) if corpus and beginning else 0
    seconds = _expected(me, corpus, distinct)
    with st.container(horizontal=True, vertical_alignment="center"):
        sums = [text.sha256 for text in me.corpus]
        begin = (me, "train", _begin, me, sums, distinct)
        # what was trained can be replayed, and then that button is filled
        look: Literal["primary", "secondary"] = "secondary" if me.own(me.current) else "primary"
        st.button("**Train**", type=look, disabled=bool(first) or running, on_click=pressed, args=begin)
        st.caption(first or _plan(corpus, seconds))
    if corpus and distinct > bounds.now().chunks_mb * limits.MB:
        note("info", *better_counted(distinct))
    say_trouble(me, "train")


def _plan(corpus: Corpus | None, seconds: Expected | None) -> str:
    """What Train would do: the size of the corpus, and how long it takes."""
    size = count_of(corpus.n_bytes, "byte") if corpus else ""
    return f"{size}, {in_words(sum(seconds))} on this machine" if seconds else size


def _expected(me: Visitor, corpus: Corpus | None, distinct: int) -> Expected | None:
    if not corpus or not distinct or kernels.trainer_compiles():  # then a small training tells nothing of a large one
        return None
    return expected(corpus.n_bytes, distinct, me.state(TrainState).settings.vocab_size - 256)


def _about(me: Visitor, corpus: Corpus) -> tuple[object, ...]:
    """What a training would be about: if it is another one now, the error of the last one no longer counts."""
    return (*astuple(me.state(TrainState).settings), *(text.sha256 for text in corpus.texts))


def _begin(me: Visitor, sums: list[str], distinct: int) -> None:
    """Train as this tab shows it. sums: of the uploaded files that it shows, which may be others by now."""
    state = me.state(TrainState)
    take_shown(state)
    corpus = chosen_corpus(me)
    if not corpus:  # it was let go after the page was drawn
        raise SettingError("The corpus is no longer here.", "Upload it again, or take a sample.")
    if state.way == "upload" and sums != [text.sha256 for text in me.corpus]:
        raise SettingError("The corpus has changed.", "Look at it, and press Train again.")
    settings, seconds = state.settings, _expected(me, corpus, distinct)
    stop = threading.Event()
    steps = train_steps(corpus.texts, settings.vocab_size, **given_to_training(settings), cancel=stop.is_set)
    work.start(me, training_work(corpus, told(steps, seconds, kept=True), _about(me, corpus), stop))


def training_work(
    corpus: Corpus, steps: Steps[Training], about: object = None, stop: threading.Event | None = None
) -> Work[Training]:
    """The training on a corpus as work. The visitor gets a tokenizer; what is cancelled waits to be kept."""

    def take(me: Visitor, training: Training) -> None:
        add(me, corpus.short, training, corpus.name)

    return Work(PLACE, about, steps, take, corpus.texts, stop or threading.Event(), needs_kernels=False)


def _result(me: Visitor, last: Work[Training] | None, running: bool, beginning: Training | None) -> None:
    mine, corpus = me.own(me.current), chosen_corpus(me)
    if last and running:
        progress(me, last)
    elif last and corpus and last.about == _about(me, corpus):
        ended(last)
    if last and not running and (last.result or last.stop.is_set()):
        _offer_to_keep(me, last)
    if mine and not running:
        _show(me, mine)
    elif beginning:
        foretaste(beginning, example="" if corpus else sample_corpus(EXAMPLE).name)


def _offer_to_keep(me: Visitor, last: Work[Training]) -> None:
    """Draw the offer to keep a training that was cancelled, or for whose tokenizer there was no room."""
    made = len(last.result.merges) if last.result else 0
    if not last.result or not made:
        note(
            "warn",
            "Cancelled before the first merge.",
            "There is no tokenizer to keep. Train again, or change the settings.",
        )
        st.button("Close", on_click=work.forget, args=(me, PLACE), key="train.close")
        return
    cancelled = f"Cancelled at merge {made:,} of {last.result.asked:,}."
    done = "The training is done, but there was no room for it."
    what = cancelled if last.result.stopped == "cancelled" else done
    note("warn", what, f"What was made is kept: {count_of(made, 'merge')}, a tokenizer of {256 + made:,} tokens.")
    with st.container(horizontal=True):
        st.button("Keep it", on_click=pressed, args=(me, "train.keep", _keep_trained, me, last))
        st.button("Discard it", on_click=work.forget, args=(me, PLACE))
    say_trouble(me, "train.keep")


def _keep_trained(me: Visitor, last: Work[Training]) -> None:
    last.hand_over(me)
    work.forget(me, PLACE)


def _show(me: Visitor, mine: Mine) -> None:
    """Draw the tokenizer, and the buttons for what to do with it."""
    training = mine.training
    if training and training.stopped in ("no_pairs", "min_count", "bytes"):
        note("warn", *why_it_stopped(training))
    say_trained(mine)
    with st.container(key="train.doors"):
        replay, compare = st.columns(2)
        words = "**Replay the merges** See how the tokens came about"
        if replay.button(words, type="primary", width="stretch", on_click=setattr, args=(me, "plays", mine.key)):
            st.switch_page("pages/replay.py")
        if compare.button("**Compare** With others, on a text that you type", width="stretch"):
            st.switch_page("pages/compare.py")
    show_tokens(mine)
    with st.container(horizontal=True):
        if not shared():
            with st.popover("Keep in the library"):
                _keep(me, mine)
        st.download_button(
            "Save as a file",
            data=partial(dump, mine.tokenizer),
            file_name=f"{clean_name(mine.name)}{library.SUFFIX}",
            mime="application/json",
            on_click="ignore",
        )
        st.button("Remove", on_click=_ask_to_remove, args=(me, mine))
    saved = shelf.saved_name(mine)
    if saved or shared():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Saved as **{plain(library.title(saved))}**." if saved else why_read_only(), width="content")
            st.page_link("pages/library.py", label="Go to the library")
    say_trouble(me, "train.save")


def _keep(me: Visitor, mine: Mine) -> None:
    """Draw what the library asks before it keeps a tokenizer."""
    names = me.state(TrainState).names
    key = f"train.name.{mine.key}"
    save = partial(pressed, me, "train.save", lambda: shelf.save(mine, shown_in(key)))
    field("Name", names.get(mine.key, mine.name), key=key, typed=partial(names.__setitem__, mine.key), entered=save)
    st.button("Save", on_click=save)


def _ask_to_remove(me: Visitor, mine: Mine) -> None:
    ask(f"Remove “{mine.name}”?", shelf.where_it_stays(mine), "Remove", partial(me.drop, mine.key))


def why_it_stopped(training: Training) -> tuple[str, str]:
    """Why a training made fewer merges than it was asked for, and what to do about it.

    >>> from tokviz import train
    >>> why_it_stopped(train("so it is", 1024, pattern="none", min_count=3))[1].partition(" Lower")[0]
    'You asked for 1,024, but no other pair occurs 3 times.'
    """
    size = 256 + len(training.merges)
    why, way_out = why_no_more(training)
    what = f"{count_of(len(training.merges), 'merge')}, {size:,} tokens."
    return what, f"You asked for {256 + training.asked:,}, but {why}. {way_out}, or ask for {size:,} tokens."


def _tried(me: Visitor, corpus: Corpus) -> Training | TokvizError:
    """A small training on the head of the corpus, with the rules that the visitor chose; or what is wrong with them.

    It ends after FORETASTE_S, with the merges that it has then.
    """
    head, given = corpus.texts[0].text[:FORETASTE_CHARACTERS], given_to_training(me.state(TrainState).settings)

    def first_merges() -> Training | TokvizError:
        until = time.monotonic() + FORETASTE_S
        try:
            return result_of(train_steps(head, FORETASTE_SIZE, **given, cancel=lambda: time.monotonic() > until))
        except TokvizError as fault:
            return fault.without_frames()

    return me.cache.get(("foretaste", head, *given.values()), first_merges)

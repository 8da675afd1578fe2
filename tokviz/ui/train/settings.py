"""The settings of a training on the Train page: their fields and faults, and the estimated time of the training."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence

import streamlit as st

from tokviz import kernels
from tokviz.errors import SettingError, TokvizError
from tokviz.reading import UNCUT_LIMIT
from tokviz.rules import TIES
from tokviz.samples import sample
from tokviz.specials import check_special_tokens
from tokviz.split import CUSTOM, PATTERNS, check_pattern
from tokviz.text import Text
from tokviz.training import VOCAB_LIMIT, train
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import bind
from tokviz.ui.train.state import TrainSettings, TrainState

# Seconds on the machine on which the estimate was measured. `pace` repeats one small training, which took
# SMALL_TRAINING_S on that machine.
SMALL_TRAINING_S = 0.014
A_BYTE_S = 0.3e-6
A_BYTE_UNCUT_S = 1.5e-6
A_MERGE_S = 20e-6


def choose_settings(settings: TrainSettings) -> list[TokvizError]:
    """Draw the fields, which write to `settings`. Returns what is wrong with the values, [] if nothing is."""
    faults: list[TokvizError] = []
    st.number_input("Vocabulary size", step=256, **bind("train.size", "settings.vocab_size", TrainState))
    if 256 <= settings.vocab_size <= VOCAB_LIMIT:
        st.caption(f"256 bytes + {settings.vocab_size - 256:,} merges. Special tokens come on top.")
    else:
        faults.append(
            SettingError(
                f"The vocabulary size {settings.vocab_size:,} is out of range.",
                f"Choose a size from 256 to {VOCAB_LIMIT:,}. The 256 bytes are always in the vocabulary.",
            )
        )
    st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **bind("train.pattern", "settings.pattern", TrainState))
    if settings.pattern == CUSTOM:
        bound = bind("train.custom", "settings.custom", TrainState)
        st.text_input("Your split pattern, a regular expression", placeholder=r"\w+|[\s\S]", **bound)
        st.caption(
            r"In the syntax of the regex package. It must match every character of the text, so end it with `|[\s\S]`."
        )
        try:
            check_pattern(settings.custom)
        except TokvizError as fault:
            faults.append(fault)
    else:
        st.caption(plain(PATTERNS[settings.pattern].summary))
    left, right = st.columns(2)
    bound = bind("train.tie", "settings.tie", TrainState)
    left.selectbox("When pairs tie", list(TIES), format_func=lambda key: TIES[key].label, **bound)
    bound = bind("train.least", "settings.min_count", TrainState)
    right.number_input("Least pair count", min_value=1, step=1, **bound)
    st.text_area(
        "Special tokens, one a line",
        height=80,
        placeholder="<|endoftext|>",
        **bind("train.special", "settings.special", TrainState),
    )
    try:
        check_special_tokens(special_tokens_of(settings))
    except TokvizError as fault:
        faults.append(fault)
    return faults


def special_tokens_of(settings: TrainSettings) -> list[str]:
    """The special tokens: one from each line that is not empty.

    >>> special_tokens_of(TrainSettings(special="<s>\\n\\n</s>"))
    ['<s>', '</s>']
    """
    return [line for line in settings.special.splitlines() if line]


def pattern_of(settings: TrainSettings) -> str:
    """The split pattern: a name of PATTERNS, or the visitor's own regular expression."""
    return settings.custom if settings.pattern == CUSTOM else settings.pattern


def check_size(settings: TrainSettings, texts: Sequence[Text]) -> list[TokvizError]:
    """What is wrong with the size of the corpus under these settings, [] if nothing is."""
    if settings.pattern == "none" and max((text.n_bytes for text in texts), default=0) > UNCUT_LIMIT:
        return [
            SettingError(
                f"Without a split pattern, a text can have at most {UNCUT_LIMIT:,} bytes.",
                "Choose a split pattern, or a shorter text.",
            )
        ]
    return []


def estimate(settings: TrainSettings, texts: Sequence[Text]) -> str:
    """The size of the corpus and the estimated time of the training on this machine, in words."""
    size = sum(text.n_bytes for text in texts)
    merges = max(settings.vocab_size - 256, 0)
    a_byte = A_BYTE_UNCUT_S if settings.pattern == "none" else A_BYTE_S
    seconds = (pace() if kernels.wait(0) else 1) * (a_byte * size + A_MERGE_S * min(merges, size))
    if seconds < 1:
        words = "under a second"
    elif seconds < 90:
        words = f"about {seconds:.0f} s"
    else:
        words = f"about {seconds / 60:.0f} minutes"
    return f"{size:,} bytes, {words} on this machine"


@functools.cache
def pace() -> float:
    """The time of a small training on this machine, divided by SMALL_TRAINING_S: 2 is a machine half as fast."""
    text = sample("story").text
    begun = time.perf_counter()
    train(text, 512)
    return (time.perf_counter() - begun) / SMALL_TRAINING_S

"""The settings of a training on the Train page: their fields, and what is wrong with their values."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tokviz.base import bounds
from tokviz.base.errors import SettingError, TokvizError
from tokviz.corpus.reading import UNCUT_LIMIT
from tokviz.split.cutting import CUSTOM, HOW_TO_WRITE, PATTERNS, check_pattern
from tokviz.split.specials import check_special_tokens
from tokviz.training.rules import TIES
from tokviz.ui.frame.field_lengths import too_long
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.widgets import bind
from tokviz.ui.train.corpus import Corpus
from tokviz.ui.train.state import TrainSettings, TrainState

MEND = "Correct the setting that is marked above."


def choose_settings(settings: TrainSettings, corpus: Corpus | None) -> str:
    """Draw the fields, which write to `settings`, and below each what is wrong with it.

    Returns what the visitor has to do before they can train, "" if nothing.
    """
    custom = settings.pattern == CUSTOM
    left, right = st.columns(2)
    with left:
        st.number_input("Vocabulary size", step=256, **bind("train.size", "settings.vocab_size", TrainState))
        if not _faults_of_size(settings):
            st.caption(f"256 bytes + {settings.vocab_size - 256:,} merges. Special tokens are added to that.")
    with right:
        st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **bind("train.pattern", "settings.pattern", TrainState))
        if not custom:
            st.caption(plain(PATTERNS[settings.pattern].summary))
    if custom:
        bound = bind("train.custom", "settings.custom", TrainState)
        st.text_input("Your split pattern, a regular expression", placeholder=r"\w+|\W", **bound)
        st.caption(plain(HOW_TO_WRITE))
    with st.expander(_more(settings), key="train.more"):
        _rarer_settings()
    faults = [*_faults_of_size(settings), *_faults_of_pattern(settings, corpus), *_faults_of_special_tokens(settings)]
    for fault in faults:
        say(fault)
    if custom and not settings.custom:
        return "Type a split pattern."
    return MEND if faults else ""


def _rarer_settings() -> None:
    """Draw the fields that are folded away."""
    st.selectbox(
        "If two pairs are equally frequent, merge",
        list(TIES),
        format_func=lambda key: TIES[key].label,
        **bind("train.tie", "settings.tie", TrainState),
    )
    st.number_input(
        "Stop when a pair occurs less often than",
        min_value=1,
        step=1,
        **bind("train.least", "settings.min_count", TrainState),
    )
    st.text_area(
        "Special tokens, one per line",
        height=80,
        placeholder="<|endoftext|>",
        **bind("train.special", "settings.special", TrainState),
    )


def _more(settings: TrainSettings) -> str:
    """The label of the settings that are folded away; it says how many of them the visitor changed."""
    usual = TrainSettings()
    changed = sum(getattr(settings, name) != getattr(usual, name) for name in ("tie", "min_count", "special"))
    return "Ties, least count, special tokens" + (f" ({changed} changed)" if changed else "")


def _faults_of_size(settings: TrainSettings) -> list[TokvizError]:
    if 256 <= settings.vocab_size <= bounds.now().vocabulary:
        return []
    return [
        SettingError(
            f"The vocabulary size {settings.vocab_size:,} is out of range.",
            f"Choose a size from 256 to {bounds.now().vocabulary:,}. The 256 bytes are always in the vocabulary.",
        )
    ]


def _faults_of_pattern(settings: TrainSettings, corpus: Corpus | None) -> list[TokvizError]:
    if settings.pattern == CUSTOM and settings.custom:
        try:
            check_pattern(settings.custom)
        except TokvizError as fault:
            return [fault]
    texts = corpus.texts if corpus else []
    if settings.pattern == "none" and max((text.n_bytes for text in texts), default=0) > UNCUT_LIMIT:
        return [
            SettingError(
                f"Without a split pattern, a text can have at most {UNCUT_LIMIT:,} bytes.",
                "Choose a split pattern, or a shorter text.",
            )
        ]
    return []


def _faults_of_special_tokens(settings: TrainSettings) -> list[TokvizError]:
    try:
        for fault in too_long(settings.special, "The list of special tokens"):
            raise fault
        check_special_tokens(typed_special_tokens(settings))
    except TokvizError as fault:
        return [fault]
    return []


def given_to_training(settings: TrainSettings) -> dict[str, Any]:
    """What `train_steps` is given of the settings, beside the vocabulary size; all of it can be a key."""
    special_tokens = tuple(typed_special_tokens(settings))
    rules = {"tie": settings.tie, "min_count": settings.min_count}
    return {"pattern": chosen_pattern(settings), "special_tokens": special_tokens, **rules}


def typed_special_tokens(settings: TrainSettings) -> list[str]:
    """The special tokens: one from each line that is not empty.

    >>> typed_special_tokens(TrainSettings(special="<s>\\n\\n</s>"))
    ['<s>', '</s>']
    """
    return [line for line in settings.special.splitlines() if line]


def chosen_pattern(settings: TrainSettings) -> str:
    """The split pattern: a name of PATTERNS, or the visitor's own regular expression."""
    return settings.custom if settings.pattern == CUSTOM else settings.pattern

"""The settings of a training on the Train page: their fields, and what is wrong with their values."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tokviz.base import bounds
from tokviz.base.errors import SettingError, TokvizError
from tokviz.base.wording import count_of
from tokviz.corpus.reading import UNCUT_LIMIT
from tokviz.split.cutting import CUSTOM, HOW_TO_WRITE, PATTERNS
from tokviz.training.rules import TIES
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.field_lengths import too_long
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import bind
from tokviz.ui.train.corpus import Corpus
from tokviz.ui.train.state import TrainSettings, TrainState

MEND = "Correct the setting that is marked above."
STEP = 256  # by which the buttons change a vocabulary size


def choose_settings(settings: TrainSettings, where: str, widths: list[int]) -> None:
    """Draw the fields, which write to the settings.

    where: the field of `TrainState` that has the settings. widths: of the fields beside each other; those that find no
    room are below.
    """

    def drawn(label: str, name: str, **how: Any) -> None:
        bound_field(label, f"train.{where}.{name}", f"{where}.{name}", TrainState, **how)

    custom = settings.pattern == CUSTOM
    columns = st.columns(widths)
    with columns[0]:
        drawn("Vocabulary size", "vocab_size", step=STEP)
        if settings.vocab_size >= 256:
            st.caption(f"256 bytes and {count_of(settings.vocab_size - 256, 'merge')}")
    with columns[1]:
        bound = bind(f"train.{where}.pattern", f"{where}.pattern", TrainState)
        st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **bound)
        if not custom:
            st.caption(plain(PATTERNS[settings.pattern].summary))
    if custom:
        drawn("Your split pattern, a regular expression", "custom", placeholder=r"\w+|\W")
        st.caption(plain(HOW_TO_WRITE))
    with (
        columns[2] if len(columns) > 2 else st.container(),
        st.expander(f"More settings: {_rarer(settings)}", key=f"train.{where}.more"),
    ):
        st.selectbox(
            "If two pairs are equally frequent, merge",
            list(TIES),
            format_func=lambda key: TIES[key].label,
            **bind(f"train.{where}.tie", f"{where}.tie", TrainState),
        )
        drawn("Stop when a pair occurs less often than", "min_count", least=1)
        drawn("Special tokens, one per line", "special", lines=3, placeholder="<|endoftext|>")


def in_a_line(settings: TrainSettings) -> str:
    """The settings in a few words.

    >>> in_a_line(TrainSettings(min_count=2))
    '1,024 tokens, gpt2, least count 2'
    """
    least = f", least count {settings.min_count:,}" if settings.min_count > 1 else ""
    return f"{settings.vocab_size:,} tokens, {settings.pattern}{least}"


def faults(settings: TrainSettings, corpus: Corpus | None) -> list[TokvizError]:
    """What is wrong with the values, but for what a training on the beginning of the corpus says itself."""
    most, found = bounds.now().vocabulary, list[TokvizError](too_long(settings.special, "The list of special tokens"))
    if not 256 <= settings.vocab_size <= most:
        what = f"The vocabulary size {settings.vocab_size:,} is out of range."
        way_out = f"Choose a size from 256 to {most:,}. The 256 bytes are always in the vocabulary."
        found.append(SettingError(what, way_out))
    longest = max((text.n_bytes for text in corpus.texts), default=0) if corpus else 0
    if settings.pattern == "none" and longest > UNCUT_LIMIT:
        what = f"Without a split pattern, a text can have at most {UNCUT_LIMIT:,} bytes."
        found.append(SettingError(what, "Choose a split pattern, or a shorter text."))
    return found


def _rarer(settings: TrainSettings) -> str:
    """The settings that are folded away, in a few words."""
    tokens = len(typed_special_tokens(settings))
    ties = f"ties: {TIES[settings.tie].label}" if settings.tie != TrainSettings.tie else "ties"
    special = count_of(tokens, "special token") if tokens else "no special tokens"
    return f"{ties}, least count {settings.min_count:,}, {special}"


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

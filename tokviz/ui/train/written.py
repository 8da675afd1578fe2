"""The corpus that the visitor writes: how it is trained, and how the training becomes a tokenizer of theirs."""

from __future__ import annotations

from tokviz.base.errors import InputError, PatternError
from tokviz.split.cutting import CUSTOM, HOW_TO_WRITE
from tokviz.training.live import LiveSettings, trained
from tokviz.ui.frame.training import add
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.train.settings import chosen_pattern, typed_special_tokens
from tokviz.ui.train.state import CORPUS_NAME, TrainSettings, Written

OWN_PATTERN_S = 1.0  # that a training may take if the split pattern is the visitor's own


def seconds_for(settings: TrainSettings) -> float | None:
    """How long a training may take with these settings; None if there is no limit."""
    return OWN_PATTERN_S if settings.pattern == CUSTOM else None


def live_settings(settings: TrainSettings) -> LiveSettings:
    """The settings as arguments of a training. PatternError if the visitor's own split pattern is empty."""
    if settings.pattern == CUSTOM and not settings.custom:
        raise PatternError("The split pattern is empty.", f"Type a regular expression. {HOW_TO_WRITE}")
    return LiveSettings(
        settings.vocab_size,
        chosen_pattern(settings),
        settings.tie,
        settings.min_count,
        tuple(typed_special_tokens(settings)),
    )


def keep_written(me: Visitor, written: Written, text: str, settings: TrainSettings) -> Mine:
    """Train on a corpus, and make the result a tokenizer of the visitor's; `written` tells if that was done before.

    text, settings: of the tab that asks. What `written` has may have come from another tab meanwhile.
    Raises InputError if there is no merge, SettingError if there is no room, and what `trained` raises.
    """
    if there := _kept(me, written, text, settings):
        return there
    training = trained(text, live_settings(settings), seconds_for(settings))
    if not training.merges:
        raise InputError("There is no merge to keep yet.", "Write on.")
    with me.lock:  # two tabs may keep it at once
        there = _kept(me, written, text, settings)
        if not there:
            there = add(me, "Written", training, CORPUS_NAME)
            written.kept = (text, settings, there.key)
        return there


def _kept(me: Visitor, written: Written, text: str, settings: TrainSettings) -> Mine | None:
    """The tokenizer that this corpus was kept as before, if the visitor still has it."""
    mine = me.own(written.kept[2]) if written.kept and written.kept[:2] == (text, settings) else None
    return mine if mine and mine.training else None

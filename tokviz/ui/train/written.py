"""The corpus that the visitor writes: how it is trained, and how the training becomes a tokenizer of theirs."""

from __future__ import annotations

import time

from tokviz.base import bounds
from tokviz.base.errors import InputError, PatternError, SettingError
from tokviz.base.progress import result_of
from tokviz.base.wording import times
from tokviz.split.cutting import CUSTOM, HOW_TO_WRITE
from tokviz.tokenizer.merges import most_vocabulary_bytes
from tokviz.training.train import Training, train_steps
from tokviz.ui.frame.training import add
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.train.settings import given_to_training
from tokviz.ui.train.state import CORPUS_NAME, TrainSettings, Written

OWN_PATTERN_S = 1.0  # that a training may take if the split pattern is the visitor's own
SPECIALS_LENGTH = 2_000  # characters of all special tokens together: a corpus is searched for all of them at once


def trained(text: str, settings: TrainSettings) -> Training:
    """Train on a corpus as `tokviz.train` does, in `OWN_PATTERN_S` where the split pattern is the visitor's own.

    Raises what `tokviz.train` raises, PatternError if it takes longer or if there is no pattern, and SettingError if
    there are too many special tokens.

    >>> len(trained("low lower lowest", TrainSettings(min_count=2)).merges)
    4
    """
    own = settings.pattern == CUSTOM
    if own and not settings.custom:
        raise PatternError("The split pattern is empty.", f"Type a regular expression. {HOW_TO_WRITE}")
    given, size = given_to_training(settings), settings.vocab_size
    if (n := sum(map(len, given["special_tokens"]))) > SPECIALS_LENGTH:
        raise SettingError(
            f"The special tokens have {n:,} characters, and {SPECIALS_LENGTH:,} are the limit here.",
            "Use fewer or shorter ones.",
        )
    if 256 <= size <= bounds.now().vocabulary:
        size = min(size, 257 + len(text.encode()))  # more than it can have: arrays for a million merges take time
    until = time.monotonic() + OWN_PATTERN_S
    training = result_of(train_steps(text, size, **given, cancel=lambda: own and time.monotonic() > until))
    if training.stopped == "cancelled":
        raise PatternError(
            "Your split pattern takes more than a second for this corpus.",
            "Make it simpler, or choose a named pattern.",
        )
    return training


def why_no_more(training: Training) -> tuple[str, str]:
    """Why a training made fewer merges than it was asked for, and what to do about it.

    >>> from tokviz import train
    >>> why_no_more(train("so it is", 1024, pattern="none", min_count=3))
    ('no other pair occurs 3 times', 'Lower the least count, use a longer text')
    """
    return {
        "min_count": (
            f"no other pair occurs {often(training.rules.min_count)}",
            "Lower the least count, use a longer text",
        ),
        "no_pairs": (
            "no pair is left, because each chunk is one token",
            "Use a longer text, choose a pattern of longer chunks",
        ),
        "bytes": (
            f"with one more merge, all tokens together would have more than {most_vocabulary_bytes():,} bytes",
            "Choose a pattern with shorter chunks",
        ),
    }[training.stopped]


def often(n: int) -> str:
    """How often something happens, as people say it.

    >>> often(1), often(2), often(3)
    ('once', 'twice', '3 times')
    """
    return "twice" if n == 2 else times(n)


def keep_written(me: Visitor, written: Written, text: str, settings: TrainSettings) -> Mine:
    """Train on a corpus, and make the result a tokenizer of the visitor's; `written` tells if that was done before.

    text, settings: of the tab that asks. What `written` has may have come from another tab meanwhile.
    Raises InputError if there is no merge, SettingError if there is no room, and what `trained` raises.
    """
    if there := _kept(me, written, text, settings):
        return there
    training = trained(text, settings)
    if not training.merges:
        raise InputError("There is no merge to keep yet.", "Write more.")
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

"""What the browser asks about the corpus that is written on Train: what a training makes of it, and to keep that.

Each question has all of the text, and nothing is kept between two: a training of some thousand bytes takes about a
millisecond. What a key changed, the browser finds by itself (training.js).
"""

from __future__ import annotations

import base64
import zlib
from typing import Annotated, Any

import numpy as np

from tokviz import kernels
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.kernels.base import OPEN
from tokviz.offline.replay import merge_columns, varint_bytes
from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.training.train import Training
from tokviz.ui.server import limits
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.connection import VIEW_LIMIT
from tokviz.ui.server.line import IN_LOOP, OWN_EXPRESSIONS, TYPING, InLoop, Line
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.state import Number, TrainSettings, TrainState, Written
from tokviz.ui.train.written import keep_written, trained

LIVE_LIMIT = 20_000  # bytes of a corpus that is trained at each key
SHORT = 5_000  # characters of a text, and tokens of a vocabulary, that are trained in the event loop
REST_S = 0.15  # without a key, after which a longer corpus is trained

View = Annotated[str, range(VIEW_LIMIT + 1)]


def _line(me: Visitor, settings: TrainSettings, **_: Any) -> Line:
    return OWN_EXPRESSIONS if settings.pattern == CUSTOM else TYPING


def _short(me: Visitor, text: str, settings: TrainSettings, **_: Any) -> Line | InLoop:
    """The line for a training as you type: of a short text, with a pattern that is quick, it takes some 3 ms."""
    short = len(text) <= SHORT and settings.vocab_size <= SHORT and not settings.special
    quick = settings.pattern in PATTERNS and not kernels.trainer_compiles()
    return IN_LOOP if short and quick else _line(me, settings)


@question("train.written", _short)
def written(me: Visitor, view: View, text: str, settings: TrainSettings, step: Number | None) -> Answer:
    """The training on the text, which is kept. The settings are the page's to keep: a browser may say old ones.

    view: the text area. step: the chosen step, None for the last.
    """
    text, mine = clean(text), _written(me, view)
    if len(text) > limits.WRITTEN_UNITS:
        raise InputError(
            f"A text can have {limits.WRITTEN_UNITS:,} characters here.", "To train on more, upload a file."
        )
    mine.type(text, view)
    mine.step, me.active = step, True
    if len(text) > LIVE_LIMIT:
        VISITORS.keep_limits(me)
    return training_data(trained(text, settings))


@question("train.step")
def chosen(me: Visitor, view: View, step: Number | None) -> Answer:
    """Keep another step as the chosen one."""
    _written(me, view).step = step
    return {}


@question("train.keep", _line)
def keep(me: Visitor, view: View, text: str, settings: TrainSettings, replay: bool) -> Answer:
    """Make the training a tokenizer of the visitor's: its name. replay: whether Replay shows it next."""
    mine = keep_written(me, _written(me, view), clean(text), settings)
    if replay:
        me.plays = mine.key
    VISITORS.keep_limits(me)
    return {"name": mine.name}


def _written(me: Visitor, view: str) -> Written:
    """The visitor's corpus. InputError if the text area shows that of somebody who has started over since."""
    if VISITORS.has_left(view):
        raise InputError("You have started over in another tab.", "Load this page again.")
    return me.state(TrainState).written


def training_data(training: Training) -> dict[str, Any]:
    """A training as the browser reads it: its merges, and the corpus under them, without the text that it sent.

    The seams are most of it, and packed: of 5,000 letters under 24 merges 2 kB instead of 27.

    >>> from tokviz import train
    >>> sorted(training_data(train("aab aab ab", 258, pattern="none")))
    ['columns', 'seams', 'special_ids', 'specials', 'stopped', 'tokens', 'whole']
    """
    corpus = training.window(0, training.n_bytes)
    seams = corpus.seams.astype(np.int64)
    folded = np.where(seams >= OPEN, seams - OPEN, seams + 3)  # OPEN, SPLIT, WHOLE, and then the ranks
    return {
        "seams": base64.b64encode(zlib.compress(varint_bytes(folded), 1)).decode("ascii"),
        "whole": {str(start): id for start, id in corpus.whole.items()},
        "special_ids": sorted(corpus.special_ids.intersection(corpus.whole.values())),
        "columns": merge_columns(training.merges)["columns"],
        "tokens": training.counts.n_tokens,
        "stopped": training.stopped,
        "specials": len(training.counts.special_tokens),
    }

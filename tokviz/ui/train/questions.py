"""What the browser asks about the corpus that is written on Train: what a training makes of it, to keep
that, and a link.

Each question has all of the text, and nothing is kept between two: a training of some thousand bytes takes about a
millisecond. What a key changed, the browser finds by itself (training.js).
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from tokviz import kernels
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.base.wording import count_of
from tokviz.kernels.base import OPEN
from tokviz.offline.replay import merge_columns, varint_bytes
from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.training.train import Training
from tokviz.ui.frame.address import Link, encode, left_out
from tokviz.ui.server import limits
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.connection import View
from tokviz.ui.server.line import IN_LOOP, OWN_EXPRESSIONS, TYPING, InLoop, Line
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.link import BYTES, SETTING_LENGTH, TrainLink
from tokviz.ui.train.settings import chosen_pattern
from tokviz.ui.train.state import Number, TrainSettings, TrainState, Written
from tokviz.ui.train.written import keep_written, often, trained, why_no_more

LIVE_LIMIT = 20_000  # bytes of a corpus that is trained at each key
SHORT = 5_000  # characters of a text, and tokens of a vocabulary, that are trained in the event loop
REST_S = 0.15  # without a key, after which a longer corpus is trained


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
    training = trained(text, settings)
    return training_data(training) | {"said": said_of(training, text, settings.vocab_size)}


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


@question("train.link")
def linked(me: Visitor, view: View, text: str, settings: TrainSettings, step: Number | None) -> Answer:
    """The query of a link to this text, its settings and the step, and what to say when it is copied."""
    merges, special = settings.vocab_size - BYTES, settings.special or None
    rules = (chosen_pattern(settings), settings.tie, settings.min_count, special)
    if max(len(rules[0]), len(settings.special)) > SETTING_LENGTH:
        what = f"A link carries at most {SETTING_LENGTH:,} characters of a split pattern, and of the special tokens."
        raise InputError(what, "Make them shorter to copy it.")
    link = Link(TrainLink(True, merges, *rules, step), text=clean(text))
    return {"query": encode(link), "said": f"Link copied. {left_out(link)}".strip()}


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
    ['columns', 'seams', 'special_ids', 'tokens', 'whole']
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
    }


def said_of(training: Training, text: str, asked: int) -> dict[str, str]:
    """What the page says of a training, "" where it says nothing.

    asked: the size of the vocabulary that was asked for.

    >>> from tokviz import train
    >>> said = said_of(train("aab aab ab", 280, min_count=2), "aab aab ab", 280)
    >>> said["name"], said["made"], said["ended"]
    ('Written 258', '2 merges, 258 tokens.', 'You asked for 280: no other pair occurs twice.')
    """
    n, least, trouble = len(training.merges), training.rules.min_count, ""
    stopped = training.stopped != "size" and BYTES + n < asked
    if len(text.encode("utf-16-le")) >= 2 * limits.WRITTEN_UNITS:
        trouble = f"The text is full: {limits.WRITTEN_UNITS:,} characters fit here. To train on more, upload a file."
    elif len(text.encode()) > LIVE_LIMIT:
        trouble = f"Above {LIVE_LIMIT:,} bytes the merges follow when you stop typing."
    none = f"{'There is no pair' if least < 2 else f'No pair occurs {often(least)}'} yet. Write more."
    if asked == BYTES:
        none = "No merges are asked for. Ask for more tokens."
    return {
        "name": f"Written {training.tokenizer.vocab_size:,}",
        "made": f"{count_of(n, 'merge')}, {BYTES + n:,} tokens.",
        "ended": f"You asked for {asked:,}: {why_no_more(training)[0]}." if stopped else "",
        "none": "" if n else none,
        "trouble": trouble,
    }

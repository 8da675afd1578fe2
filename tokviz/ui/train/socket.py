"""The Train page's socket: the browser sends what is written as small patches, and gets the merges that they changed.

A connection holds one corpus of one visitor and its settings. The browser speaks first, and numbers its changes:

    {"view", "settings", "length", "sum"}    the text area, the settings, and the length and CRC-32 of the text in it,
                                             in UTF-16-LE; the answer is {"hello", "same"}
    {"v", "from", "to", "insert"}            change number v: replace these UTF-16 units by `insert`
    {"v", "settings"}                        change number v: train with these settings from now on
    {"step"}                                 the chosen step, kept for the visitor; there is no answer
    {"keep": n, "replay"}                    make the training a tokenizer of the visitor's; if `replay`, Replay shows
                                             it next

"same" says whether the server has the text of the browser already. If so, the whole training follows as the answer to
change 0. If not, the server begins with an empty text, and the browser sends all of its own as the first patch. The
text is kept as the visitor's written corpus; its settings are the page's to keep. If `view` is "", the text is kept no
longer than the connection, and "same" is false: so a lesson can show a corpus of its own.

Settings have the fields of `TrainSettings` without `sample`; `custom` is the split pattern if `pattern` is "custom",
and `special` has one special token in each line. The answer to "keep" is {"keep": n, "key", "name"}, or
{"keep": n, "error"} with a message for the reader, if there is no room for it or nothing to keep. The same training is
not kept twice.

The answer to a change counts for all changes before it too, which may have no answer of their own. It is the header's
length as uint32, the header in JSON, spaces up to a multiple of four, and then integers as int32. If the text cannot
be trained on with these settings, the header is {"v", "length", "error"} and nothing follows it. The last training
stays then, and the next answer tells what changed since that one. In other cases the header has these fields:

    v, length       the number of the change, and the length of the text in UTF-16 units
    bytes, tokens   of the corpus, before the first merge
    stopped         why there are no more merges: "size", "no_pairs", "min_count" or "bytes"
    merges          how many there are
    edit            [first, removed, added]: at this byte, so many bytes were replaced by so many
    kept            [[rank, old, number], ...]: so many rows of the last ladder, from rank `old` on, are rows of this
                    one from `rank` on: the same token, made of the same two tokens, with the same figures
    gone            the old ranks of tokens that are no longer made
    up, down, new   how many rows moved up, how many moved down, and how many are new
    specials        the special tokens of the settings; the id of each is 256 + merges + its index
    rows, runs, seams, whole    how many there are below

and these integers follow, in this order:

    rows            of 7: rank, old, left, right, count, replaced, tied. All rows that are not kept, by rank. old: the
                    rank of the same token in the last ladder, -1 if it is new. left, right: ids, a byte or 256 + rank
                    in the new ladder. The tokens after a merge are those before it less `replaced`
    runs, seams     runs are of 2: first byte and number of seams; each takes the next so many of `seams`
    whole           of 2: first byte and index of each special token in the corpus, all of them each time

A token is known by its bytes: its row is new if the last ladder did not make these bytes, and moved up by old - rank.
To get the new seams: give each old seam the new rank of its token (-9 if it is gone; OPEN, SPLIT and WHOLE stay),
replace the `removed` seams from `first` on by `added` others, and overwrite the runs. Seams are as in
`tokviz.tokenizer.encoding`: a chunk begins where one is SPLIT, and so does a special token.

Above `LIVE_LIMIT` bytes the browser sends a patch only when the typing rests for `REST_S`. A text of more than
`limits.WRITTEN_UNITS` UTF-16 units is refused, so the browser does not send one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz import kernels
from tokviz.base import bounds
from tokviz.base.errors import TokvizError
from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.tokenizer.live_text import EditedText
from tokviz.training.live import LadderChange, LiveTraining
from tokviz.ui.server import limits
from tokviz.ui.server.connection import (
    TOO_LARGE,
    UNREADABLE,
    VIEW_LIMIT,
    Conversation,
    Patch,
    Refusal,
    check_room,
    has_text,
    patching,
    read_as,
    read_message,
    send,
    serve,
    visitor_with,
    with_numbers,
)
from tokviz.ui.server.pool import ANSWERS, OWN_EXPRESSIONS, TYPING
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train.state import Number, TrainSettings, TrainState, Written
from tokviz.ui.train.written import OWN_PATTERN_S, keep_written, live_settings, seconds_for

TRAINING_BYTES = 20  # of memory, for each character of a corpus: itself, its seams and what is made of it
LIVE_LIMIT = 20_000  # bytes of a corpus that is trained at each key
REST_S = 0.15  # without a key, after which a longer corpus is trained
MESSAGE_LIMIT = 1_500_000  # characters; JSON writes a unit in up to six
SETTING_LIMIT = 50_000  # characters of a setting
BYTES_AT_ONCE, MERGES_AT_ONCE = 5_000, 1_000  # trained in the event loop, in 3 ms at most; what is more, in a thread


# -- the messages --


class Hello(NamedTuple):
    view: Annotated[str, range(VIEW_LIMIT + 1)]
    settings: TrainSettings
    length: Number
    sum: Number


class Settings(NamedTuple):
    v: Number
    settings: TrainSettings


class Step(NamedTuple):
    step: Number | None


class Keep(NamedTuple):
    n: Annotated[Number, "keep"]
    replay: bool


Said = Patch | Hello | Settings | Step | Keep


def understood(message: str | None) -> Said:
    """A message from the browser; Refusal if it is too large, or none of the five.

    >>> understood('{"v": 3, "from": 0, "to": 1, "insert": "a"}')
    Patch(v=3, start=0, stop=1, insert='a')
    """
    words = "This message is not a greeting, a change or a question."
    said: Said = read_as(Said, read_message(message, MESSAGE_LIMIT), words)
    if isinstance(said, Hello | Settings):
        said.settings.sample = None
        if max(len(said.settings.custom), len(said.settings.special)) > SETTING_LIMIT:
            raise Refusal(TOO_LARGE, f"A setting can have at most {SETTING_LIMIT:,} characters.")
    return said


def answer(v: int, length: int, change: LadderChange | TokvizError) -> bytes:
    """The answer to a change, as the head of this file describes it. length: of the text, in UTF-16 units."""
    if isinstance(change, TokvizError):
        return with_numbers({"v": v, "length": length, "error": str(change)})
    training, merges = change.training, len(change.old)
    old = np.maximum(change.old[change.rows], -1)
    whole = [(place, id - 256 - merges) for place, id in change.whole.items() if id is not None]
    header = {
        "v": v,
        "length": length,
        "bytes": training.n_bytes,
        "tokens": training.counts.n_tokens,
        "stopped": training.stopped,
        "merges": merges,
        "edit": change.edit,
        "kept": change.kept,
        "gone": change.gone.tolist(),
        "up": change.up,
        "down": change.down,
        "new": change.new,
        "specials": training.counts.special_tokens,
        "rows": len(change.rows),
        "runs": len(change.runs),
        "seams": len(change.seams),
        "whole": len(whole),
    }
    rows = np.column_stack([change.rows, old, change.figures])
    return with_numbers(header, rows, change.runs, change.seams, np.array(whole, np.int32))


# -- the connection --


class Writing(Conversation):
    """One connection: the corpus and its settings, the last training, and what waits to be trained.

    At most one training is under way. Changes that come meanwhile wait together for the next one.
    """

    def __init__(self, websocket: WebSocket, key: str) -> None:
        super().__init__(websocket, key)
        self.view = ""
        self.text: EditedText | None = None
        self.unkept = Written("")  # in place of the visitor's, if the browser names no text area
        self.settings = TrainSettings()
        self.training = LiveTraining()
        self.waiting: int | None = None  # the number of the last change that has no answer
        self.answering: asyncio.Task[None] | None = None
        self.ran_away = -bounds.now().match_seconds  # when an expression of the visitor's own took too long

    def end(self) -> None:
        if self.answering:
            self.answering.cancel()

    async def hear(self, message: str | None) -> None:
        said = understood(message)
        view = said.view if isinstance(said, Hello) else self.view
        me = visitor_with(self.key, view)
        written, text = me.state(TrainState).written if view else self.unkept, self.text
        if isinstance(said, Hello) and text is None:
            await self.greet(me, written, said)
        elif isinstance(said, Hello) or text is None:
            raise Refusal(UNREADABLE, "The first message is a greeting, and no other one is.")
        elif isinstance(said, Step):
            written.step = said.step
        elif isinstance(said, Keep):
            await self.keep(me, written, text.text, said)
        elif isinstance(said, Settings):
            self.settings = said.settings  # the page keeps them: a browser may say what was there before
            await self.train(me, text, said.v)
        else:
            check_room(me, self.training, TRAINING_BYTES * (len(said.insert) - (said.stop - said.start)))
            with patching():
                text.replace(said.start, said.stop, said.insert)
            written.type(text.text, self.view)
            me.active = True
            await self.train(me, text, said.v)

    async def greet(self, me: Visitor, written: Written, hello: Hello) -> None:
        """Begin with the visitor's text if the browser has the same, else with none."""
        same = bool(hello.view) and has_text(written.text, hello.length, hello.sum)
        self.view, self.text = hello.view, EditedText(written.text if same else "", limits.WRITTEN_UNITS)
        self.settings = hello.settings
        with me.lock:
            me.live_texts.update([self.text, self.training])
        await send(self.websocket, json.dumps({"hello": True, "same": same}))
        if same:
            await self.train(me, self.text, 0)

    async def train(self, me: Visitor, text: EditedText, v: int) -> None:
        """Answer the change with the number v: at once if that takes a moment, else in a thread."""
        self.waiting = v
        if self.answering and not self.answering.done():
            return
        corpus = text.text
        n_bytes, merges = len(corpus.encode()), self.settings.vocab_size - 256
        small = n_bytes <= BYTES_AT_ONCE and min(n_bytes, merges) <= MERGES_AT_ONCE
        quick = small and not kernels.trainer_compiles()
        if quick and self.settings.pattern in PATTERNS and not self.settings.special:
            self.waiting = None
            await send(self.websocket, self.answer(v, corpus, len(text), self.settings))
        else:
            self.answering = asyncio.create_task(self.train_in_thread(me, text))

    async def train_in_thread(self, me: Visitor, text: EditedText) -> None:
        """Answer the last change until none waits. After an expression ran away, its last match may need a while."""
        with contextlib.suppress(WebSocketDisconnect):  # the browser has left meanwhile
            while self.waiting is not None:
                own = self.settings.pattern == CUSTOM
                if own and time.monotonic() < self.ran_away + bounds.now().match_seconds:
                    await asyncio.sleep(0.1)
                    continue
                v, self.waiting, corpus = self.waiting, None, text.text
                answering = partial(self.answer, v, corpus, len(text), self.settings)
                pool = OWN_EXPRESSIONS if own else TYPING
                await send(self.websocket, await pool.do(self.key, answering))
                if len(corpus) > LIVE_LIMIT:
                    await ANSWERS.do(self.key, partial(VISITORS.keep_limits, me))

    def answer(self, v: int, corpus: str, length: int, settings: TrainSettings) -> bytes:
        """Train, and tell what changed or why it cannot be done. Only one thread at a time does so."""
        begun = time.monotonic()
        try:
            change: LadderChange | TokvizError = self.training.train(
                corpus, live_settings(settings), seconds_for(settings)
            )
        except TokvizError as error:
            change = error.without_frames()
            if time.monotonic() > begun + OWN_PATTERN_S:
                self.ran_away = time.monotonic()
        return answer(v, length, change)

    async def keep(self, me: Visitor, written: Written, corpus: str, asked: Keep) -> None:
        """Make the training on this corpus a tokenizer of the visitor's."""
        settings = self.settings

        def kept() -> dict[str, Any]:
            try:
                mine = keep_written(me, written, corpus, settings)
            except TokvizError as error:
                return {"error": str(error)}
            if asked.replay:
                me.plays = mine.key
            VISITORS.keep_limits(me)
            return {"key": mine.key, "name": mine.name}

        pool = OWN_EXPRESSIONS if settings.pattern == CUSTOM else ANSWERS
        said = await pool.do(self.key, kept)
        with contextlib.suppress(WebSocketDisconnect):  # the browser has left meanwhile
            await send(self.websocket, json.dumps({"keep": asked.n, **said}))


train_socket = partial(serve, begin=Writing)

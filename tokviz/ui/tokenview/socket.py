"""The live socket: the browser sends what is typed as small patches, and gets the seams that they changed.

A connection holds one text of one visitor, under the tokenizers that the page shows. The browser speaks first:

    {"view", "keys", "specials",             the text area, the tokenizers' keys, how special tokens are read, and the
     "length", "sum"}                        length and CRC-32 of the text whose tokens the browser already has (null if
                                             it has none); the answer is {"hello", "same", "rests"}: above `rests`
                                             units the browser waits for a pause in typing
    {"v", "from", "to", "insert"}            patch number v: replace these UTF-16 units by `insert`

The answer to a patch is a header in JSON and, for each tokenizer, the seams that changed. The header contains v and the
new length in UTF-16 units, so that the browser can check that both sides have the same text. Where a normalizer changes
the text, it contains the changed text, and for each of its bytes that of the typed one follows the seams.

Places in the text are UTF-16 units, as in the browser. tokenizer/live_text.py explains how the text is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Annotated, NamedTuple

from starlette.websockets import WebSocket

from tokviz.base.errors import InputError
from tokviz.split.cutting import PATTERNS
from tokviz.split.specials import Reading
from tokviz.tokenizer.live_text import LiveText, SeamChange, TooLong
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.server import limits
from tokviz.ui.server.connection import (
    REFUSED,
    TOO_LARGE,
    TRY_LATER,
    UNREADABLE,
    Conversation,
    Refusal,
    View,
    check_still_here,
    read_as,
    read_message,
    serve,
    visitor_with,
    with_numbers,
)
from tokviz.ui.server.line import IN_LOOP, OWN_EXPRESSIONS, PEERS, TYPING, Line
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import Keys, sum_of

SHORT = 20_000  # UTF-16 units under all tokenizers together that are encoded in the event loop; more, in a thread
# UTF-16 units that are encoded in some 40 ms: under a tokenizer with a named pattern; under one without chunks, or with
# an expression or a pipeline of its own; and under that of another package.
NAMED, ANY_CHUNKS, BY_PACKAGE = 2_000_000, 120_000, 20_000

SEAM_BYTES = 5  # of memory, for each byte of a text under each tokenizer

# -- the messages --


class Hello(NamedTuple):
    view: View
    keys: Keys
    specials: Reading
    length: int | None
    sum: int | None


class Patch(NamedTuple):
    v: int
    start: Annotated[int, "from"]
    stop: Annotated[int, "to"]
    insert: str


def has_text(text: str, length: int | None, sum: int | None) -> bool:
    """Whether this is the text of the browser, of which it says the length and the CRC-32 in UTF-16."""
    return len(text.encode("utf-16-le", "replace")) // 2 == length and sum_of(text) == sum


def answer(v: int, length: int, changes: Sequence[SeamChange]) -> bytes:
    """The answer to a patch."""
    parts = [
        {
            "start": change.start,
            "stop": change.stop,
            "count": len(change.seams),
            "ids": change.ids,
            "whole": change.whole,
            "special_ids": change.special_ids,
            **({"added_ids": change.added_ids} if change.added_ids else {}),
            **({"text": change.changed[0]} if change.changed else {}),
            "bare": change.bare,
            "error": str(change.error) if change.error else None,
            "refused": change.refused,
        }
        for change in changes
    ]
    numbers = ((change.seams, *(change.changed or ())[1:]) for change in changes)
    return with_numbers({"v": v, "length": length, "parts": parts}, *chain.from_iterable(numbers))


def line_for(text: LiveText) -> Line:
    """The line in which a text is encoded."""
    if any(not side.tokenizer.has_merges for side in text.sides):
        return PEERS
    return TYPING if text.is_quick else OWN_EXPRESSIONS


def rests_above(text: LiveText) -> int:
    """The UTF-16 units above which a text is encoded only when nobody has typed for a moment."""
    patterns = {side.tokenizer.pattern for side in text.sides}
    most = BY_PACKAGE if None in patterns else NAMED if patterns <= PATTERNS.keys() - {"none"} else ANY_CHUNKS
    return most // max(len(text.sides), 1)


def check_room(me: Visitor, text: LiveText, more: int) -> None:
    """Refusal if the visitor may not keep the text with `more` UTF-16 units. A small one is not counted."""
    n_bytes = more * (2 + SEAM_BYTES * len(text.sides))
    why = VISITORS.why_no_room(me, n_bytes) if n_bytes > 0 and text.n_bytes + n_bytes > limits.MB else ""
    if why:
        raise Refusal(TRY_LATER, why)


# -- the connection --


class Talk(Conversation):
    """One connection: a text of a visitor, and the tokenizers that it is shown under."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        super().__init__(websocket, key)
        self.view = ""
        self.text: LiveText | None = None

    async def hear(self, message: str | None) -> None:
        said = read_as(Hello | Patch, read_message(message), "This message is not a greeting or a patch.")
        self.view = said.view if isinstance(said, Hello) else self.view
        check_still_here(self.key, self.view)
        me = visitor_with(self.key)
        if isinstance(said, Hello):
            await self.greet(me, said)
        elif self.text is None:
            raise Refusal(UNREADABLE, "The first message is a greeting.")
        else:
            await self.change(me, self.text, said)

    async def greet(self, me: Visitor, hello: Hello) -> None:
        def prepared() -> tuple[LiveText, str | None]:
            there = {shown.key: shown for shown in at_hand(me)}
            if not there.keys() >= {*hello.keys}:
                raise Refusal(REFUSED, "A tokenizer that the page shows is no longer here. Reload the page.")
            mine, shown = me.text, [there[key].tokenizer for key in hello.keys]
            text = LiveText(shown, hello.specials, limit=limits.TEXT_UNITS)
            return text, mine if has_text(mine, hello.length, hello.sum) else None

        def begun(known: str) -> None:
            check_room(me, text, len(known))
            text.start_with(known)  # this makes the encoder's tables too

        text, known = await TYPING.do(self.key, prepared)
        await line_for(text).do(self.key, partial(begun, known or ""))
        me.specials, self.text = hello.specials, text
        with me.lock:
            me.live_texts.add(text)
        await self.tell({"hello": True, "same": known is not None, "rests": rests_above(text)})

    async def change(self, me: Visitor, text: LiveText, patch: Patch) -> None:
        """Edit the text and answer: in the event loop if that takes a moment, else in a thread."""

        def told() -> bytes:
            check_room(me, text, len(patch.insert) - (patch.stop - patch.start))
            changes = text.patch(patch.start, patch.stop, patch.insert)
            me.type(text.text, self.view)
            return answer(patch.v, len(text), changes)

        short = (len(text) + len(patch.insert)) * len(text.sides) <= SHORT
        line = line_for(text)
        try:
            said = await (IN_LOOP if short and line is TYPING else line).do(self.key, told)
        except InputError as fault:  # the text does not have the units of the patch, or would become too long
            raise Refusal(TOO_LARGE if isinstance(fault, TooLong) else UNREADABLE, fault.what) from None
        await self.tell(said)


live_socket = partial(serve, begin=Talk)

"""The live socket: the browser sends what is typed as small patches, and gets the seams that they changed.

A connection holds one text of one visitor, under the tokenizers that the page shows. The browser speaks first:

    {"view", "keys", "specials",             the text area, the tokenizers' keys, how special tokens are read, and the
     "length", "sum"}                        length and CRC-32 of the text whose tokens the browser already has (null if
                                             it has none); the answer is {"hello", "same", "rests"}: above so many
                                             units the browser waits for a pause in typing
    {"v", "from", "to", "insert"}            patch number v: replace these UTF-16 units by `insert`
    {"prove": v, "size"}                     does tiktoken give the same ids to the text after patch v, and what is to
                                             be known of them, at this vocabulary size (null: not cut)?
    {"look": v, "side", "start", "size"}     describe the pinned token, which covers this byte, under the tokenizer with
                                             this number among the keys, cut to this vocabulary size (null: not cut);
                                             start null: no token is pinned now, and there is no answer

The answer to a patch is a header in JSON and, for each tokenizer, the seams that changed. The header contains v and the
new length in UTF-16 units, so that the browser can check that both sides have the same text. Where a normalizer changes
the text, it contains the changed text, and for each of its bytes that of the typed one follows the seams.

Places in the text are UTF-16 units, as in the browser. tokenizer/live_text.py explains how the text is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Annotated, Any, NamedTuple, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.base.errors import TokvizError
from tokviz.comparison.proof import proof
from tokviz.split.cutting import PATTERNS
from tokviz.split.specials import Reading
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.live_text import LiveText, SeamChange, Standing
from tokviz.tokenizer.origin import Size
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.address import TOKENIZERS_LIMIT
from tokviz.ui.frame.remarks import remarks
from tokviz.ui.frame.tokenizers import at_hand, badge_of, family_of, family_ready, witness_of
from tokviz.ui.server import limits
from tokviz.ui.server.connection import (
    REFUSED,
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
from tokviz.ui.server.pool import ANSWERS, OWN_EXPRESSIONS, PEER_ANSWERS, PEERS, RELATIONS, TYPING, Pool
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.vocabulary.card import card_at
from tokviz.vocabulary.family import Family

SERVER = secrets.token_hex(8)  # names this run of the server, which a page in a browser may outlive
MESSAGE_LIMIT = 2_000_000  # characters of a message; the browser sends a long text in pieces far below that

SHORT = 20_000  # UTF-16 units under all tokenizers together that are encoded in the event loop; more, in a thread
# UTF-16 units that are encoded in some 40 ms: under a tokenizer with a named pattern; under one without chunks, or with
# an expression or a pipeline of its own; and under that of another package.
NAMED, ANY_CHUNKS, BY_PACKAGE = 2_000_000, 120_000, 20_000

SEAM_BYTES = 5  # of memory, for each byte of a text under each tokenizer

T = TypeVar("T")


# -- the messages --


class Hello(NamedTuple):
    view: Annotated[str, range(VIEW_LIMIT + 1)]
    keys: Annotated[list[str], range(TOKENIZERS_LIMIT + 1)]
    specials: Reading
    length: int | None
    sum: int | None


class Prove(NamedTuple):
    v: Annotated[int, "prove"]
    size: Size | None


class Look(NamedTuple):
    v: Annotated[int, "look"]
    side: int
    start: int | None
    size: int | None


Said = Patch | Hello | Prove | Look


def understood(message: str | None) -> Said:
    """A message from the browser; Refusal if it is too large, or none of the four."""
    said = read_message(message, MESSAGE_LIMIT)
    found: Said = read_as(Said, said, "This message is not a greeting, a patch or a question.")
    return found


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


def pool_for(text: LiveText) -> Pool:
    """The pool in which a text is encoded."""
    if any(not side.tokenizer.has_merges for side in text.sides):
        return PEERS
    return TYPING if text.is_quick else OWN_EXPRESSIONS


def rests_above(text: LiveText) -> int:
    """The UTF-16 units above which a text is encoded only when nobody has typed for a moment."""
    patterns = {side.tokenizer.pattern for side in text.sides}
    most = BY_PACKAGE if None in patterns else NAMED if patterns <= PATTERNS.keys() - {"none"} else ANY_CHUNKS
    return most // max(len(text.sides), 1)


# -- the connection --


class Talk(Conversation):
    """One connection: the visitor, their text, and what is being proved."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        super().__init__(websocket, key)
        self.view = ""
        self.keys: list[str] = []  # of the tokenizers
        self.text: LiveText | None = None
        self.asked: tuple[Prove, Standing] | None = None  # the last question to prove, and the text at that time
        self.proving: asyncio.Task[None] | None = None
        self.looking: asyncio.Task[None] | None = None
        self.relating: asyncio.Task[None] | None = None
        self.families: dict[AnyTokenizer, Family] = {}  # of the tokenizers that were looked at
        self.look: tuple[Look, AnyTokenizer, Encoding] | None = None  # the last question, and the text at that time

    def end(self) -> None:
        for task in (self.proving, self.looking, self.relating):
            if task:
                task.cancel()

    async def hear(self, message: str | None) -> None:
        said = understood(message)
        me = visitor_with(self.key, said.view if isinstance(said, Hello) else self.view)
        if isinstance(said, Hello):
            await self.greet(me, said)
        elif self.text is None:
            raise Refusal(UNREADABLE, "The first message is a greeting.")
        elif isinstance(said, Patch):
            await self.change(me, self.text, said)
        elif isinstance(said, Look):
            self.look = (said, *await self.read(self.text, partial(self.looked_at, self.text, said)))
            me.pin = self.keys[said.side], said.start, said.size
            if not self.looking or self.looking.done():
                self.looking = asyncio.create_task(self.tell(me))
        else:
            self.asked = (said, await self.read(self.text, self.text.standing))
            if not self.proving or self.proving.done():
                self.proving = asyncio.create_task(self.prove(me))

    async def greet(self, me: Visitor, hello: Hello) -> None:
        def prepared() -> tuple[LiveText, str | None]:
            there = {shown.key: shown for shown in at_hand(me)}
            if not there.keys() >= {*hello.keys}:
                raise Refusal(REFUSED, "A tokenizer that the page shows is no longer here. Reload the page.")
            mine, shown = me.text, [there[key].tokenizer for key in hello.keys]
            text = LiveText(shown, hello.specials, limit=limits.TEXT_UNITS)
            return text, mine if has_text(mine, hello.length, hello.sum) else None

        self.asked = self.look = None
        self.view, self.keys, self.families = hello.view, hello.keys, {}

        def begun(known: str) -> None:
            check_room(me, text, len(known) * (2 + SEAM_BYTES * len(text.sides)))
            text.start_with(known)  # this makes the encoder's tables too

        text, known = await TYPING.do(self.key, prepared)
        await pool_for(text).do(self.key, partial(begun, known or ""))
        me.specials, self.text = hello.specials, text
        with me.lock:
            me.live_texts.add(text)
        said = {"hello": True, "same": known is not None, "rests": rests_above(text)}
        await send(self.websocket, json.dumps(said))

    async def change(self, me: Visitor, text: LiveText, patch: Patch) -> None:
        """Edit the text and answer: in the event loop if that takes a moment, else in a thread."""

        def told() -> bytes:
            more = len(patch.insert) - (patch.stop - patch.start)
            check_room(me, text, more * (2 + SEAM_BYTES * len(text.sides)))
            changes = text.patch(patch.start, patch.stop, patch.insert)
            me.type(text.text, self.view)
            return answer(patch.v, len(text), changes)

        short = (len(text) + len(patch.insert)) * len(text.sides) <= SHORT
        pool = pool_for(text)
        with patching():
            said = told() if short and pool is TYPING else await pool.do(self.key, told)
        await send(self.websocket, said)

    async def prove(self, me: Visitor) -> None:
        """Compare the ids with tiktoken's; in a thread, because 1 MB takes a second.

        If several questions came meanwhile, only the last is answered. tiktoken cannot judge a tokenizer that is cut to
        a smaller size.
        """

        def told(asked: Prove, standing: Standing) -> dict[str, Any]:
            text, shown = standing
            size = math.inf if asked.size is None else asked.size  # a tokenizer with more is cut; a peer has no merges
            badges = [
                badge_of(tokenizer, proof(tokenizer, text, encoding, witness_of(me, tokenizer)))
                if text and encoding is not None and size >= 256 + len(tokenizer.merge_ids)
                else None
                for tokenizer, encoding in shown
            ]
            return {
                "proof": asked.v,
                "size": asked.size,
                "badges": [asdict(badge) if badge else None for badge in badges],
                "remarks": [
                    remarks(tokenizer, text, encoding) if encoding is not None else [] for tokenizer, encoding in shown
                ],
            }

        with contextlib.suppress(WebSocketDisconnect, TokvizError):
            while self.asked:
                question, self.asked = self.asked, None
                with_peer = any(not tokenizer.has_merges for tokenizer, _ in question[1].shown)
                pool = PEER_ANSWERS if with_peer else ANSWERS
                await send(self.websocket, json.dumps(await pool.do(self.key, partial(told, *question))))
                await ANSWERS.do(self.key, partial(VISITORS.keep_limits, me))

    async def read(self, text: LiveText, reading: Callable[[], T]) -> T:
        """What `reading` makes of the text as it stands: in a thread if the text is long."""
        return reading() if len(text) <= SHORT else await TYPING.do(self.key, reading)

    def looked_at(self, live: LiveText, look: Look) -> tuple[AnyTokenizer, Encoding]:
        """The tokenizer that the question is about, and the present text under it."""
        if not 0 <= look.side < len(live.sides):
            raise Refusal(UNREADABLE, f"There are {len(live.sides)} tokenizers here, counted from 0.")
        side = live.sides[look.side]
        encoding = side.encoding
        sizes = range(256, 257 + len(side.tokenizer.merge_ids))
        no_byte = look.start is not None and not 0 <= look.start < len(encoding.data)
        if no_byte or (look.size is not None and look.size not in sizes):
            raise Refusal(UNREADABLE, "There is no such byte, or no such vocabulary size.")
        return side.tokenizer, encoding

    async def tell(self, me: Visitor) -> None:
        """Answer the last question. If the family of the token is not known yet, it follows in a second answer."""
        with contextlib.suppress(WebSocketDisconnect):
            asked = None
            while self.look and self.look is not asked:
                asked = look, tokenizer, encoding = self.look
                if look.start is None:
                    return
                if tokenizer.has_merges and family_ready(me, tokenizer):
                    self.families[tokenizer] = family_of(me, tokenizer)
                family = self.families.get(tokenizer)
                telling = partial(card_at, tokenizer, encoding, look.start, look.size, family)
                pool = ANSWERS if tokenizer.has_merges else PEER_ANSWERS
                told = await pool.do(self.key, telling)
                await send(self.websocket, json.dumps({"look": look.v, "side": look.side, "details": told}))
                if tokenizer.has_merges and not family and (not self.relating or self.relating.done()):
                    self.relating = asyncio.create_task(self.relate(me, tokenizer))

    async def relate(self, me: Visitor, tokenizer: Tokenizer) -> None:
        """Find the families of a tokenizer's tokens, which takes seconds for a reference, then answer again."""
        self.families[tokenizer] = await RELATIONS.do(self.key, partial(family_of, me, tokenizer))
        while self.looking and not self.looking.done():  # each look that came meanwhile begins another one
            await self.looking
        self.relating = None
        self.looking = asyncio.create_task(self.tell(me))


live_socket = partial(serve, begin=Talk)

"""The Vocabulary page's socket: it answers the questions of the token list, one by one, in its own threads.

    {"n", "of", "token": id}                          the biography of the token, kept as the one that is shown
    {"n", "of", "family": id, "first"}                the tokens that absorbed it, from this number on
    {"n", "of", "places": id, "remaining", "first"}   places where it remains, or where it was absorbed

n is the number of the question. `of` is the key of the tokenizer. The answer is {"n", "answer"}, or {"n", "error"} with
a message for the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.errors import InputError, TokvizError
from tokviz.ui.sockets.connection import UNREADABLE, Refusal, read_message, serve, visitor_with
from tokviz.ui.tokenizers import Shown, at_hand
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.biography import biography_data, family_data, places_data
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import counted

MESSAGE_LIMIT = 100_000  # characters
FIRST_LIMIT = 2**31
_ANSWERING = ThreadPoolExecutor(2, "vocabulary")
_RELATING = ThreadPoolExecutor(1, "family")  # the family of a reference takes seconds, and nothing else waits for it


class Biography(NamedTuple):
    """What is there to tell about the token with this id?"""

    id: int


class Relatives(NamedTuple):
    """Which tokens absorbed the token with this id? first: the number of the first of them that is asked for."""

    id: int
    first: int


class Whereabouts(NamedTuple):
    """Where does the token with this id remain, or where was it absorbed? first: as of `Relatives`."""

    id: int
    remaining: bool
    first: int


Asked = Biography | Relatives | Whereabouts


def understood(message: str | None) -> tuple[int, str, Asked]:
    """Read a message: (number of the question, key of the tokenizer, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "of": "gpt2", "token": 3}')
    (1, 'gpt2', Biography(id=3))
    """
    match read_message(message, MESSAGE_LIMIT):
        case {"n": int(n), "of": str(of), "token": int(id)}:
            return n, of, Biography(id)
        case {"n": int(n), "of": str(of), "family": int(id), "first": int(first)} if 0 <= first < FIRST_LIMIT:
            return n, of, Relatives(id, first)
        case {"n": int(n), "of": str(of), "places": int(id), "remaining": bool(remaining), "first": int(first)} if (
            0 <= first < FIRST_LIMIT
        ):
            return n, of, Whereabouts(id, remaining, first)
    raise Refusal(UNREADABLE, "This message is not one of the questions.")


def answer(me: Visitor, of: str, asked: Asked) -> dict[str, Any]:
    """The answer to a question about the tokenizer with the key `of`. Raises TokvizError if it cannot be answered."""
    shown = shown_with(me, of)
    found = counted(me, shown)
    match asked:
        case Relatives(id, first):
            return family_data(me, shown, found, id, first)
        case Whereabouts(id, remaining, first):
            return places_data(me, shown, found, id, remaining=remaining, first=first)
    told = biography_data(me, shown, found, asked.id)
    state = me.state(VocabularyState)
    state.listed = replace(state.listed, token=asked.id)
    return told


def shown_with(me: Visitor, key: str) -> Shown:
    """The tokenizer with this key. InputError if it is no longer here."""
    shown = next((shown for shown in at_hand(me) if shown.key == key), None)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    return shown


async def vocabulary_socket(websocket: WebSocket) -> None:
    """Serve one connection of the Vocabulary page's socket until it closes."""
    await serve(websocket, Answers)


class Answers:
    """One connection, which answers each question before it reads the next one. key: the visitor's.

    Only the family of a token is answered when it is found, whatever is asked meanwhile.
    """

    def __init__(self, websocket: WebSocket, key: str) -> None:
        self.websocket = websocket
        self.key = key
        self.relating: set[asyncio.Task[None]] = set()

    async def hear(self, message: str | None) -> None:
        """Answer one message. Raises Refusal if it is not a question."""
        n, of, asked = understood(message)
        answering = partial(answer, visitor_with(self.key), of, asked)
        if isinstance(asked, Relatives):
            task = asyncio.create_task(self.reply(n, _RELATING, answering))
            self.relating.add(task)
            task.add_done_callback(self.relating.discard)
        else:
            await self.reply(n, _ANSWERING, answering)

    async def reply(self, n: int, pool: ThreadPoolExecutor, answering: Callable[[], dict[str, Any]]) -> None:
        """Answer question n, in a thread of this pool."""
        try:
            told: dict[str, Any] = {"answer": await asyncio.get_running_loop().run_in_executor(pool, answering)}
        except TokvizError as error:
            told = {"error": str(error)}
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has left meanwhile
            await self.websocket.send_text(json.dumps({"n": n, **told}, separators=(",", ":")))

    def end(self) -> None:
        """Let the questions go that are still being answered."""
        for task in self.relating:
            task.cancel()

"""The Vocabulary page's socket: it answers the questions of the token list, one by one, in its own threads.

    {"n", "of", "token": id}      the biography of the token, which is kept as the one that is shown

n is the number of the question. `of` is the key of the tokenizer. The answer is {"n", "answer"}, or {"n", "error"} with
a message for the reader.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from starlette.websockets import WebSocket

from tokviz.errors import InputError, TokvizError
from tokviz.ui.sockets.connection import UNREADABLE, Refusal, read_message, serve, visitor_with
from tokviz.ui.tokenizers import Shown, at_hand
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.biography import biography_data
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import counted

MESSAGE_LIMIT = 100_000  # characters
_ANSWERING = ThreadPoolExecutor(2, "vocabulary")


class Biography(NamedTuple):
    """What is there to tell about the token with this id?"""

    id: int


Asked = Biography


def understood(message: str | None) -> tuple[int, str, Asked]:
    """Read a message: (number of the question, key of the tokenizer, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "of": "gpt2", "token": 3}')
    (1, 'gpt2', Biography(id=3))
    """
    match read_message(message, MESSAGE_LIMIT):
        case {"n": int(n), "of": str(of), "token": int(id)}:
            return n, of, Biography(id)
    raise Refusal(UNREADABLE, "This message is not one of the questions.")


def answer(me: Visitor, of: str, asked: Asked) -> dict[str, Any]:
    """The answer to a question about the tokenizer with the key `of`. Raises TokvizError if it cannot be answered."""
    shown = shown_with(me, of)
    told = biography_data(me, shown, counted(me, shown), asked.id)
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
    """One connection, which answers each question before it reads the next one. key: the visitor's."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        self.websocket = websocket
        self.key = key

    async def hear(self, message: str | None) -> None:
        """Answer one message. Raises Refusal if it is not a question."""
        n, of, asked = understood(message)
        answering = partial(answer, visitor_with(self.key), of, asked)
        try:
            told: dict[str, Any] = {"answer": await asyncio.get_running_loop().run_in_executor(_ANSWERING, answering)}
        except TokvizError as error:
            told = {"error": str(error)}
        await self.websocket.send_text(json.dumps({"n": n, **told}, separators=(",", ":")))

    def end(self) -> None:
        """Do nothing: a connection holds nothing to release."""

"""The Replay page's socket: what the browser asks about what plays, answered one by one, in threads of its own.

    {"n", "of", "why": k}                       which pairs stood to be merged at step k, and what settled it
    {"n", "of", "window": start, "length"}      the place of the corpus that starts at this byte
    {"n", "of", "fires": k, "after", "length"}  the place where the merge of rank k fires next after this byte
    {"n", "of", "text": text}                   the visitor's own text, to go through the same steps; null: the one kept
    {"n", "of", "link": {step, ...}}            the query of a link to this place

n is the question's number, `of` the key of what plays (null: the sample's). The answer is {"n", "answer"}, or {"n",
"error"} with words for the reader.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from starlette.websockets import WebSocket

from tokviz.errors import InputError, TokvizError
from tokviz.text import clean
from tokviz.ui.address import encode, left_out
from tokviz.ui.components import payload
from tokviz.ui.components.replay import window_data
from tokviz.ui.replay.place import link_to_place
from tokviz.ui.replay.playing import LENGTHS, TEXT_LIMIT, Playing, playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.replay.why import why
from tokviz.ui.sockets.connection import UNREADABLE, Refusal, read_message, serve, visitor_with
from tokviz.ui.visitors.visitor import Visitor

MESSAGE_LIMIT = 100_000  # characters
_ANSWERING = ThreadPoolExecutor(2, "replay")  # counting all pairs takes a core for a while: typing must not wait for it


class Why(NamedTuple):
    step: int


class Window(NamedTuple):
    start: int
    length: int


class Fires(NamedTuple):
    rank: int
    after: int
    length: int


class OwnText(NamedTuple):
    text: str | None


class LinkTo(NamedTuple):
    step: int
    start: int
    length: int
    presenting: bool


Asked = Why | Window | Fires | OwnText | LinkTo


def understood(message: str | None) -> tuple[int, str | None, Asked]:
    """(number, key, question) of a message; Refusal if it is none of these."""
    match read_message(message, MESSAGE_LIMIT):
        case {"n": int(n), "of": str() | None as of, "why": int(step)}:
            return n, of, Why(step)
        case {"n": int(n), "of": str() | None as of, "window": int(start), "length": int(length)}:
            return n, of, Window(start, length)
        case {"n": int(n), "of": str() | None as of, "fires": int(k), "after": int(after), "length": int(length)}:
            return n, of, Fires(k, after, length)
        case {"n": int(n), "of": str() | None as of, "text": str() | None as text}:
            return n, of, OwnText(text)
        case {
            "n": int(n),
            "of": str() | None as of,
            "link": {"step": int(step), "start": int(start), "length": int(length), "presenting": bool(presenting)},
        }:
            return n, of, LinkTo(step, start, length, presenting)
    raise Refusal(UNREADABLE, "A message is a question, and this is none.")


def answer(person: Visitor, of: str | None, asked: Asked) -> dict[str, Any]:
    """The answer to a question about what plays under the key `of`. TokvizError where there is none."""
    shown = playing(person, of)
    if shown is None:
        raise InputError("This tokenizer is here no longer.", "Reload the page.")
    match asked:
        case Why(step):
            return why_answer(shown, step)
        case Window(start, length):
            return window_data(shown.window(start, _checked(length)))
        case Fires(rank, after, length):
            place = shown.fires_next(rank, after)
            if place is None:
                raise InputError(f"Merge {rank + 1:,} fires nowhere in this text.")
            return window_data(shown.window(max(0, place - length // 4), _checked(length)))
        case OwnText(text):
            return own_text(person, shown, text)
        case LinkTo():
            link = link_to_place(person, shown, asked._asdict())
            return {"query": encode(link), "left_out": left_out(link)}


def why_answer(shown: Playing, step: int) -> dict[str, Any]:
    """What `why` says; where the corpus is not here, that."""
    if shown.training is None:
        said = ["The corpus of this tokenizer is not here, so its pairs cannot be counted again."]
        return {"step": step, "candidates": [], "said": [said]}
    return why(shown.training, step)


def own_text(person: Visitor, shown: Playing, text: str | None) -> dict[str, Any]:
    """The seams of the visitor's own text, which is kept from now on; None stands for the one that was kept."""
    if text is None:
        text = person.state(ReplayState).text
    text = clean(text)
    size = len(text.encode())
    if size > TEXT_LIMIT:
        raise InputError(
            f"A text can have {TEXT_LIMIT:,} bytes here, and this one has {size:,}.",
            "It stays as it is; the strip shows what was there before.",
        )
    encoding = shown.tokenizer.explain(text)
    person.state(ReplayState).text = text
    return payload(encoding)


def _checked(length: int) -> int:
    if length not in LENGTHS:
        raise InputError(f"A window can have {', '.join(f'{size:,}' for size in LENGTHS)} bytes.")
    return length


async def asking(websocket: WebSocket) -> None:
    """The route."""
    await serve(websocket, Answers)


class Answers:
    """One connection: each question is answered before the next one is read."""

    def __init__(self, websocket: WebSocket, key: str) -> None:
        self.websocket = websocket
        self.key = key

    async def hear(self, message: str | None) -> None:
        n, of, asked = understood(message)
        work = partial(answer, visitor_with(self.key), of, asked)
        try:
            told: dict[str, Any] = {"answer": await asyncio.get_running_loop().run_in_executor(_ANSWERING, work)}
        except TokvizError as error:
            told = {"error": str(error)}
        await self.websocket.send_text(json.dumps({"n": n, **told}, separators=(",", ":")))

    def end(self) -> None:
        pass

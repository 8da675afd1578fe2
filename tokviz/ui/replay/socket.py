"""The Replay page's socket: it answers the browser's questions about what plays, one by one, in its own threads.

    {"n", "of", "why": k}                       which pairs could merge at step k, and what decided
    {"n", "of", "window": start, "length"}      the window of the corpus that starts at this byte
    {"n", "of", "fires": k, "after", "length"}  the window where the merge of rank k fires next
    {"n", "of", "text": text}                   the visitor's own text under the same merges; null: the kept one
    {"n", "of", "question": k}                  the pairs of which one merges at step k, in an order that tells nothing
    {"n", "of", "guess": index, "step": k}      the same with the winner; null: the visitor chose none of them
    {"n", "of", "link": {step, ...}}            the query of a link to this place

n is the number of the question. `of` is the key of what plays (null: the sample). `after` is a byte. The answer is
{"n", "answer"}, or {"n", "error"} with a message for the reader.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, NamedTuple

from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.training.why import why_this_pair
from tokviz.ui.components import payload
from tokviz.ui.frame.address import encode, left_out
from tokviz.ui.replay import predict
from tokviz.ui.replay.place import link_to_place
from tokviz.ui.replay.playing import LENGTHS, OWN_TEXT_LIMIT, Playing, playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server.connection import Conversation, read_as, read_message, reply, serve, visitor_with
from tokviz.ui.server.pool import pool_about
from tokviz.ui.server.visitor import Visitor

MESSAGE_LIMIT = 100_000  # characters


class To(NamedTuple):
    n: int
    of: str | None


class Why(NamedTuple):
    """Why did this pair merge? step: merges done before."""

    step: Annotated[int, "why"]


class Window(NamedTuple):
    """A window of the corpus, in bytes."""

    start: Annotated[int, "window"]
    length: int


class Fires(NamedTuple):
    """Where does the merge of this rank fire next? after: the byte to search from. length: of the window, in bytes."""

    rank: Annotated[int, "fires"]
    after: int
    length: int


class OwnText(NamedTuple):
    """The seams of the visitor's own text; None stands for the text that is kept."""

    text: str | None


class Question(NamedTuple):
    """Which pairs could merge at this step? Asked before the reader predicts."""

    step: Annotated[int, "question"]


class Guess(NamedTuple):
    """The reader's guess, an index into the pairs of the question; None for no guess."""

    step: int
    guess: int | None


class Place(NamedTuple):
    """A place in what plays."""

    step: int
    start: int
    length: int
    presenting: bool


class LinkTo(NamedTuple):
    """A link to this place."""

    place: Annotated[Place, "link"]


Asked = Why | Window | Fires | OwnText | Question | Guess | LinkTo


def understood(message: str | None) -> tuple[int, str | None, Asked]:
    """Read a message: (number of the question, key of what plays, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "of": null, "why": 3}')
    (1, None, Why(step=3))
    """
    said = read_message(message, MESSAGE_LIMIT)
    return *read_as(To, said), read_as(Asked, said)


def answer(me: Visitor, of: str | None, asked: Asked) -> dict[str, Any]:
    """The answer to a question about what plays under the key `of`. Raises TokvizError if it cannot be answered."""
    shown = playing(me, of)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    match asked:
        case Why(step):
            return why_answer(shown, step)
        case Window(start, length):
            return shown.window(start, _checked(length))
        case Fires(rank, after, length):
            place = shown.fires_next(rank, after)
            if place is None:
                raise InputError(f"Merge {rank + 1:,} fires nowhere in this text.", "Choose another merge.")
            return shown.window(max(0, place - length // 4), _checked(length))
        case OwnText(text):
            return own_text(me, shown, text)
        case Question(step):
            return predict.asked(me, shown, step)
        case Guess(step, guess):
            return predict.answered(me, shown, step, guess)
        case LinkTo(where):
            link = link_to_place(me, shown, where._asdict())
            return {"query": encode(link), "left_out": left_out(link)}


def why_answer(shown: Playing, step: int) -> dict[str, Any]:
    """The answer of `why_this_pair`, or one sentence without candidates if the corpus is not here."""
    if shown.training is None:
        said = ["The corpus of this tokenizer is not here, so its pairs cannot be counted again."]
        return {"step": step, "candidates": [], "said": [said]}
    return why_this_pair(shown.training, step)


def own_text(me: Visitor, shown: Playing, text: str | None) -> dict[str, Any]:
    """The seams of the visitor's own text, which is kept. text: None stands for the text kept before.

    Raises InputError if the text has more than OWN_TEXT_LIMIT bytes; the text kept before then stays.
    """
    if text is None:
        text = me.state(ReplayState).text
    text = clean(text)
    size = len(text.encode())
    if size > OWN_TEXT_LIMIT:
        raise InputError(
            f"A text can have {OWN_TEXT_LIMIT:,} bytes here, and this one has {size:,}.",
            "Shorten it. Until then the strip shows the text before it.",
        )
    encoding = shown.tokenizer.explain(text)
    me.state(ReplayState).text = text
    return payload(encoding)


def _checked(length: int) -> int:
    if length not in LENGTHS:
        lengths = ", ".join(f"{size:,}" for size in LENGTHS)
        raise InputError(f"A window cannot have {length:,} bytes.", f"Choose one of these lengths: {lengths}.")
    return length


class Answers(Conversation):
    """One connection, which answers each question before it reads the next one."""

    async def hear(self, message: str | None) -> None:
        n, of, asked = understood(message)
        me = visitor_with(self.key)
        mine = me.own(of)
        pool = pool_about(mine.tokenizer if mine else None)
        answering = partial(answer, me, of, asked)
        await reply(self.websocket, n, self.key, answering, pool)


replay_socket = partial(serve, begin=Answers)

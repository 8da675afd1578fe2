"""The Vocabulary page's socket: it answers the questions of the token list, one by one, in its own threads.

    {"n", "of", "list": choice, "token": id}                what is listed, and where this token stands in it
    {"n", "of", "more": choice, "token": id}                the same after searching on, if the search was not over
    {"n", "of", "rows": start, "count", "choice": choice}   rows of what is listed
    {"n", "of", "csv": choice}                              all that is listed, as CSV
    {"n", "of", "link": choice, "token": id}                the query of a link to it
    {"n", "of", "token": id}                                the biography of the token, kept as the one that is shown
    {"n", "of", "look": id}                                 the same, but not kept
    {"n", "of", "family": id, "first"}                      the tokens that absorbed it, from this number on
    {"n", "of", "places": id, "remaining", "first"}         places where it remains, or where it was absorbed

n is the number of the question. `of` is the key of the tokenizer. A choice has the fields of a `ListChoice`, without
the token. The answer is {"n", "answer"}, or {"n", "error"} with a message for the reader.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from starlette.websockets import WebSocket

from tokviz.base.errors import InputError, TokvizError
from tokviz.ui.address import encode
from tokviz.ui.server.connection import UNREADABLE, Refusal, read_message, reply, serve, visitor_with
from tokviz.ui.server.pool import OWN_EXPRESSIONS, RELATIONS, Pool, pool_about
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenizers import Shown, at_hand
from tokviz.ui.vocabulary.biography import biography_data, family_data, places_data
from tokviz.ui.vocabulary.link import link_to_list
from tokviz.ui.vocabulary.listing import SLICE_S, Listing, as_csv, frame, listing, rows, told
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import counted
from tokviz.vocabulary.search import BYS, SORTS, USES

MESSAGE_LIMIT = 100_000  # characters
FIRST_ROWS = 100  # that come with the list; as many as token_list/rows.js asks for at once
ROWS_LIMIT = 500  # in one answer
NUMBER_LIMIT = 2**31  # ids, and all other numbers in a question, are below it
RELATING_LIMIT = 4  # questions for families that one connection has under way before its next question is heard


class List(NamedTuple):
    """Which tokens are listed? token: whose place in the list is asked for. more: after searching on."""

    choice: ListChoice
    token: int | None
    more: bool


class Rows(NamedTuple):
    """So many rows of the list, from this one on."""

    choice: ListChoice
    start: int
    length: int


class Csv(NamedTuple):
    """All that is listed, as CSV."""

    choice: ListChoice


class LinkTo(NamedTuple):
    """A link to the list and the token."""

    choice: ListChoice


class Biography(NamedTuple):
    """What is there to tell about the token with this id? keep: whether the visitor pinned it."""

    id: int
    keep: bool


class Relatives(NamedTuple):
    """Which tokens absorbed the token with this id? first: the number of the first of them that is asked for."""

    id: int
    first: int


class Whereabouts(NamedTuple):
    """Where does the token with this id remain, or where was it absorbed? first: as of `Relatives`."""

    id: int
    remaining: bool
    first: int


Asked = List | Rows | Csv | LinkTo | Biography | Relatives | Whereabouts


def understood(message: str | None) -> tuple[int, str, Asked]:
    """Read a message: (number of the question, key of the tokenizer, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "of": "gpt2", "token": 3}')
    (1, 'gpt2', Biography(id=3, keep=True))
    """
    asked = read_message(message, MESSAGE_LIMIT)
    if isinstance(asked, dict) and not all(_in_range(value) for value in asked.values()):
        raise Refusal(UNREADABLE, "A number is out of range.")
    match asked:
        case {"n": int(n), "of": str(of), "list": said, "token": int() | None as token}:
            return n, of, List(_choice(said), token, False)
        case {"n": int(n), "of": str(of), "more": said, "token": int() | None as token}:
            return n, of, List(_choice(said), token, True)
        case {"n": int(n), "of": str(of), "rows": int(start), "count": int(count), "choice": said}:
            return n, of, Rows(_choice(said), start, min(count, ROWS_LIMIT))
        case {"n": int(n), "of": str(of), "csv": said}:
            return n, of, Csv(_choice(said))
        case {"n": int(n), "of": str(of), "link": said, "token": int() | None as token}:
            return n, of, LinkTo(replace(_choice(said), token=token))
        case {"n": int(n), "of": str(of), "token": int(id)}:
            return n, of, Biography(id, True)
        case {"n": int(n), "of": str(of), "look": int(id)}:
            return n, of, Biography(id, False)
        case {"n": int(n), "of": str(of), "family": int(id), "first": int(first)}:
            return n, of, Relatives(id, first)
        case {"n": int(n), "of": str(of), "places": int(id), "remaining": bool(remaining), "first": int(first)}:
            return n, of, Whereabouts(id, remaining, first)
    raise Refusal(UNREADABLE, "This message is not one of the questions.")


def _in_range(value: Any) -> bool:
    return not isinstance(value, int) or 0 <= value < NUMBER_LIMIT


def _choice(said: Any) -> ListChoice:
    match said:
        case {
            "search": str(search),
            "by": str(by),
            "kind": str(kind),
            "length": int(length),
            "script": str(script),
            "use": str(use),
            "odd": str(odd),
            "sort": str(sort),
            "down": bool(down),
        } if by in BYS and use in USES and sort in SORTS:
            return ListChoice(search, by, kind, length, script, use, odd, sort, down)
    raise Refusal(UNREADABLE, "This is not a choice of tokens.")


class Kept:
    """What one connection listed last, so that its rows are not searched for again."""

    def __init__(self) -> None:
        self.of = ""
        self.listing: Listing | None = None


def answer(me: Visitor, of: str, asked: Asked, kept: Kept) -> dict[str, Any]:
    """The answer to a question about the tokenizer with the key `of`. Raises TokvizError if it cannot be answered."""
    shown = shown_with(me, of)
    keeper = me.state(VocabularyState).keeper_of(of)  # None if the visitor chose another one meanwhile, in any tab
    match asked:
        case List(choice, token, more):
            if keeper:
                keeper.listed = replace(choice, token=keeper.listed.token)
            fault = ""
            try:
                listed = _listing(me, shown, choice, kept, begin=not more)
            except TokvizError as error:
                if kept.of == shown.key:  # the last list stays
                    raise
                listed, fault = _listing(me, shown, replace(choice, search=""), kept), str(error)
            if more:
                listed.go_on(SLICE_S)
            said = told(shown, listed, token)
            return {**said, "frame": frame(shown, listed.table), "rows": rows(listed, 0, FIRST_ROWS), "wrong": fault}
        case Rows(choice, start, length):
            old = kept.listing
            listed = _listing(me, shown, choice, kept)
            if listed is not old:  # as after a break of the connection: the browser has the whole list
                listed.finish()
            return rows(listed, start, length)
        case Csv(choice):
            listed = _listing(me, shown, choice, kept)
            listed.finish()
            return {"csv": as_csv(listed)}
        case LinkTo(choice):
            return {"query": encode(link_to_list(me, shown, choice))}
        case Relatives(id, first):
            return family_data(me, shown, counted(me, shown), id, first)
        case Whereabouts(id, remaining, first):
            return places_data(me, shown, counted(me, shown), id, remaining=remaining, first=first)
        case Biography(id, keep):
            said = biography_data(me, shown, counted(me, shown), id)
            if keep and keeper:
                keeper.listed = replace(keeper.listed, token=id)
            return said


def _listing(me: Visitor, shown: Shown, choice: ListChoice, kept: Kept, *, begin: bool = False) -> Listing:
    """What was listed last, if it was this; else it is listed now."""
    old = kept.listing
    if begin or old is None or kept.of != shown.key or old.choice != choice:
        kept.of, kept.listing = shown.key, listing(me, shown, choice)
        return kept.listing
    return old


def shown_with(me: Visitor, key: str) -> Shown:
    """The tokenizer with this key. InputError if it is no longer here."""
    shown = next((shown for shown in at_hand(me) if shown.key == key), None)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    return shown


def _pool(me: Visitor, of: str, asked: Asked) -> Pool:
    """The pool for this question: another one if an expression of the visitor's own searches or cuts."""
    if isinstance(asked, List | Rows | Csv | LinkTo) and asked.choice.by == "pattern":
        return OWN_EXPRESSIONS
    return pool_about(next((one.tokenizer for one in me.tokenizers if one.key == of), None))


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
        self.kept = Kept()
        self.relating: set[asyncio.Task[None]] = set()

    async def hear(self, message: str | None) -> None:
        """Answer one message. Raises Refusal if it is not a question."""
        n, of, asked = understood(message)
        me = visitor_with(self.key)
        answering = partial(answer, me, of, asked, self.kept)
        if isinstance(asked, Relatives):
            if len(self.relating) >= RELATING_LIMIT:
                await asyncio.wait(self.relating, return_when=asyncio.FIRST_COMPLETED)
            task = asyncio.create_task(reply(self.websocket, n, self.key, answering, RELATIONS))
            self.relating.add(task)
            task.add_done_callback(self.relating.discard)
        else:
            await reply(self.websocket, n, self.key, answering, _pool(me, of, asked))

    def end(self) -> None:
        """Let the questions go that are still being answered."""
        for task in self.relating:
            task.cancel()

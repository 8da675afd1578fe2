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
from typing import Annotated, Any, NamedTuple

from starlette.websockets import WebSocket

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.typed import Id
from tokviz.ui.frame.address import encode
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.server.connection import Conversation, read_as, read_message, reply, serve, visitor_with
from tokviz.ui.server.pool import OWN_EXPRESSIONS, RELATIONS, Pool, pool_about
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.biography import biography_data, family_data, places_data
from tokviz.ui.vocabulary.link import link_to_list
from tokviz.ui.vocabulary.listing import SLICE_S, Listing, as_csv, frame, listing, rows, told
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import counted_use

MESSAGE_LIMIT = 100_000  # characters
FIRST_ROWS = 100  # that come with the list; as many as token_list/rows.js asks for at once
ROWS_LIMIT = 500  # in one answer
RELATING_LIMIT = 4  # questions for families that one connection has under way before its next question is heard


class To(NamedTuple):
    n: Id
    of: str


class List(NamedTuple):
    """Which tokens are listed? token: whose place in the list is asked for."""

    choice: Annotated[ListChoice, "list"]
    token: Id | None


class More(NamedTuple):
    """The same, after searching on."""

    choice: Annotated[ListChoice, "more"]
    token: Id | None


class Rows(NamedTuple):
    """So many rows of the list, from this one on."""

    start: Annotated[Id, "rows"]
    length: Annotated[Id, "count"]
    choice: ListChoice


class Csv(NamedTuple):
    """All that is listed, as CSV."""

    choice: Annotated[ListChoice, "csv"]


class LinkTo(NamedTuple):
    """A link to the list and the token."""

    choice: Annotated[ListChoice, "link"]
    token: Id | None


class Biography(NamedTuple):
    """What is there to tell about the token with this id, which the visitor pinned?"""

    id: Annotated[Id, "token"]


class Look(NamedTuple):
    """The same of a token that is not pinned."""

    id: Annotated[Id, "look"]


class Relatives(NamedTuple):
    """Which tokens absorbed the token with this id? first: the number of the first of them that is asked for."""

    id: Annotated[Id, "family"]
    first: Id


class Whereabouts(NamedTuple):
    """Where does the token with this id remain, or where was it absorbed? first: as of `Relatives`."""

    id: Annotated[Id, "places"]
    remaining: bool
    first: Id


Asked = List | More | Rows | Csv | LinkTo | Biography | Look | Relatives | Whereabouts


def understood(message: str | None) -> tuple[int, str, Asked]:
    """Read a message: (number of the question, key of the tokenizer, question). Refusal if it is none of the questions.

    >>> understood('{"n": 1, "of": "gpt2", "token": 3}')
    (1, 'gpt2', Biography(id=3))
    """
    said = read_message(message, MESSAGE_LIMIT)
    return *read_as(To, said), read_as(Asked, said)


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
        case List(choice, token) | More(choice, token):
            more = isinstance(asked, More)
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
        case Rows(start, length, choice):
            old = kept.listing
            listed = _listing(me, shown, choice, kept)
            if listed is not old:  # as after a break of the connection: the browser has the whole list
                listed.finish()
            return rows(listed, start, min(length, ROWS_LIMIT))
        case Csv(choice):
            listed = _listing(me, shown, choice, kept)
            listed.finish()
            return {"csv": as_csv(listed)}
        case LinkTo(choice, token):
            return {"query": encode(link_to_list(me, shown, replace(choice, token=token)))}
        case Relatives(id, first):
            return family_data(me, shown, counted_use(me, shown), id, first)
        case Whereabouts(id, remaining, first):
            return places_data(me, shown, counted_use(me, shown), id, remaining=remaining, first=first)
        case Biography(id) | Look(id):
            said = biography_data(me, shown, counted_use(me, shown), id)
            if keeper and isinstance(asked, Biography):
                keeper.listed = replace(keeper.listed, token=id)
            return said


def _listing(me: Visitor, shown: ShownTokenizer, choice: ListChoice, kept: Kept, *, begin: bool = False) -> Listing:
    """What was listed last, if it was this; else it is listed now."""
    old = kept.listing
    if begin or old is None or kept.of != shown.key or old.choice != choice:
        kept.of, kept.listing = shown.key, listing(me, shown, choice)
        return kept.listing
    return old


def shown_with(me: Visitor, key: str) -> ShownTokenizer:
    """The tokenizer with this key. InputError if it is no longer here."""
    shown = next((shown for shown in at_hand(me) if shown.key == key), None)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    return shown


def _pool(me: Visitor, of: str, asked: Asked) -> Pool:
    """The pool for this question: another one if an expression of the visitor's own searches or cuts."""
    if isinstance(asked, List | More | Rows | Csv | LinkTo) and asked.choice.by == "pattern":
        return OWN_EXPRESSIONS
    return pool_about(next((one.tokenizer for one in me.tokenizers if one.key == of), None))


class Answers(Conversation):
    """One connection, which answers each question before it reads the next one.

    Only the family of a token is answered when it is found, whatever is asked meanwhile.
    """

    def __init__(self, websocket: WebSocket, key: str) -> None:
        super().__init__(websocket, key)
        self.kept = Kept()
        self.relating: set[asyncio.Task[None]] = set()

    async def hear(self, message: str | None) -> None:
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
        for task in self.relating:
            task.cancel()


vocabulary_socket = partial(serve, begin=Answers)

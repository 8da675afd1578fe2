"""What the browser asks about the tokens of a tokenizer, which has the key `of`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.typed import Id
from tokviz.ui.frame.address import encode
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.server.ask import Answer, line_of, question
from tokviz.ui.server.line import OWN_EXPRESSIONS, RELATIONS, Line
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import link_to_list
from tokviz.ui.vocabulary.listing import Listing, as_csv, frame, listing, rows, told
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.token_card import card_data, family_data, places_data
from tokviz.ui.vocabulary.use import counted_use

FIRST_ROWS = 50  # that come with the list; as many as rows.js asks for at once
ROWS_LIMIT = 500  # in one answer


@dataclass
class Kept:
    """What one connection listed last, so that its rows are not searched for again."""

    of: str = ""
    listing: Listing | None = None


def _searching(me: Visitor, of: str, choice: ListChoice, **_: Any) -> Line:
    return OWN_EXPRESSIONS if choice.by == "pattern" else line_of(me, of)


@question("vocabulary.list", _searching)
def listed(me: Visitor, kept: Kept, of: str, choice: ListChoice, token: Id | None) -> Answer:
    """What is listed. token: whose place in the list is told."""
    shown, state = shown_with(me, of), me.state(VocabularyState)
    if state.of == of:  # the visitor chose no other tokenizer meanwhile, in any tab
        state.listed = replace(choice, token=state.listed.token)
    fault = ""
    try:
        found = _listing(me, shown, choice, kept, begin=True)
    except TokvizError as error:
        if kept.of == shown.key:  # the last list stays
            raise
        found, fault = _listing(me, shown, replace(choice, search=""), kept), str(error)
    said = told(shown, found, token)
    return {**said, "frame": frame(found.table), "rows": rows(found, 0, FIRST_ROWS), "wrong": fault}


@question("vocabulary.rows", _searching)
def some_rows(me: Visitor, kept: Kept, of: str, choice: ListChoice, start: Id, count: Id) -> Answer:
    """Rows of what is listed, from this number on."""
    return rows(_listing(me, shown_with(me, of), choice, kept), start, min(count, ROWS_LIMIT))


@question("vocabulary.csv", _searching)
def all_rows(me: Visitor, kept: Kept, of: str, choice: ListChoice) -> Answer:
    """All that is listed, as CSV."""
    return {"csv": as_csv(_listing(me, shown_with(me, of), choice, kept))}


@question("vocabulary.link", _searching)
def link(me: Visitor, of: str, choice: ListChoice, token: Id | None) -> Answer:
    """The query of a link to the list and the token."""
    return {"query": encode(link_to_list(me, shown_with(me, of), replace(choice, token=token)))}


def _listing(me: Visitor, shown: ShownTokenizer, choice: ListChoice, kept: Kept, *, begin: bool = False) -> Listing:
    """What was listed last, if it was this; else it is listed now."""
    old = kept.listing
    if begin or old is None or kept.of != shown.key or old.choice != choice:
        kept.of, kept.listing = shown.key, listing(me, shown, choice)
        return kept.listing
    return old


@question("vocabulary.card")
def card(me: Visitor, of: str, id: Id, pinned: bool) -> Answer:
    """What the card of the token with this id says. pinned: whether it is kept as the one that is shown."""
    shown, state = shown_with(me, of), me.state(VocabularyState)
    said = card_data(me, shown, counted_use(me, shown), id)
    if state.of == of and pinned:
        state.listed = replace(state.listed, token=id)
    return said


@question("vocabulary.family", RELATIONS, apart=True)
def family(me: Visitor, of: str, id: Id, first: Id) -> Answer:
    """The tokens that absorbed the token with this id, from this number on."""
    shown = shown_with(me, of)
    return family_data(me, shown, counted_use(me, shown), id, first)


@question("vocabulary.places")
def places(me: Visitor, of: str, id: Id, remaining: bool, first: Id) -> Answer:
    """Places where the token remains, or where it was absorbed, from this number on."""
    shown = shown_with(me, of)
    return places_data(me, shown, counted_use(me, shown), id, remaining=remaining, first=first)


def shown_with(me: Visitor, key: str) -> ShownTokenizer:
    """The tokenizer with this key. InputError if it is no longer here."""
    shown = next((shown for shown in at_hand(me) if shown.key == key), None)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    return shown

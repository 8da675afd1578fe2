"""What the card of a token says on the Vocabulary page beside what every card says (vocabulary/card.py): what became of
the token, and where it is, in what use is counted in. That is the corpus of a training, or a text.
"""

from __future__ import annotations

from typing import Any

from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.offline.data import payload
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.address import Link, NoPageLink, encode, sample_of
from tokviz.ui.frame.links import link_name
from tokviz.ui.frame.tokenizers import ShownTokenizer, encoded, family_of, family_ready
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.ui.vocabulary.use import CountedUse, encodings_of
from tokviz.vocabulary.biography import birth, merge_tree
from tokviz.vocabulary.card import SENT, card, family_told, named
from tokviz.vocabulary.occurrences import CorpusOccurrences, Fate, Occurrences, Place, in_text, in_training

TREE_BYTES = 128  # of a token whose merge tree is sent, as in tokenview/tree.js
PLACES = 5  # places sent at first
MORE_PLACES = 20  # places sent at each "more"
CONTEXT = 60  # bytes sent on either side of a place
ABSORBERS = 3  # tokens that are named as those that took most
KEPT_WHOLE = 1_000_000  # characters of a text whose encoding is kept for the next token


def card_data(me: Visitor, shown: ShownTokenizer, counted: CountedUse, id: int) -> dict[str, Any]:
    """What the browser needs to draw the card. Raises TokvizError if no token has this id.

    fate, places: None if nothing could be counted; `fault` says why. family: None if it takes long to find out; then
    `family_data` answers it. tree: None if the token is too long for a drawing.
    """
    tok, name = shown.tokenizer, link_name(me, shown)
    family = family_of(me, tok) if tok.has_merges and (not tok.by_bytes or family_ready(me, tok)) else None
    tree = merge_tree(tok, id)
    told: dict[str, Any] = {
        **card(tok, id, family, counted.use),
        "tree": payload(tree) if len(tree.data) <= TREE_BYTES else None,
        "where": counted.name,
        "corpus": counted.training is not None,
        "n_bytes": counted.n_bytes,
        "unpublished": "" if shown.own else f"The corpus of {shown.name} is not public.",
        "fault": str(counted.fault) if counted.fault else "",
        "fate": None,
        "places": None,
        "link": encode(Link(VocabularyLink(token=id), tokenizers=(name,))),
        "opens": _opens(me, shown, counted, id),
    }
    if not counted.fault:
        found = _found(me, tok, counted, id)
        fate = found.fate()
        if not tok.has_merges:  # some of its tokens have no bytes of the text, and so no place
            made = counted.use.whole.get(id, 0)
            fate = Fate(made, made, ())
        # A token that remains nowhere is shown where it was absorbed.
        told |= {"fate": _fate(tok, fate), "places": _places(tok, counted, found, fate.remain > 0, 0, PLACES)}
    return told


def family_data(me: Visitor, shown: ShownTokenizer, counted: CountedUse, id: int, first: int = 0) -> dict[str, Any]:
    """The tokens that absorbed a token, from the one with number `first` on. For a reference this can take seconds."""
    tok = shown.tokenizer
    tok.decode_bytes([id])  # is there such a token?
    if not tok.has_merges:
        return {"n": 0, "first": 0, "children": []}
    return family_told(tok, family_of(me, tok), id, counted.use, first)


def places_data(
    me: Visitor, shown: ShownTokenizer, counted: CountedUse, id: int, *, remaining: bool, first: int
) -> dict[str, Any]:
    """Places of a token from the one with number `first` on: where it remains, or where it was absorbed."""
    if counted.fault:
        raise InputError(counted.fault.what, counted.fault.way_out)
    shown.tokenizer.decode_bytes([id])
    found = _found(me, shown.tokenizer, counted, id)
    return _places(shown.tokenizer, counted, found, remaining, first, MORE_PLACES if first else PLACES)


# -- what became of it --


def _found(me: Visitor, tok: AnyTokenizer, counted: CountedUse, id: int) -> Occurrences | CorpusOccurrences:
    return in_training(counted.training, id) if counted.training else _in_text(me, tok, counted.text or "", id)


def _in_text(me: Visitor, tok: AnyTokenizer, text: str, id: int) -> Occurrences:
    if not tok.has_merges or len(text) <= KEPT_WHOLE:
        return in_text(tok, id, [encoded(me, tok, text, me.specials)])
    return in_text(tok, id, encodings_of(tok, text, me.specials))


def _fate(tok: AnyTokenizer, fate: Fate) -> dict[str, Any]:
    """The figures, with the tokens that took most."""
    most = fate.absorbers[:ABSORBERS]
    return {
        "made": fate.made,
        "remain": fate.remain,
        "absorbers": [{**named(tok, int(tok.merge_ids[rank])), "took": times} for rank, times in most],
        "n_absorbers": len(fate.absorbers),
    }


# -- where it is --


def _places(
    tok: AnyTokenizer, counted: CountedUse, found: Occurrences | CorpusOccurrences, remaining: bool, first: int, n: int
) -> dict[str, Any]:
    if counted.training:
        data = counted.training.kept.data if counted.training.kept else b""
    else:
        data = clean(counted.text or "").encode()
    rows, total = found.places(remaining=remaining, first=first, n=n)
    return {"remaining": remaining, "first": first, "n": total, "rows": [_place(tok, data, row) for row in rows]}


def _place(tok: AnyTokenizer, data: bytes, place: Place) -> dict[str, Any]:
    """A place with the bytes around it, which begin and end with whole characters."""
    start, end = max(0, place.start - CONTEXT), min(len(data), place.end + CONTEXT)
    while start < place.start and data[start] & 0xC0 == 0x80:
        start += 1
    while place.end < end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return {
        "start": place.start,
        "left": data[start : place.start].hex(),
        "bytes": data[place.start : place.end][:SENT].hex(),
        "right": data[place.end : end].hex(),
        "taker": None if place.taker is None else named(tok, int(tok.merge_ids[place.taker])),
    }


def _opens(me: Visitor, shown: ShownTokenizer, counted: CountedUse, id: int) -> dict[str, str] | None:
    """The page that a place opens, and the query of the link to it, without the place; None if there is no such page.

    Replay shows the step at which the token is born in the corpus of a training, and Tokens shows it pinned in the
    visitor's text, or in a sample, which the link brings along.
    """
    text = counted.text
    sample = None if text is None or text == me.text else sample_of(text)
    if text is not None and text != me.text and sample is None:
        return None  # a file
    query = encode(Link(NoPageLink(), text=text if sample else None, tokenizers=(link_name(me, shown),)))
    if text is not None:
        return {"page": "tokens", "query": query}
    born = birth(shown.tokenizer, id)
    return {"page": "replay", "query": f"{query}&step={born.rank if born else 0}"}

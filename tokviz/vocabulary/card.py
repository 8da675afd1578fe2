"""Collects what the card of a token says, as data for the browser.

A token has the same record wherever its card is shown. In a text, the record has the token's place too. Bytes are in
hexadecimal, and places are byte offsets in the text.
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate
from typing import Any

import numpy as np

from tokviz.base.errors import InputError
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.biography import Child, birth, children
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.steps import STEPPED, chunk_steps
from tokviz.vocabulary.use import TokenUse

CHARACTERS = 12  # characters of a token that are named
SENT = 1_000  # bytes of a token that are sent
FAMILY = 12  # tokens that absorbed a token, sent at once
FIRST_ROWS = 12  # of the first of them, with those below each, about so many rows are sent


def card(tokenizer: AnyTokenizer, id: int, family: Family | None = None, use: TokenUse | None = None) -> dict[str, Any]:
    """Describe the token with this id. UnknownIdError if no token has it.

    family: of the tokenizer. use: of its tokens in a text. Both are for the tokens that absorbed this one.
    The keys of the result:

    id, bytes, size   size: how many bytes it has, of which SENT at most are in `bytes`
    kind              "special" or "added" (both are cut out of a text), "peer", "byte", "character", "merge", or
                      "look-up" (no pair of tokens makes it)
    peer              the kind of a peer, such as "WordPiece"; "" for our own tokenizers
    merges            how many merges the tokenizer has
    birth             the fields of `Birth`, and `parents`, each with id, bytes and rank; None if it has no birth
    steps             the rows of `chunk_steps`, with the start and end of the bytes that they are about; None if its
                      bytes are too many, or do not become this token by merges
    family            `n` tokens absorbed it; the `children` from number `first` on. None if that is not known yet

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> said = card(tok, 258)
    >>> said["kind"], said["birth"]["rank"], said["birth"]["parents"][0], said["steps"]["rows"][-1]["ids"]
    ('merge', 2, {'id': 257, 'bytes': '616161', 'rank': 1}, (258,))
    """
    told = _told(tokenizer, id, len(tokenizer.merge_ids), family, use)
    if told["birth"] and told["size"] <= STEPPED and tokenizer.has_merges:
        steps = _rows(tokenizer, tokenizer.vocab[id], 0, told["merges"])
        told["steps"] = steps if steps["rows"][-1]["ids"] == (id,) else None
    return told


def card_at(
    tokenizer: AnyTokenizer, encoding: Encoding, start: int, size: int | None = None, family: Family | None = None
) -> dict[str, Any]:
    """Describe the token of `encoding` that covers byte `start`, and how it came to be.

    encoding: made by this tokenizer.
    size: the vocabulary size in view, if it is smaller than the tokenizer's own.
    family: of this tokenizer; without it, the family of the token is None.
    InputError if the text has no such byte. The keys of the result are those of `card`, but bytes that no token covers
    have the kind "none", and `steps` are about the chunk, or, if it is too long or a look-up is in it, about the token.
    And there are more keys:

    start, end      of the token
    times           how often it occurs in the text
    chunk           start and end of its chunk
    characters      text, code, name (or None), start and end of every character it has bytes of, CHARACTERS at most
    written         of a peer: the bytes of the token in its vocabulary, if the text has other bytes

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> said = card_at(tok, tok.explain("aaab"), 0, family=Family(tok))
    >>> said["id"], said["birth"]["merges"], said["family"]["n"]
    (258, 3, 0)
    """
    if not 0 <= start < len(encoding.data):
        raise InputError(
            f"There is no byte {start:,} in the text, which has {len(encoding.data):,} bytes.",
            f"Ask for a byte from 0 to {len(encoding.data) - 1:,}." if encoding.data else "",
        )
    merges = len(tokenizer.merge_ids) if size is None else size - 256
    if size is not None:
        encoding = encoding.at(merges)
    place = int(np.searchsorted(encoding.ends, start, side="right"))
    begin, end = int(encoding.ends[place - 1]) if place else 0, int(encoding.ends[place])
    id = int(encoding.ids[place])
    chunk = _chunk(encoding, begin, end)
    data = encoding.data[begin:end]
    stands_for = data if tokenizer.has_merges else tokenizer.vocab.get(id, data)
    told = _told(tokenizer, id, max(merges, encoding.units), family, None)
    if begin in encoding.whole and told["kind"] == "merge":  # merges make it, but it was looked up here
        told |= {"kind": "look-up", "birth": None}
    return told | {
        "bytes": data[:SENT].hex(),
        "size": len(data),
        "start": begin,
        "end": end,
        "times": int(np.count_nonzero(encoding.ids == id)),
        "chunk": chunk,
        "characters": _characters(encoding.data, begin, end),
        "steps": _steps(tokenizer, encoding, chunk, (begin, end), merges)
        if tokenizer.has_merges and begin not in encoding.whole
        else None,
        "written": None if stands_for == data else stands_for.hex(),
    }


def family_told(
    tokenizer: AnyTokenizer, family: Family, id: int, use: TokenUse | None, first: int = 0, merges: int | None = None
) -> dict[str, Any]:
    """Describe the tokens that absorbed a token, from number `first` on, FAMILY at most, and fewer at first.

    use: None for no text. merges: only the first so many count. The result is the `family` of a card.
    """
    found, n = children(family, id, use, first, FAMILY, merges)
    if not first:
        above = accumulate((1 + len(one.children) for one in found), initial=0)
        found = [one for one, rows in zip(found, above, strict=False) if rows < FIRST_ROWS]
    return {"n": n, "first": first, "children": [_child(tokenizer, one) for one in found]}


def named(tokenizer: AnyTokenizer, id: int) -> dict[str, Any]:
    """Name another token: its id, and the bytes that are sent of it."""
    return {"id": id, "bytes": tokenizer.vocab[id][:SENT].hex()}


def _told(tokenizer: AnyTokenizer, id: int, merges: int, family: Family | None, use: TokenUse | None) -> dict[str, Any]:
    """Say what does not depend on a text. id: -1 for bytes that no token covers."""
    born = birth(tokenizer, id) if id >= 0 else None
    kind = "none" if id < 0 else "merge" if born else _unborn(tokenizer, id)
    parents = []
    for parent in (born.left, born.right) if born else ():
        theirs = birth(tokenizer, parent)
        parents.append({**named(tokenizer, parent), "rank": theirs.rank if theirs else None})
    data = tokenizer.vocab[id] if id >= 0 else b""
    told: dict[str, Any] = {
        "id": None if id < 0 else id,
        "bytes": data[:SENT].hex(),
        "size": len(data),
        "kind": kind,
        "peer": tokenizer.kind,
        "merges": merges,
        "birth": {**born._asdict(), "parents": parents} if born else None,
        "steps": None,
        "family": None,
    }
    if id < 0 or not tokenizer.has_merges:
        told["family"] = {"n": 0, "first": 0, "children": []}
    elif family:
        told["family"] = family_told(tokenizer, family, id, use, 0, merges)
    return told


def _unborn(tokenizer: AnyTokenizer, id: int) -> str:
    """Say what a token without a birth is."""
    data = tokenizer.vocab[id]
    if id in tokenizer.cut_ids:
        return "special" if id in tokenizer.special_ids else "added"
    if not tokenizer.has_merges:
        return "peer"
    if len(data) == 1:
        return "byte"
    rank = tokenizer.rank_of(data)
    return "character" if rank is not None and rank < tokenizer.units else "look-up"


def _chunk(encoding: Encoding, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the chunk that a token is in."""
    before = np.flatnonzero(encoding.seams[: start + 1] == SPLIT)
    after = np.flatnonzero(encoding.seams[end:] == SPLIT)
    return int(before[-1]) if len(before) else 0, end + int(after[0]) if len(after) else len(encoding.data)


def _characters(data: bytes, start: int, end: int) -> list[dict[str, Any]]:
    """Describe the characters that have bytes in a token. The first and the last may have bytes outside it too."""
    found: list[dict[str, Any]] = []
    at = start
    while at and data[at] & 0xC0 == 0x80:
        at -= 1
    while at < end and len(found) < CHARACTERS:
        stop = at + 1
        while stop < len(data) and data[stop] & 0xC0 == 0x80:
            stop += 1
        text = data[at:stop].decode("utf-8", "replace")
        name = unicodedata.name(text, None) if len(text) == 1 else None
        found.append({"text": text, "code": f"U+{ord(text[0]):04X}", "name": name, "start": at, "end": stop})
        at = stop
    return found


def _steps(
    tokenizer: Tokenizer, encoding: Encoding, chunk: tuple[int, int], token: tuple[int, int], merges: int
) -> dict[str, Any] | None:
    start, end = chunk
    if end - start > STEPPED or not encoding.whole.keys().isdisjoint(range(start, end)):
        start, end = token  # it is made only by merges inside it
    return None if end - start > STEPPED else _rows(tokenizer, encoding.data[start:end], start, merges)


def _rows(tokenizer: Tokenizer, data: bytes, start: int, merges: int) -> dict[str, Any]:
    """List the steps of these bytes, which start at `start`."""
    rows = chunk_steps(tokenizer, data, merges)
    steps = [{"ends": row.ends, "ids": row.ids, "ranks": row.ranks, "next": row.next} for row in rows]
    return {"start": start, "end": start + len(data), "rows": steps}


def _child(tokenizer: AnyTokenizer, child: Child) -> dict[str, Any]:
    return {
        **named(tokenizer, child.id),
        "rank": child.rank,
        "other": tokenizer.vocab[child.other][:SENT].hex(),
        "leads": child.leads,
        "took": child.took,
        "n": child.n_children,
        "children": [_child(tokenizer, one) for one in child.children],
    }

"""Collects everything that the card of a pinned token shows, as data for the browser.

Places are byte offsets in the text. Related tokens come with their bytes in hexadecimal, for the browser to draw.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from tokviz.base.errors import InputError
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.family import Family, relations
from tokviz.vocabulary.steps import STEPPED, chunk_steps

CHARACTERS = 12  # characters of a token that are named


def details(
    tokenizer: AnyTokenizer, encoding: Encoding, start: int, size: int | None = None, family: Family | None = None
) -> dict[str, Any]:
    """Describe the token of `encoding` that covers byte `start`, and how it came to be.

    encoding: made by this tokenizer.
    size: the vocabulary size in view, if it is smaller than the tokenizer's own.
    family: of this tokenizer, for the token's relations; without it they are None.
    InputError if the text has no such byte. The keys of the result:

    start, end      of the token; place: its number among the `of` tokens, from 1 (of a gap: of the token after it)
    id, hex, rank   hex: its bytes; id and rank are None if it has none. merges: how many merges made it. times: how
                    often it occurs in the text
    special         whether it is a special token
    chunk           start and end of its chunk
    characters      text, code, name (or None), start and end of every character it has bytes of, CHARACTERS at most
    steps           the rows of `chunk_steps`, with the start and end of the bytes that they are about: the chunk, or
                    the token if the chunk is too long or a look-up is in it. None if the token is too long too, or no
                    merges made it
    relations       made_of and part_of as id and bytes, and n_part_of
    written         of a peer: the bytes of the token in its vocabulary, in hexadecimal, if the text has other bytes

    >>> import tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> card = details(tok, tok.explain("aaab"), 0, family=Family(tok))
    >>> card["id"], card["rank"], card["merges"], card["relations"]["made_of"]
    (258, 2, 3, [{'id': 257, 'hex': '616161'}, {'id': 98, 'hex': '62'}])
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
    id, rank = int(encoding.ids[place]), int(encoding.ranks[place])
    chunk = _chunk(encoding, begin, end)
    data = encoding.data[begin:end]
    stands_for = data if tokenizer.has_merges else tokenizer.vocab.get(id, data)
    return {
        "start": begin,
        "end": end,
        "place": int(np.count_nonzero(encoding.ids[:place] >= 0)) + 1,
        "of": len(encoding),
        "id": None if id < 0 else id,
        "hex": data.hex().upper(),
        "rank": None if rank < encoding.units else rank,
        "merges": int(np.count_nonzero(encoding.seams[begin + 1 : end] >= encoding.units)) if rank >= 0 else 0,
        "times": int(np.count_nonzero(encoding.ids == id)),
        "special": begin in encoding.whole and id in encoding.special_ids,
        "chunk": chunk,
        "characters": _characters(encoding.data, begin, end),
        "steps": _steps(tokenizer, encoding, chunk, (begin, end), merges)
        if tokenizer.has_merges and begin not in encoding.whole
        else None,
        "relations": _relations(tokenizer, family, id, merges) if family and id >= 0 else None,
        "written": None if stands_for == data else stands_for.hex().upper(),
    }


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
    if end - start > STEPPED:
        return None
    rows = chunk_steps(tokenizer, encoding.data[start:end], merges)
    return {
        "start": start,
        "end": end,
        "rows": [{"ends": row.ends, "ids": row.ids, "ranks": row.ranks, "next": row.next} for row in rows],
    }


def _relations(tokenizer: AnyTokenizer, family: Family, id: int, merges: int) -> dict[str, Any]:
    found = relations(family, id, merges)

    def named(ids: tuple[int, ...]) -> list[dict[str, Any]]:
        return [{"id": id, "hex": tokenizer.vocab[id].hex().upper()} for id in ids]

    return {
        "made_of": None if found.made_of is None else named(found.made_of),
        "part_of": named(found.part_of),
        "n_part_of": found.n_part_of,
    }

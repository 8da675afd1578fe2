"""A file in blocks that are encoded one by one, and whose ids are together those of the whole text.

A block ends where a text may be parted into two that are cut as the one (see `tokviz.automaton`), or beside a special
token that is read as such. So memory holds only some blocks. Only a custom pattern that has no automaton needs each
text whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tokviz.automaton import Automaton
from tokviz.bulk.writers import Ids
from tokviz.errors import PatternError
from tokviz.reading import Piece
from tokviz.split import automaton_of
from tokviz.tokenizer import Tokenizer, ids_of_utf8

BLOCK = 1 << 17  # bytes; a block has at least so many, but for the last. Longer ones leave memory in pieces
WINDOW = 1_000  # bytes in which a place to part the text is looked for, before the block is made longer


@dataclass(frozen=True, slots=True)
class Block:
    """Some bytes of a text. start: the byte at which it begins. pieces: stretches of text, and special tokens."""

    start: int
    pieces: tuple[Piece, ...]
    n_bytes: int


def blocks_of(pieces: Iterable[Piece], pattern: str) -> Iterator[Block]:
    """The pieces of a text (see `tokviz.reading`) in blocks.

    >>> whole = [Piece(b"one two three", -1, True)]
    >>> [piece.data for block in blocks_of(whole, "gpt2") for piece in block.pieces]
    [b'one two three']
    """
    held: list[Piece] = []
    start = n_held = 0
    for piece in _parted(pieces, automaton_of(pattern)):
        held.append(piece)
        n_held += len(piece.data)
        if n_held >= BLOCK:
            yield Block(start, tuple(held), n_held)
            held, start, n_held = [], start + n_held, 0
    if held:
        yield Block(start, tuple(held), n_held)


def _parted(pieces: Iterable[Piece], automaton: Automaton | None) -> Iterator[Piece]:
    """The same text in pieces of about BLOCK bytes, each of which is a text of its own or a special token."""
    rest, searched = bytearray(), 0  # searched: so many bytes of `rest` have no place where a place was looked for
    for piece in pieces:
        if piece.special >= 0:
            yield piece
            continue
        rest += piece.data
        begun = 0
        while automaton is not None and begun + searched + BLOCK < len(rest):
            at = begun + searched + BLOCK
            place = automaton.place_to_part(bytes(rest[at : at + WINDOW]), apart=True)
            if place is None:
                searched += BLOCK  # with a longer block there may be one
            else:
                yield Piece(bytes(rest[begun : at + place]), -1, True)
                begun, searched = at + place, 0
        del rest[:begun]
        if piece.closed:
            if rest:
                yield Piece(bytes(rest), -1, True)
            rest, searched = bytearray(), 0


def encode_block(block: Block, tokenizer: Tokenizer, special_tokens: tuple[str, ...], dtype: np.dtype[np.uint]) -> Ids:
    """The ids of a block. special_tokens: those that the numbers of its pieces mean.

    PatternError if a custom pattern does not cover it, or takes too long.
    """
    ids = [np.empty(0, dtype)]
    start = block.start
    for piece in block.pieces:
        if piece.special >= 0:
            ids.append(np.array([tokenizer.special_tokens[special_tokens[piece.special]]], dtype))
        else:
            try:
                ids.append(ids_of_utf8(tokenizer, piece.data, threads=1).astype(dtype))
            except PatternError as fault:
                raise _in_file(fault, start) from None
        start += len(piece.data)
    return ids[-1] if len(ids) == 2 else np.concatenate(ids)


def _in_file(fault: PatternError, start: int) -> PatternError:
    """A fault in a piece, as one in its file."""
    if not start or fault.offset is None:
        return fault
    what = f"In the part of it that begins at byte {start:,}: {fault.what}"
    return PatternError(what, fault.way_out, offset=start + fault.offset)

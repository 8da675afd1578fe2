"""Makes tokenizers of the pieces of SentencePiece's BPE, and writes them: characters, "▁" for a space, byte tokens.

SentencePiece's own files and tokenizer.json have such pieces. A character that is no piece becomes the tokens of its
bytes, such as <0xE2>, and nothing merges these. Here the tokens have the space itself, and the normalizer makes a typed
"▁" one too: a text shows what was typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, TokvizError
from tokviz.base.json_files import InputFile
from tokviz.formats.parts import check_lengths
from tokviz.split.normalizing import Normalizer, Step
from tokviz.tokenizer.merge_table import FirstMerges, MergeTable
from tokviz.tokenizer.tokenizer import Tokenizer

SPACE = "▁"
AS_SPACE = Step("replace", SPACE, " ")
BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))


def tokenizer_of_pieces(
    name: str,
    pieces: Mapping[str, int],
    made: Sequence[str],
    merges: Sequence[tuple[str, str]] | None,
    special_tokens: Mapping[str, int],
    added_tokens: Mapping[str, int],
    normalizer: Normalizer,
    file: InputFile,
    *,
    pattern: str = "none",
) -> Tokenizer:
    """Make the tokenizer of the pieces in a file. FormatError names what is wrong.

    pieces: piece -> id, with the byte tokens, without special and added tokens.
    made: the pieces that merges make, in the order of the merges.
    merges: the pair of each of these; None if any two neighbours merge that together are a piece.
    """
    lacking = next((token for token in (*BYTE_TOKENS, SPACE) if token not in pieces), None)
    if lacking is not None:
        raise FormatError(
            f"{file.name} has no token {lacking}.", f"tokviz reads files with {SPACE}, and with a token for each byte."
        )
    ids = {piece.replace(SPACE, " "): id for piece, id in pieces.items() if piece not in BYTES_OF}
    if len(ids) != len(pieces) - 256:
        raise FormatError(f"{file.name} has a piece with a space and one with {SPACE}.", "Choose a file without both.")
    spare = {pieces[BYTE_TOKENS[byte]]: bytes([byte]) for byte in range(0x80) if chr(byte) in ids}
    alphabet = [
        ids.get(chr(byte), pieces[token]) if byte < 0x80 else pieces[token] for byte, token in enumerate(BYTE_TOKENS)
    ]
    if merges is None:
        check_lengths(ids, file.name, "Choose a vocabulary of shorter tokens.")
        alone = next((sign for piece in made for sign in piece.replace(SPACE, " ") if sign not in ids), None)
        if alone is not None:
            raise FormatError(f"{file.name} merges {shown(alone)}, which is no piece.", "Choose a file that is whole.")
    units = [piece for piece in ids if len(piece) == 1 and not piece.isascii()]
    tokens = [*units, *(piece.replace(SPACE, " ") for piece in made)]
    there = {*tokens}
    spare |= {id: piece.encode() for piece, id in ids.items() if len(piece) > 1 and piece not in there}
    try:
        table = MergeTable.of_characters(
            alphabet,
            len(units),
            [token.encode() for token in tokens],
            [ids[token] for token in tokens],
            None if merges is None else [[ids[part.replace(SPACE, " ")] for part in pair] for pair in merges],
            spare,
        )
        cut_first: dict[str, Any] = {"special_tokens": special_tokens, "added_tokens": added_tokens}
        return Tokenizer(name, FirstMerges(table), pattern=pattern, normalizer=normalizer, **cut_first)
    except KeyError as missing:
        raise FormatError(
            f"{file.name} merges {shown(missing.args[0])}, which is no piece.", "Choose a file that is whole."
        ) from None
    except TokvizError as fault:
        raise FormatError(f"{file.name} cannot be read: {fault.what}", fault.way_out) from None


def pieces_of(tokenizer: Tokenizer) -> tuple[dict[int, str], list[list[str]]]:
    """Write the pieces of a tokenizer of characters, id -> piece, and its merges: the pair of each, or every way to cut
    each into two. FormatError if two pieces would be written alike."""
    spare, vocab = tokenizer.spare, tokenizer.vocab
    doubled = {
        data for data in spare.values() if len(data) == 1
    }  # bytes that are a character and have a token beside it
    pieces: dict[int, str] = {}
    for id, data in sorted(vocab.items()):
        is_byte = len(data) == 1 and (id in spare or data not in doubled)
        pieces[id] = BYTE_TOKENS[data[0]] if is_byte else data.decode().replace(" ", SPACE)
    pieces |= {id: text for text, id in tokenizer.cut_tokens.items()}
    if len({*pieces.values()}) < len(pieces):
        raise FormatError(f"{tokenizer.name} has two tokens that are written alike.", 'Choose the format "tokviz".')
    if not tokenizer.by_bytes:
        return pieces, [[pieces[left], pieces[right]] for left, right in tokenizer.merges[tokenizer.units :]]
    there = {piece for id, piece in pieces.items() if id not in spare and id not in tokenizer.cut_ids}
    made = [pieces[id] for id in tokenizer.merge_ids[tokenizer.units :].tolist()]
    cuts = ([piece[:at], piece[at:]] for piece in made for at in range(1, len(piece)))
    return pieces, [cut for cut in cuts if there.issuperset(cut)]


BYTES_OF = {token: byte for byte, token in enumerate(BYTE_TOKENS)}


def shown_as_spaces(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps of a normalizer that ends with "▁" for each space, with a space for each "▁" instead.

    >>> shown_as_spaces([Step("prepend", by="▁"), Step("replace", " ", "▁")])
    (Step(kind='prepend', what='', by=' '), Step(kind='replace', what='▁', by=' '))
    """
    *first, _ = steps
    if first and first[-1] == Step("prepend", by=SPACE):
        first[-1] = Step("prepend", by=" ")
    return (*first, AS_SPACE)


def shown_as_marks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Do the opposite of `shown_as_spaces`."""
    *first, _ = steps
    if first and first[-1] == Step("prepend", by=" "):
        first[-1] = Step("prepend", by=SPACE)
    return (*first, Step("replace", " ", SPACE))

"""Makes tokenizers of the pieces of SentencePiece's BPE, and writes them: characters, "▁" for a space, byte tokens.

SentencePiece's own files, tokenizer.json and GGUF have such pieces. A character that is no piece becomes the tokens of
its bytes, such as <0xE2>, and nothing merges these; without byte tokens it is unknown. Here the tokens have the space
itself, and the normalizer makes a typed "▁" one too: a text shows what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats.parts import check_lengths
from tokviz.split.normalizing import Normalizer, Step
from tokviz.tokenizer.merge_table import LACKING, FirstMerges, MergeTable
from tokviz.tokenizer.merges import NO_PAIR
from tokviz.tokenizer.tokenizer import Tokenizer

SPACE = "▁"
AS_SPACE = Step("replace", SPACE, " ")
MOST_SIGNS = 16  # of which a file has runs; each is looked for in all tokens
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
    byte_fallback: bool = True,
    **unknown: Any,
) -> Tokenizer:
    """Make the tokenizer of the pieces in a file. FormatError names what is wrong.

    pieces: piece -> id, with the byte tokens, without special and added tokens.
    made: the pieces that merges make, in the order of the merges.
    merges: the pair of each of these; None if any two neighbours merge that together are a piece.
    byte_fallback: whether there are byte tokens for the characters that are no pieces.
    unknown: what becomes of these if not, as a MergeTable takes it.
    """
    lacking = next((token for token in (*BYTE_TOKENS, SPACE) if token not in pieces), None)
    if byte_fallback and lacking is not None:
        raise FormatError(
            f"{file.name} has no token {lacking}.", f"tokviz reads files with {SPACE}, and with a token for each byte."
        )
    byte_ids = {token: pieces[token] for token in BYTE_TOKENS} if byte_fallback else {}
    ids = {piece.replace(SPACE, " "): id for piece, id in pieces.items() if piece not in byte_ids}
    if len(ids) != len(pieces) - len(byte_ids):
        raise FormatError(f"{file.name} has a piece with a space and one with {SPACE}.", "Choose a file without both.")
    spare = {id: bytes([byte]) for byte, id in enumerate(byte_ids.values()) if byte < 0x80 and chr(byte) in ids}
    others = [byte_ids.get(token, LACKING) for token in BYTE_TOKENS]
    alphabet = [ids.get(chr(byte), id) if byte < 0x80 else id for byte, id in enumerate(others)]
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
            **unknown,
        )
        cut_first: dict[str, Any] = {"special_tokens": special_tokens, "added_tokens": added_tokens}
        return Tokenizer(name, FirstMerges(table), pattern=pattern, normalizer=normalizer, **cut_first)
    except KeyError as missing:
        raise FormatError(
            f"{file.name} merges {shown(missing.args[0])}, which is no piece.", "Choose a file that is whole."
        ) from None


def tokenizer_of_merges(
    name: str,
    pieces: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    special_tokens: Mapping[str, int],
    added_tokens: Mapping[str, int],
    normalizer: Normalizer,
    file: InputFile,
    **more: Any,
) -> Tokenizer:
    """Do as `tokenizer_of_pieces` with listed merges: the pair of each piece, or every way to cut each into two.

    FormatError also if they are neither. Runs of one sign become added tokens; see `_runs_first`.
    """
    runs = _runs_first(merges, [*pieces, *added_tokens])
    merges = [pair for pair in merges if pair[0] + pair[1] not in runs] if runs else merges
    ids = {run.replace(SPACE, " "): id for run, id in {**added_tokens, **pieces}.items() if run in runs}
    late = {run.replace(SPACE, " ") for run in runs if SPACE in run or run not in added_tokens}
    after = normalizer.after.difference(runs) | late
    pieces = {piece: id for piece, id in pieces.items() if piece not in runs}
    added = {token: id for token, id in added_tokens.items() if token not in runs} | ids
    made = [*dict.fromkeys(left + right for left, right in merges)]
    by_bytes = len(made) < len(merges)
    if by_bytes and len([*groupby(merges, key="".join)]) > len(made):
        raise FormatError(f"{file.name} does not list all ways to make a token one after the other.", "Put them so.")
    rest = special_tokens, added, normalizer._replace(after=frozenset(after)), file
    tokenizer = tokenizer_of_pieces(name, pieces, made, None if by_bytes else merges, *rest, **more)
    if by_bytes:
        _check_listed(tokenizer, merges, file)
    return tokenizer


def _runs_first(merges: Sequence[tuple[str, str]], tokens: Iterable[str]) -> set[str]:
    """Find the runs of signs that merges make before they make anything else of these signs, as in Gemma's files.

    No other token has such a sign twice in a row, and a run grows by one sign wherever it can. So as many signs as
    there is a token for merge, from the left, before anything else does: as if these tokens were cut out.
    """
    rank: dict[tuple[str, str], int] = {}
    for at, (left, right) in enumerate(merges):
        if {*left, *right} != {left[0]}:
            break
        rank[left, right] = at
    signs = "".join({left[0] for left, _ in rank})
    each_in_one_way = len(rank) == len({left + right for left, right in rank})  # then they merge as others do
    if each_in_one_way or len(signs) > MOST_SIGNS:
        return set()
    has_sign = re.compile(f"[{re.escape(signs)}]")
    later: dict[str, int] = {}
    for at, (left, right) in enumerate(merges[len(rank) :], len(rank)):
        if {*left, *right} == {left[0]} and left[0] in signs:
            rank[left, right] = at
        elif has_sign.search(left + right):
            later |= {sign: at for sign in {*left, *right}.intersection(signs) if sign not in later}
    runs = {left + right for left, right in rank}
    for left, right in rank:
        sign, size = left[0], len(left + right)
        two = rank.get((sign, sign), len(merges))
        if rank.get((sign * (size - 1), sign), len(merges)) > two or two > later.get(sign, two):
            return set()
    return set() if any(sign * 2 in token for token in {*tokens} - runs for sign in signs) else runs


def _check_listed(tokenizer: Tokenizer, merges: Sequence[tuple[str, str]], file: InputFile) -> None:
    """Raise FormatError unless the pair that makes each token, encoded alone, is listed: then no other pair makes it
    in any text (see `tokviz.kernels.ranks`). Of a token that no pair of earlier ones makes, all have to be."""
    listed, text_of = {(left.replace(SPACE, " "), right.replace(SPACE, " ")) for left, right in merges}, tokenizer.vocab
    pieces = {text_of[id] for id in (*tokenizer.alphabet.tolist(), *tokenizer.merge_ids.tolist()) if id != LACKING}
    rows = zip(tokenizer.merge_ids.tolist(), tokenizer.merges, strict=True)
    for id, pair in [*rows][tokenizer.units :]:
        token = text_of[id]
        cuts = [(token[:at], token[at:]) for at in range(1, len(token))] if pair == NO_PAIR else []
        pairs = [cut for cut in cuts if pieces.issuperset(cut)] if cuts else [(text_of[pair[0]], text_of[pair[1]])]
        if not all((left.decode(), right.decode()) in listed for left, right in pairs):
            raise FormatError(
                f"{file.name} lists no pair of which a token is made that it lists others of.",
                "Choose a file with one pair for each token, or with all.",
            )


def in_order(scores: Mapping[str, float], file: InputFile) -> list[str]:
    """Put the pieces in the order of their ranks. FormatError if no order gives the tokens that equal scores give.

    The last pieces may have equal scores if they are repeats of one character: then the leftmost one takes as many as
    there is a piece for, which ends at a power of two, and the rest goes on so. Ranks do the same if the powers of two
    come first, and then the lengths that the highest power divides, if all even lengths are there: of a rest, what is
    left of its last power is made first.
    """
    equal = FormatError(f"{file.name} has pieces with equal scores.", "tokviz reads files whose scores are an order.")
    ordered = sorted(scores, key=scores.__getitem__, reverse=True)
    last = [piece for piece in ordered if scores[piece] == scores[ordered[-1]]]
    if len({*scores.values()}) + len(last[1:]) < len(scores):
        raise equal
    if len(last) > 1:
        sizes, most = {*map(len, last)}, max(map(len, last))
        are_repeats = {*last} == {last[0][0] * size for size in sizes} and sizes.issuperset(range(2, most + 1, 2))
        if not are_repeats or most & (most - 1):
            raise equal
        divides = {piece: len(piece) & -len(piece) for piece in last}  # the highest power of two
        last.sort(key=lambda piece: (len(piece),) if divides[piece] == len(piece) else (most + 1, -divides[piece]))
    return ordered[: len(ordered) - len(last)] + last


def pieces_of(tokenizer: Tokenizer) -> tuple[dict[int, str], list[list[str]]]:
    """Write the pieces of a tokenizer of characters, id -> piece, and its merges: the pair of each, or every way to cut
    each into two. FormatError if two pieces would be written alike."""
    spare, vocab = tokenizer.spare, tokenizer.vocab
    doubled = {
        data for data in spare.values() if len(data) == 1
    }  # bytes that are a character and have a token beside it
    pieces: dict[int, str] = {}
    for id, data in sorted(vocab.items()):
        is_byte = len(data) == 1 and not tokenizer.lacked and (id in spare or data not in doubled)
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


def respaced(steps: Sequence[Step], old: str, new: str) -> tuple[Step, ...]:
    """Turn the last step of a normalizer, which puts one sign in the place of another, into its opposite.

    old, new: the sign for a space before and after. A prepended one becomes the other too.

    >>> respaced([Step("prepend", by="▁"), Step("replace", " ", "▁")], "▁", " ")
    (Step(kind='prepend', what='', by=' '), Step(kind='replace', what='▁', by=' '))
    """
    *first, _ = steps
    if first and first[-1] == Step("prepend", by=old):
        first[-1] = Step("prepend", by=new)
    return (*first, Step("replace", old, new))

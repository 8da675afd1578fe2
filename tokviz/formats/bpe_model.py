"""Reads a byte-level BPE model as tokenizer.json and GGUF keep it: tokens, merges, and whether it has look-ups.

A *look-up* takes a whole chunk that is a token before any of it is merged. Files that were converted from rank files
have look-ups, and list every way to cut each token into two as merges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokviz.base.arguments import some
from tokviz.base.byte_characters import BYTES, CHARACTERS
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.base.text import whole_text
from tokviz.formats.bytelevel import from_ids_and_merges, merge_ids_of, ranks_of_all_cuts
from tokviz.formats.parts import read_from_ranks
from tokviz.tokenizer.merge_table import LACKING
from tokviz.tokenizer.tokenizer import Tokenizer

NEVER_IN_UTF8 = frozenset([0xC0, 0xC1, *range(0xF5, 0x100)])


def tokenizer_of_model(
    name: str,
    ids: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    special_tokens: Mapping[str, int],
    added_tokens: Mapping[str, int],
    file: InputFile,
    *,
    pattern: str,
    looks_up: bool | None,
    way_out: str,
    unknown: int | None = None,
    fuses: bool = False,
) -> Tokenizer:
    """Make the tokenizer. FormatError names what is wrong with the tokens or the merges.

    Tokens that neither a merge nor a look-up makes are spare.

    looks_up: whether whole chunks are looked up; None if that is not known: then it must make no difference.
    way_out: of the error if there are tokens that no merge makes, and it is not known whether they are looked up.
    unknown, fuses: what becomes of bytes that no token has, as in a MergeTable.
    """
    made = {left + right for left, right in merges}
    cut_first = special_tokens.keys() | added_tokens.keys()
    unmade = [token for token in ids if token not in made and token not in BYTES and token not in cut_first]
    no_bytes = {sign for sign in cut_first if BYTES.get(sign) in NEVER_IN_UTF8}  # no text has these, but the signs
    alphabet = [LACKING if sign in no_bytes else ids.get(sign, LACKING) for sign in CHARACTERS]
    whole = LACKING not in alphabet
    ranks = ranks_of_all_cuts(merges, ids, file, unmade if looks_up else None) if whole else None
    if ranks is not None:
        tokenizer = read_from_ranks(name, ranks, file, pattern=pattern, special_tokens=special_tokens)
    else:
        minted = merge_ids_of(merges, ids, file)
        if unmade and looks_up is not False:
            raise FormatError(f"{file.name} has tokens that no merge makes: {some(unmade)}.", way_out)
        spare = {ids[token]: data_of(token) for token in unmade}
        more: dict[str, Any] = {"alphabet": alphabet, "spare": spare, "unknown": unknown, "fuses": fuses}
        tokenizer = from_ids_and_merges(
            name, ids, merges, minted, file, pattern=pattern, special_tokens=special_tokens, **more
        )
    if looks_up is not False and (looked_up := looked_up_specials(cut_first)):
        raise FormatError(
            f"{file.name} looks up special tokens in texts: {some(looked_up)}.",
            "Give them other names, or let it look up no chunks (ignore_merges).",
        )
    if looks_up != (ranks is not None):  # look-ups of a file of pairs, or a rank file without look-ups
        _check_made(tokenizer, file)
    return tokenizer.with_added_tokens(added_tokens) if added_tokens else tokenizer


def data_of(token: str) -> bytes:
    """Return the bytes that a token means: each of its characters a byte, or else the text itself."""
    return bytes(map(BYTES.__getitem__, token)) if BYTES.keys() >= {*token} else token.encode()


def pairs_in(merges: Any, file: InputFile) -> list[tuple[str, str]]:
    """Read the merges: each is a list of two tokens, or a text with a space, as in GGUF and older tokenizer.json."""
    if not isinstance(merges, list):
        raise file.damaged("it has no list of merges")
    pairs = []
    for number, merge in enumerate(merges, 1):
        match merge.split(" ") if isinstance(merge, str) else merge:
            case [str(left), str(right)] if left and right:
                pairs.append((left, right))
            case _:
                raise file.damaged(f"merge {number:,} is no pair of tokens")
    return pairs


def looked_up_specials(special_tokens: Iterable[str]) -> list[str]:
    """Find the special and added tokens that are written as another text is: a look-up takes that text for them."""
    meant = {text: bytes(map(BYTES.__getitem__, text)) for text in special_tokens if set(text) <= BYTES.keys()}
    return [text for text, data in meant.items() if whole_text(data) not in (None, text)]


def _check_made(tokenizer: Tokenizer, file: InputFile) -> None:
    """Raise FormatError if no pair of earlier tokens makes one of the tokens.

    Then look-ups change nothing. Without look-ups, such a token of a rank file would appear in some chunks only.
    """
    unmade = [tokenizer.vocab[id] for id in tokenizer.merge_ids[tokenizer.last_seams() == 0].tolist()]
    if unmade:
        raise FormatError(
            f"{file.name} has tokens that no pair of earlier tokens makes: {some(unmade)}.",
            "tokviz reads them only from a file with ignore_merges that lists every way to cut each token into two.",
        )

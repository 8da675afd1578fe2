"""Reads and writes tokens as GPT-2's files have them: one character for each byte, so that every token is printable."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.byte_characters import BYTES, CHARACTERS, characters_of
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.parts import Given, check_lengths, leftover_specials
from tokviz.tokenizer.merge_table import FirstMerges, MergeTable
from tokviz.tokenizer.tokenizer import Tokenizer

OVERWRITTEN = "a special token that is written like another token"  # which such a file cannot hold


def written_tokens(tokenizer: Tokenizer) -> dict[int, str]:
    """Write all tokens as such a file does, in the order of the ids: id -> token.

    A special or added token is its own text; FormatError if it is written like another token.
    """
    tokens = {id: characters_of(token) for id, token in tokenizer.vocab.items()}
    tokens |= {id: text for text, id in tokenizer.cut_tokens.items()}
    ids: dict[str, int] = {}
    for id, token in tokens.items():
        if ids.setdefault(token, id) != id:
            kind = "added" if token in tokenizer.added_tokens else "special"
            raise FormatError(
                f"The {kind} token {shown(token)} is written like the ordinary token {ids[token]}.",
                'Choose the format "tokviz".',
            )
    return dict(sorted(tokens.items()))


def ids_in(vocabulary: Any, file: InputFile) -> dict[str, int]:
    """Check token -> id, as JSON gives it. FormatError names a token without an id, or an id that two tokens have."""
    if not isinstance(vocabulary, dict):
        raise file.damaged("the vocabulary does not map tokens to ids")
    owners: dict[int, str] = {}
    for token, id in vocabulary.items():
        if not is_id(id):
            raise file.damaged(f"the token {shown(token)} has no id")
        if id in owners:
            raise FormatError(
                f"{file.name} gives the id {id} to two tokens, {shown(owners[id])} and {shown(token)}.",
                "Give each token an id of its own.",
            )
        owners[id] = token
    return vocabulary


def alphabet_of(ids: Mapping[str, int], file: InputFile) -> list[int]:
    """Return the ids of the 256 bytes. FormatError names the first byte that has none."""
    for byte, character in enumerate(CHARACTERS):
        if character not in ids:
            raise FormatError(
                f"{file.name} has no token for the byte {byte:02X}, which it would write {character!r}.",
                "tokviz reads byte-level vocabularies, which have all 256 bytes.",
            )
    return [ids[character] for character in CHARACTERS]


def merge_ids_of(
    merges: Sequence[tuple[str, str]], ids: Mapping[str, int], file: InputFile, first: int = 1
) -> list[int]:
    """Return the id that each merge makes. first: the number that the first merge has in the file, such as its line.

    FormatError names the first merge of which a part or the result is no token, or that makes what an earlier one
    makes, or that joins what only a later one makes.
    """
    minted: dict[int, int] = {}
    for number, (left, right) in enumerate(merges, first):
        for token in (left, right, left + right):
            if token not in ids:
                raise FormatError(
                    f"{file.name} merges {shown(left)} and {shown(right)} (number {number:,}), but {shown(token)} is "
                    "no token.",
                    "Choose the two files, or parts, that belong together.",
                )
        earlier = minted.setdefault(ids[left + right], number)
        if earlier != number:
            raise FormatError(
                f"{file.name} makes {shown(left + right)} twice, by the merges number {earlier:,} and {number:,}.",
                "Leave out the later one.",
            )
    for number, pair in enumerate(merges, first):
        for token in pair:
            maker = minted.get(ids[token], 0)
            if maker > number:
                raise FormatError(
                    f"{file.name} merges {shown(pair[0])} and {shown(pair[1])} (number {number:,}), but only a later "
                    f"merge, number {maker:,}, makes {shown(token)}.",
                    "Put the merges in the order in which they were learned.",
                )
    return list(minted)


def ranks_of_all_cuts(
    merges: Sequence[tuple[str, str]], ids: Mapping[str, int], file: InputFile, unmade: Iterable[str] | None
) -> dict[bytes, int] | None:
    """Return token bytes -> id if the merges are every way to cut each token into two tokens; else None.

    Programs that convert a rank file write such merges: any two tokens merge whose bytes together are a token. The
    tokens have to come in the order of their ids. FormatError if the tokens are very long.

    unmade: the tokens that no merge makes, if whole chunks are looked up; None if they are not, and then merges with
        one way to cut each token are read as pairs.
    """
    made = list(dict.fromkeys(left + right for left, right in merges))
    if unmade is None and len(made) == len(merges):
        return None
    numbers = [ids.get(token, -1) for token in made]
    tokens = dict(zip([*CHARACTERS, *made], [*alphabet_of(ids, file), *numbers], strict=True))
    if numbers != sorted(numbers) or -1 in numbers or len(tokens) < 256 + len(made):
        return None
    for token in unmade or ():
        if not BYTES.keys() >= {*token}:
            return None
        tokens[token] = ids[token]
    check_lengths(tokens, file.name, "Choose a vocabulary of shorter tokens.")
    at = 0
    for token in made:
        cuts = {*_cuts(token, tokens)}
        if {*merges[at : at + len(cuts)]} != cuts:
            return None
        at += len(cuts)
    return {bytes(map(BYTES.__getitem__, token)): id for token, id in tokens.items()} if at == len(merges) else None


def all_cuts(ranks: Mapping[bytes, int]) -> list[list[str]]:
    """List the merges that say what a rank file says: every way to cut each token into two, in the order of the ids.

    >>> all_cuts({b"a": 0, b"b": 1, b"ab": 3, b"aab": 4, b"aa": 2})
    [['a', 'a'], ['a', 'b'], ['a', 'ab'], ['aa', 'b']]
    """
    check_lengths(ranks, "The tokenizer", 'Choose the format "tokviz".')
    tokens = {characters_of(token): id for token, id in ranks.items()}
    return [[*cut] for token in sorted(tokens, key=tokens.__getitem__) for cut in _cuts(token, tokens)]


def _cuts(token: str, tokens: Container[str]) -> Iterator[tuple[str, str]]:
    cuts = ((token[:i], token[i:]) for i in range(1, len(token)))
    return (cut for cut in cuts if cut[0] in tokens and cut[1] in tokens)


def from_ids_and_merges(
    name: str,
    ids: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    minted: Iterable[int],
    file: InputFile,
    *,
    pattern: str,
    special_tokens: Mapping[str, int],
    alphabet: Sequence[int] | None = None,
    **more: Any,
) -> Tokenizer:
    """Make the tokenizer of a vocabulary and merges in this writing. Errors as from MergeTable and Tokenizer.

    alphabet: byte -> id, if the vocabulary may lack bytes.
    more: as in `MergeTable.of_pairs`.
    """
    pairs = [(ids[left], ids[right]) for left, right in merges]
    table = MergeTable.of_pairs(pairs, alphabet or alphabet_of(ids, file), [*minted], **more)
    return Tokenizer(name, FirstMerges(table), pattern=pattern, special_tokens=special_tokens)


def tokenizer_as_asked(
    ids: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    file: InputFile,
    merges_file: InputFile,
    given: Given,
    first: int = 1,
) -> Tokenizer:
    """Make the tokenizer of two files, one with the ids and one with the merges, which say no more than these.

    The caller has to say the pattern and the special tokens; FormatError if they do not. first: as in `merge_ids_of`.
    """
    minted = merge_ids_of(merges, ids, merges_file, first)
    specials = leftover_specials(no_merge_makes(ids, minted), given, file, ids)
    pattern = given.need_pattern(file)
    return from_ids_and_merges(
        given.name_for(file), ids, merges, minted, file, pattern=pattern, special_tokens=specials
    )


def no_merge_makes(ids: Mapping[str, int], minted: Iterable[int]) -> dict[str, int]:
    """Find the tokens that are no bytes, and that no merge makes: token -> id."""
    made = set(minted)
    return {token: id for token, id in ids.items() if id not in made and token not in BYTES}

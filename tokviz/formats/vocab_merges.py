"""Reads and writes a vocabulary and merges as two plain JSON files, as notebooks about BPE do.

    vocab.json      {"id": token}
    merges.json     [{"pair": [left id, right id], "new_id": id}, ...], in the order of the ranks

Tokens are written as in `tokviz.formats.bytelevel`. A notebook whose tokens are made of characters instead of bytes
writes the same layout; such a file is refused. The files say neither the pattern nor which tokens are special, so both
are asked for. Source: rasbt/LLMs-from-scratch, ch02/05_bpe-from-scratch, save_vocab_and_merges.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.bytelevel import OVERWRITTEN, tokenizer_as_asked, written_tokens
from tokviz.formats.parts import BESIDE_MERGES, ONLY_TOKENS, UNPAIRED, FilePart, Format, Given, id_in
from tokviz.tokenizer.tokenizer import Tokenizer


def _has_tokens(file: InputFile) -> bool:
    return file.is_json and isinstance(file.json, dict) and next(iter(file.json), "").isdecimal()


def _has_merges(file: InputFile) -> bool:
    match file.is_json and file.json:
        case [{"pair": _, "new_id": _}, *_] | []:
            return True
    return False


def read(vocab: InputFile, merges: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in the two files. FormatError says what is wrong, and where.

    >>> from tokviz.formats import dump, load
    >>> load(dump(Tokenizer("a", [(32, 97)]), "vocab-merges"), pattern="gpt2").encode("b a")
    [98, 256]
    """
    tokens = _tokens(vocab)
    ids: dict[str, int] = {}
    for id, token in tokens.items():
        if ids.setdefault(token, id) != id:
            raise FormatError(
                f"{vocab.name} has the token {shown(token)} twice, with the ids {ids[token]} and {id}.",
                "Leave one out.",
            )
    return tokenizer_as_asked(ids, _merges(merges, tokens), vocab, merges, given)


def _tokens(file: InputFile) -> dict[int, str]:
    """Read id -> token. FormatError for a key that is no id, and for a vocabulary of characters."""
    tokens: dict[int, str] = {}
    for key, token in file.json.items():
        try:
            id = id_in(key)
        except ValueError:
            raise file.damaged(f"{shown(key)} is no id") from None
        if not isinstance(token, str):
            raise file.damaged(f"the token {id} is no text")
        if id in tokens:
            raise file.damaged(f"the id {id} is in it twice")
        tokens[id] = token
    if all(tokens.get(point) == chr(point) for point in range(256)):
        raise FormatError(
            f"{file.name} is a vocabulary of characters, not of bytes: its first 256 tokens are the characters U+0000 "
            "to U+00FF.",
            "tokviz reads byte-level vocabularies, such as those that it trains.",
        )
    return tokens


def _merges(file: InputFile, tokens: Mapping[int, str]) -> list[tuple[str, str]]:
    """Read the merges. FormatError names the first that is none, or makes another token than it says."""
    merges = []
    for number, entry in enumerate(file.json, 1):
        match entry:
            case {"pair": [left, right], "new_id": new, **more} if not more and all(map(is_id, (left, right, new))):
                pass
            case _:
                raise FormatError(
                    f"{file.name} has no merge at number {number:,}.",
                    'Each is {"pair": [left id, right id], "new_id": id}.',
                )
        for id in (left, right, new):
            if id not in tokens:
                raise FormatError(
                    f"{file.name} needs the id {id} at merge {number:,}, which no token has.",
                    "Choose the two files that belong together.",
                )
        if tokens[left] + tokens[right] != tokens[new]:
            raise FormatError(
                f"{file.name} makes {shown(tokens[new])} of {shown(tokens[left])} and {shown(tokens[right])} at merge "
                f"{number:,}.",
                "Choose the two files that belong together.",
            )
        merges.append((tokens[left], tokens[right]))
    return merges


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the two files. FormatError says what they cannot hold.

    >>> json.loads(write(Tokenizer("a", [(32, 97)]))["merges.json"])
    [{'pair': [32, 97], 'new_id': 256}]
    """
    tokens = written_tokens(tokenizer)
    pairs = zip(tokenizer.merges, tokenizer.merge_ids.tolist(), strict=True)
    merges = [{"pair": [*pair], "new_id": id} for pair, id in pairs]
    return {
        "vocab.json": json.dumps(tokens, ensure_ascii=False, indent=2).encode(),
        "merges.json": json.dumps(merges, ensure_ascii=False, indent=2).encode(),
    }


VOCAB_MERGES = Format(
    "vocab-merges",
    "plain JSON",
    {
        "vocab": FilePart(("vocab.json",), _has_tokens, "tokens"),
        "merges": FilePart(("merges.json",), _has_merges, "merges"),
    },
    read,
    write,
    asks=("pattern", "special_tokens"),
    loses=ONLY_TOKENS,
    refuses=(OVERWRITTEN, UNPAIRED, *BESIDE_MERGES),
)

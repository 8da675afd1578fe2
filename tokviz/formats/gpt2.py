"""Reads and writes GPT-2's two files: the ids of all tokens as JSON, and the merges as lines of text.

    encoder.json    {token: id}, special tokens among them; others call it vocab.json
    vocab.bpe       "#version: 0.2", then for each merge a line: left, a space, right; others call it merges.txt

Tokens are written as in `tokviz.formats.bytelevel`. The files say neither the pattern nor which tokens are special, so
both are asked for, except for OpenAI's own files, which are known by their sum. Source: openai/gpt-2, src/encoder.py.
"""

from __future__ import annotations

import hashlib
import json
import re

from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.bytelevel import OVERWRITTEN, ids_in, tokenizer_as_asked, written_tokens
from tokviz.formats.parts import BESIDE_MERGES, ONLY_TOKENS, UNPAIRED, FilePart, Format, Given
from tokviz.tokenizer.tokenizer import Tokenizer

# OpenAI's encoder.json; tiktoken pins the same sum. The r50k_base of tiktoken has the same ids.
ENCODER_SHA256 = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"

_HEAD = "#version: 0.2"
_PAIR = re.compile(r"\S+ \S+")


def _has_ids(file: InputFile) -> bool:
    return file.is_json and isinstance(file.json, dict) and is_id(next(iter(file.json.values()), None))


def _has_merges(file: InputFile) -> bool:
    line = file.head.decode("utf-8", "replace").split("\n")[0].removesuffix("\r")
    left, _, right = line.partition(" ")  # the first merge is one of two bytes
    return not file.is_json and (line.startswith("#version") or len(left) == len(right) == 1)


def read(ids: InputFile, merges: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in the two files. FormatError says what is wrong, and where.

    >>> from tokviz.formats import dump, load
    >>> load(dump(Tokenizer("a", [(32, 97)]), "gpt2"), pattern="gpt2").encode("b a")
    [98, 256]
    """
    if hashlib.sha256(ids.data).hexdigest() == ENCODER_SHA256:
        given = given.or_else(pattern="gpt2", special_tokens="all")
    first, pairs = _merges(merges)
    return tokenizer_as_asked(ids_in(ids.json, ids), pairs, ids, merges, given, first)


def _merges(file: InputFile) -> tuple[int, list[tuple[str, str]]]:
    """Read the line of the first merge, and the merges. Only line 1 may be a comment: '# #' is a merge of GPT-2."""
    lines = file.lines
    first = 2 if lines and lines[0].startswith("#version") else 1
    merges = []
    for number, line in enumerate(lines[first - 1 :], first):
        if not _PAIR.fullmatch(line):
            raise FormatError(
                f"{file.name} has no pair of tokens at line {number:,}.", "Each line is a token, a space, a token."
            )
        left, _, right = line.partition(" ")
        merges.append((left, right))
    return first, merges


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the two files, byte for byte as OpenAI does. FormatError says what they cannot hold.

    >>> write(Tokenizer("a", [(32, 97)]))["vocab.bpe"].decode()
    '#version: 0.2\\nĠ a\\n'
    """
    tokens = written_tokens(tokenizer)
    merges = [f"{tokens[left]} {tokens[right]}" for left, right in tokenizer.merges]
    return {
        "encoder.json": json.dumps({token: id for id, token in tokens.items()}).encode(),
        "vocab.bpe": ("\n".join([_HEAD, *merges]) + "\n").encode(),
    }


GPT2 = Format(
    "gpt2",
    "GPT-2: encoder.json and vocab.bpe",
    {
        "ids": FilePart(("encoder.json", "vocab.json"), _has_ids, "ids"),
        "merges": FilePart(("vocab.bpe", "merges.txt"), _has_merges, "merges"),
    },
    read,
    write,
    asks=("pattern", "special_tokens"),
    loses=ONLY_TOKENS,
    refuses=(OVERWRITTEN, UNPAIRED, *BESIDE_MERGES),
)

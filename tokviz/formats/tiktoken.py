"""Reads and writes tiktoken's rank files: a line for each token, its bytes in base64 and its id.

The file has no pairs, no pattern and no special tokens. The order of the ids is the order of the merges. The pattern
and the special tokens are asked for, except for OpenAI's own files and those in packages, which are known by their sum.
Source: openai/tiktoken, tiktoken/load.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, warn
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.bundled import Packaged, Reference, known_by
from tokviz.formats.parts import (
    BESIDE_MERGES,
    NO_RECORD,
    UNPAIRED_CUT,
    FilePart,
    Format,
    Given,
    Losses,
    UnsaidError,
    check_lengths,
    file_name,
    id_in,
    ranks_of,
    read_from_ranks,
)
from tokviz.formats.patterns import expression_of
from tokviz.split.normalizing import Normalizer, Step
from tokviz.tokenizer.tokenizer import Tokenizer

LOSES: Losses = {
    **NO_RECORD,
    "pattern": "The file does not say how texts are split. The program that reads it has to know.",
    "special_tokens": "The file has no special tokens. The program that reads it has to name them and their ids.",
}

_DECODED = partial(binascii.a2b_base64, strict_mode=True)
# White space between the two, and empty lines, as tiktoken reads them.
_LINE = re.compile(rb"[\r\n]*[ \t]*([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[ \t]+[0-9]+[ \t]*[\r\n]")


EMPTY = b"="  # how Whisper's file writes a token without bytes, which no text becomes


def _has_ranks(file: InputFile) -> bool:
    return _LINE.match(file.head if b"\n" in file.head else file.head + b"\n") is not None


def read_ranks(data: bytes, source: str = "The file") -> dict[bytes, int]:
    """Read token bytes -> id. FormatError names the first line that is not in the format.

    >>> read_ranks(b"IQ== 0\\nIg== 1\\n")
    {b'!': 0, b'"': 1}
    """
    found = _all_at_once(data)
    if found is not None:
        return found
    ids: dict[bytes, int] = {}
    lines: dict[int, int] = {}  # that of each id
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        try:
            word, id = line.split()
            token = base64.b64decode(word, validate=True) if word != EMPTY else b""
            rank = id_in(id.decode("ascii"))
        except (ValueError, binascii.Error):
            raise FormatError(
                f"{source} is not in tiktoken's format at line {number:,}.", "Each line is base64, a space, an id."
            ) from None
        if word == EMPTY and lines.setdefault(rank, number) == number:
            continue
        if token in ids or not token:
            what = f"the token {shown(token)} again" if token else "a token without bytes"
            raise FormatError(f"{source} has {what} at line {number:,}.", "Leave the line out.")
        if lines.setdefault(rank, number) != number:
            raise FormatError(
                f"{source} gives the id {rank} twice, at line {lines[rank]:,} and at line {number:,}.",
                "Give each token an id of its own.",
            )
        ids[token] = rank
    return ids


def _all_at_once(data: bytes) -> dict[bytes, int] | None:
    """Read token bytes -> id quicker than by lines; None if there is a fault, or a line is written in another way."""
    words = data.split()
    tokens, numbers = words[::2], words[1::2]
    if not tokens or b"".join([b"%b %b\n" % line for line in zip(tokens, numbers, strict=False)]) != data:
        return None
    try:
        found = dict(zip(map(_DECODED, tokens), map(int, numbers), strict=True))
    except ValueError:
        return None
    sound = len({*found.values()}) == len(found) == len(tokens) and b"" not in found and b"".join(numbers).isdigit()
    return found if sound and is_id(max(found.values())) else None


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a rank file. FormatError says what is missing or wrong, and where.

    >>> file = InputFile("a.tiktoken", write(Tokenizer("a", [(32, 97)]))["a.tiktoken"])
    >>> read(file, Given(pattern="gpt2", special_tokens={"<|end|>": 300})).encode(" a<|end|>", "all")
    [256, 300]
    """
    file.check_lines()
    ids = read_ranks(file.data.removeprefix(b"\xef\xbb\xbf"), file.name)
    known = known_by(hashlib.sha256(file.data).hexdigest())
    if known is not None:
        given = given.or_else(name=known.name, pattern=known.pattern, special_tokens=known.special_tokens)
    pattern = given.need_pattern(file)
    specials = given.special_tokens
    if specials == ():
        specials, none = {}, "so this tokenizer has none. Pass special_tokens= with their ids, or {} if there are none."
        (given.say or warn)(f"{file.name} does not say which special tokens there are, {none}")
    if not isinstance(specials, Mapping):
        raise UnsaidError(
            f"{file.name} does not say which special tokens there are.",
            'Pass special_tokens= with their ids, such as {"<|endoftext|>": 50256}, or {} if there are none.',
            "special_tokens",
        )
    name = given.name_for(file)
    made = read_from_ranks(
        name, ids, file, pattern=pattern, special_tokens=specials, no_lookups=isinstance(known, Reference)
    )
    form = known.normalizer if isinstance(known, Packaged) else None
    return made.with_normalizer(Normalizer((Step(form),))) if form else made


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the rank file. FormatError if tiktoken would encode to other ids with it.

    >>> write(Tokenizer("a", [(32, 97)]))["a.tiktoken"].splitlines()[-1]
    b'IGE= 256'
    """
    expression_of(tokenizer.pattern)  # FormatError for a pipeline: tiktoken has one expression
    ids = ranks_of(tokenizer) if tokenizer.lookups else _checked_ranks(tokenizer)
    lines = [base64.b64encode(token) + b" %d\n" % id for token, id in sorted(ids.items(), key=lambda item: item[1])]
    return {file_name(tokenizer, ".tiktoken"): b"".join(lines)}


def _checked_ranks(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Return token bytes -> id if pairs make all. FormatError if tiktoken, which has no pairs, would make others."""
    merge_ids = tokenizer.merge_ids
    if (np.diff(merge_ids) <= 0).any():
        rank = int(np.argmax(np.diff(merge_ids) <= 0)) + 1
        raise FormatError(
            f"Merge {rank + 1:,} of {tokenizer.name} makes the id {merge_ids[rank]}, lower than the id of the merge "
            "before it. tiktoken merges in the order of the ids.",
            'Choose the format "hf".',
        )
    tokens = [tokenizer.vocab[id] for id in merge_ids.tolist()]
    ids = {tokenizer.vocab[id]: id for id in [*tokenizer.alphabet.tolist(), *merge_ids.tolist()]}
    check_lengths(ids, tokenizer.name, 'Choose the format "tokviz".')
    by_bytes = Tokenizer.from_ranks("", ids, pattern="none", special_tokens={}).last_seams().tolist()
    for rank, ((left, _), place) in enumerate(zip(tokenizer.merges, by_bytes, strict=True)):
        if len(tokenizer.vocab[left]) != place:
            raise FormatError(
                f"tiktoken would not make {shown(tokens[rank])} as merge {rank + 1:,} of {tokenizer.name} does: the "
                "merges before it, by bytes alone, join its bytes otherwise.",
                'Choose the format "hf".',
            )
    return ids


def remarks(tokenizer: Tokenizer) -> list[str]:
    """Say what tiktoken may read otherwise than tokviz.

    >>> remarks(Tokenizer("bytes", [], special_tokens={"<a>": 256, "<a><b>": 257}))
    ['One special token begins with another one. tiktoken may find the shorter one where both fit.']
    """
    texts = sorted(tokenizer.special_tokens)  # the texts that begin with another one come right after it
    nested = any(longer.startswith(text) for text, longer in pairwise(texts))
    said = "One special token begins with another one. tiktoken may find the shorter one where both fit."
    return [said] if nested else []


TIKTOKEN = Format(
    "tiktoken",
    "tiktoken ranks",
    {"ranks": FilePart(("NAME.tiktoken",), _has_ranks)},
    read,
    write,
    asks=("pattern", "special_tokens"),
    loses=LOSES,
    refuses=(
        "merge ids that do not rise with the ranks",
        "merges that encode otherwise when tokens are merged by their bytes alone, as tiktoken does",
        "tokens of many thousands of bytes",
        UNPAIRED_CUT,
        *BESIDE_MERGES,
    ),
    remarks=remarks,
)

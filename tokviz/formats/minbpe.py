"""Reads and writes minbpe's model file: lines of text, with the two ids of each merge but not the one that it makes.

    minbpe v1
    the split pattern; an empty line is the pattern "none"
    the number of special tokens, then for each of them a line: text, a space, id
    for each merge a line: left id, a space, right id

The ids of the bytes are 0 to 255, and the merges make 256, 257, and so on. Some tutorials write "bpe v1" in the first
line. A second file, .vocab, is for people to read: bytes that are no text look alike in it, so nothing reads it.
Source: karpathy/minbpe, minbpe/base.py.
"""

from __future__ import annotations

import unicodedata

import numpy as np

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats.parts import BESIDE_MERGES, NO_RECORD, UNPAIRED, FilePart, Format, Given, Losses, file_name, id_in
from tokviz.formats.patterns import expression_of, named
from tokviz.split.cutting import PATTERNS
from tokviz.split.pipeline import stages_of
from tokviz.tokenizer.encoding import BYTES_AS_IDS
from tokviz.tokenizer.tokenizer import Tokenizer

LOSES: Losses = {
    **NO_RECORD,
    "pattern": (
        "A name such as gpt2 is written as its expression, and gets its name again when it is read. minbpe has newer "
        "Unicode classes than tiktoken: the newest characters may be cut otherwise there."
    ),
}

_HEADS = ("minbpe v1", "bpe v1")
_OWN = 'Choose the format "tokviz".'


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a model file. FormatError says which line is not in the format.

    >>> lines = b"minbpe v1\\n\\n1\\n<|end|> 258\\n117 103\\n104 256\\n"
    >>> read(InputFile("hug.model", lines), Given()).encode("hug<|end|>", "all")
    [257, 258]
    """
    lines = file.lines
    if lines[0].strip() not in _HEADS:
        raise _fault(file, 1, f"is not {_HEADS[0]!r}")
    lines += [""] * (3 - len(lines))  # a file may end after an empty pattern only if it is damaged, which line 3 shows
    try:
        n_specials = id_in(lines[2].strip())
    except ValueError:
        raise _fault(file, 3, "is not the number of special tokens") from None
    specials: dict[str, int] = {}
    for number, line in enumerate(lines[3 : 3 + n_specials], 4):
        text, _, id = line.rpartition(" ")
        if text in specials:
            raise _fault(file, number, f"names the special token {shown(text)} again")
        try:
            specials[text] = id_in(id)
        except ValueError:
            raise _fault(file, number, "is not a special token, a space and an id") from None
    if len(specials) < n_specials:
        raise _fault(file, len(lines), f"is the last, but line 3 announces {n_specials:,} special tokens")
    merges = np.empty((len(lines) - 3 - n_specials, 2), np.int64)
    for number, line in enumerate(lines[3 + n_specials :], 4 + n_specials):
        try:
            left, right = map(id_in, line.split())
        except ValueError:
            raise _fault(file, number, "is not a pair of ids") from None
        merges[number - 4 - n_specials] = left, right
    pattern = named(lines[1]) if lines[1] else "none"
    del lines
    return Tokenizer(given.name_for(file), merges, pattern=pattern, special_tokens=specials)


def _fault(file: InputFile, line: int, what: str) -> FormatError:
    return FormatError(f"{file.name} is not in minbpe's format: line {line:,} {what}.", "Save it again from minbpe.")


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the model file and the list of tokens. FormatError says what minbpe could not read as it is meant.

    >>> files = write(Tokenizer("hug", [(117, 103)], pattern="none"))
    >>> files["hug.model"]
    b'minbpe v1\\n\\n0\\n117 103\\n'
    >>> files["hug.vocab"].decode().splitlines()[-1]
    '[u][g] -> [ug] 256'
    """
    if not np.array_equal(tokenizer.alphabet, BYTES_AS_IDS):
        raise FormatError(f"{tokenizer.name} does not number its bytes 0 to 255, as minbpe does.", _OWN)
    if not np.array_equal(tokenizer.merge_ids, np.arange(256, tokenizer.vocab_size)):
        raise FormatError(f"The merges of {tokenizer.name} do not make the ids 256, 257, and so on.", _OWN)
    for token in tokenizer.special_tokens:
        if token.split() != [token]:
            raise FormatError(
                f"The special token {shown(token)} contains white space, at which minbpe cuts lines.", _OWN
            )
    lines = [
        _HEADS[0],
        _pattern_line(tokenizer.pattern),
        str(len(tokenizer.special_tokens)),
        *(f"{token} {id}" for token, id in tokenizer.special_tokens.items()),
        *(f"{left} {right}" for left, right in tokenizer.merges),
    ]
    return {
        file_name(tokenizer, ".model"): ("\n".join(lines) + "\n").encode(),
        file_name(tokenizer, ".vocab"): ("\n".join(_vocab_lines(tokenizer)) + "\n").encode(),
    }


def _pattern_line(pattern: str) -> str:
    """Write the pattern as minbpe would read it back."""
    if pattern in PATTERNS or stages_of(pattern):
        return expression_of(pattern)
    if not pattern:
        raise FormatError('The pattern is empty, which means the pattern "none" in minbpe.', _OWN)
    if "\n" in pattern or "\r" in pattern or pattern.strip() != pattern:
        raise FormatError(
            f"The pattern {shown(pattern)} has a line end, or white space at an end, which minbpe does not keep.",
            "Write it as an escape, such as \\n or \\x20.",
        )
    return pattern


def _vocab_lines(tokenizer: Tokenizer) -> list[str]:
    written = {id: _as_minbpe_shows(token) for id, token in tokenizer.vocab.items()}
    parts = dict(zip(tokenizer.merge_ids.tolist(), tokenizer.merges, strict=True))
    return [
        f"[{written[parts[id][0]]}][{written[parts[id][1]]}] -> [{token}] {id}" if id in parts else f"[{token}] {id}"
        for id, token in written.items()
    ]


def _as_minbpe_shows(token: bytes) -> str:
    """Write a token as minbpe shows it: control characters as escapes, and bytes that are no text as U+FFFD."""
    text = token.decode("utf-8", "replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in text)


MINBPE = Format(
    "minbpe",
    "minbpe",
    {
        "model": FilePart(("NAME.model",), lambda file: file.head.startswith(tuple(map(str.encode, _HEADS))), "merges"),
        "vocab": FilePart(
            ("NAME.vocab",),
            lambda file: file.head.startswith(b"[\\u0000] 0\n"),
            "minbpe's list of tokens for people to read",
            needed=False,
        ),
    },
    read,
    write,
    loses=LOSES,
    refuses=(
        "ids of bytes other than 0 to 255, or of merges other than 256, 257, and so on",
        "a pattern that is empty, contains a line end, or begins or ends with white space",
        "a special token that contains white space",
        UNPAIRED,
        *BESIDE_MERGES,
    ),
    remarks=lambda tokenizer: [LOSES["pattern"]] if tokenizer.pattern in PATTERNS else [],
)

"""`tokviz encode`, `decode` and `show`: print the ids of a text, the text of ids, and the tokens of a text."""

from __future__ import annotations

import re
import sys

from rich.console import Console

from tokviz.base.text import read_text, whole_text
from tokviz.base.wording import drawn_token, printable
from tokviz.cli.colours import paints
from tokviz.cli.inputs import (
    STDIN,
    FileArgument,
    Json,
    Repair,
    Special,
    TokenizerName,
    path_name,
    read_bytes,
    read_input,
    tokenizer_named,
)
from tokviz.cli.terminal import print_json, print_out, write_out
from tokviz.tokenizer.hues import hues
from tokviz.tokenizer.ids import read_ids

SEAM = "│"
AT_ONCE = 1 << 16  # bytes of a text that are shown together, so that its beginning is there at once
_BESIDE_IDS = re.compile(r"[\s,;()\[\]]+")
_ID = re.compile(r"[0-9]{1,10}")


def encode(
    tokenizer: TokenizerName,
    file: FileArgument = STDIN,
    special: Special = False,
    repair: Repair = False,
    as_json: Json = False,
) -> None:
    """Print the ids of a text, with spaces between them."""
    tok = tokenizer_named(tokenizer)
    text = read_input(file, repair).text
    ids = tok.encode(text, allowed_special="all") if special else tok.encode_array(text).tolist()
    if as_json:
        print_json({"tokenizer": tok.name, "ids": ids})
    else:
        print_out(" ".join(map(str, ids)))


def decode(tokenizer: TokenizerName, file: FileArgument = STDIN, as_json: Json = False) -> None:
    """Print the text of ids.

    Commas, spaces, line ends or brackets separate the ids. A file or a pipe gets the exact bytes. On a terminal,
    control characters and half characters are made visible.
    """
    tok = tokenizer_named(tokenizer)
    ids = _ids(read_text(read_bytes(file), path_name(file)).text)
    data = tok.decode_bytes(ids)
    if as_json:
        print_json({"tokenizer": tok.name, "text": whole_text(data), "hex": data.hex()})
    elif is_terminal():
        print_out(printable(data.decode("utf-8", "surrogateescape"), keep="\n\t"))
    else:
        write_out(data)


def is_terminal() -> bool:
    return sys.stdout.isatty()


def _ids(text: str) -> list[int]:
    """Read the ids in a text of any length. InputError as in `read_ids`."""
    words = [word for word in _BESIDE_IDS.split(text) if word]
    if all(map(_ID.fullmatch, words)):
        return [*map(int, words)]
    return [written.id for written in read_ids(text, most=len(words))]  # which says what is wrong, and where


def show(
    tokenizer: TokenizerName,
    file: FileArgument = STDIN,
    special: Special = False,
    repair: Repair = False,
    as_json: Json = False,
) -> None:
    """Print a text with its tokens in colour.

    Where there are no colours, a bar separates the tokens. Characters that a terminal could obey are made visible, and
    so are the bytes of a token that is half a character.
    """
    tok = tokenizer_named(tokenizer)
    text = read_input(file, repair).text
    whole = special or not tok.has_merges
    encodings = [tok.explain(text, "all" if special else ())] if whole else tok.explain_in_pieces(text, AT_ONCE)
    if as_json:
        rows = [
            {
                "id": token.id,
                "text": token.text,
                "hex": token.data.hex(),
                "start": encoding.start + token.start,
                "end": encoding.start + token.end,
            }
            for encoding in encodings
            for token in encoding.tokens()
        ]
        print_json({"tokenizer": tok.name, "tokens": rows})
        return
    colours = paints(Console(file=sys.stdout))
    hue, shown = None, ""
    for encoding in encodings:
        chosen = hues(encoding, hue) if colours else []
        parts = []
        for number, token in enumerate(encoding.tokens()):
            text = drawn(token.data)
            if colours:
                begin, end = colours[chosen[number]]
                hue = None if b"\n" in token.data else chosen[number]
                # a colour ends with its line; else some terminals paint to the right edge
                parts.append("\n".join(f"{begin}{line}{end}" if line else "" for line in text.split("\n")))
            else:
                parts.append(f"{SEAM if number or shown else ''}{text}")
        shown = "".join(parts) or shown
        print_out("".join(parts), end="")
    print_out("", end="" if shown.endswith("\n") or not shown else "\n")


def drawn(token: bytes) -> str:
    """Write a token as the terminal shows it. A bar in it is written as its number, so that it is not one of ours."""
    return drawn_token(token).replace(SEAM, f"⟨U+{ord(SEAM):04X}⟩")

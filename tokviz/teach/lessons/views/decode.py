"""Turns ids back into text: the bytes of each token, what it is alone, and what a decoder that waits makes of it."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokviz.base.blocks import Block, Cell, Chip, Columns, Field, Line, Quiet, Visible
from tokviz.base.errors import InputError
from tokviz.base.sentences import Code
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, view, yes_or_no
from tokviz.teach.lessons.trained import lesson_tokenizer, title_of
from tokviz.tokenizer.ids import explain_written

TOKEN_LIMIT = 60
TEXT_LIMIT = 400  # characters
REPLACED = "\ufffd"
LINES = {"id": "Id", "bytes": "Bytes", "alone": "Decoded alone", "streamed": "Comes out"}


def streamed(tokens: Iterable[bytes]) -> list[str]:
    """Decode as a decoder that waits: after each token only characters that are whole. It does not wait for the end.

    >>> streamed([b"a", b"\\xc3", b"\\xa9b"])
    ['a', '', 'éb']
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(token) for token in tokens]


@view("text", "ids")
def decode(
    *,
    text: str | None = None,
    ids: str | None = None,
    tokenizer: str = "cl100k_base",
    lines: Sequence[str] = ("id", "bytes"),
    typing: bool = False,
    also: Mapping[str, str] | None = None,
) -> Shown:
    """Show the tokens of `text`, or of `ids` as people write them. lines: what is shown of each token, of LINES. also:
    other ids by name, whose texts are facts.

    Facts: `tokens`, `bytes`, `characters` and `text` of the whole; `partial`: tokens that are no whole characters;
    `replaced`: U+FFFD if each token is decoded alone; `lost`: U+FFFD if all are decoded together; `silent`: tokens
    after which a decoder that waits gives nothing; `again`: the tokens of the decoded text; `same_ids`: "yes" or "no";
    `tokenizer`: its name.

    >>> facts = decode(text="👍").facts
    >>> facts["tokens"], facts["partial"], facts["replaced"], facts["silent"], facts["lost"]
    (3, 3, 3, 2, 0)
    """
    decoder = lesson_tokenizer(tokenizer)
    if text is not None:
        encoding = decoder.explain(checked_text(text, TEXT_LIMIT))
    else:
        encoding = explain_written(decoder, ids or "")
    if len(encoding) > TOKEN_LIMIT:
        raise InputError(f"There are {count_of(len(encoding), 'token')}.", f"Here {TOKEN_LIMIT} can be shown.")
    tokens = encoding.tokens()
    said: dict[str, list[Any]] = {
        "id": [token.id for token in tokens],
        "bytes": [token.data.hex(" ").upper() for token in tokens],
        "alone": [token.data.decode("utf-8", "replace") for token in tokens],
        "streamed": streamed(token.data for token in tokens),
    }
    whole = encoding.data.decode("utf-8", "replace")
    again = decoder.encode_ordinary(whole)
    facts: dict[str, Fact] = {
        "tokens": len(tokens),
        "bytes": len(encoding.data),
        "characters": len(whole),
        "text": whole,
        "partial": sum(token.text is None for token in tokens),
        "replaced": sum(part.count(REPLACED) for part in said["alone"]),
        "lost": whole.count(REPLACED),
        "silent": said["streamed"].count(""),
        "tokenizer": title_of(tokenizer),
        "again": len(again),
        "same_ids": yes_or_no(again == said["id"]),
    }
    for name, written in (also or {}).items():
        facts[name] = explain_written(decoder, written).data.decode("utf-8", "replace")
    title = title_of(tokenizer)
    field = Field("ids", ids or "", f"Ids of {title}") if text is None else Field("text", text)
    columns = [  # with no more than the lines that are shown: a hidden one may be the answer of the task
        [Chip(token.data), *(_cell(line, said[line][i]) for line in lines)] for i, token in enumerate(tokens)
    ]
    blocks: list[Block] = [field] if typing else []
    blocks.append(Columns(columns, ["Token", *(LINES[line] for line in lines)]))
    if text is None:
        blocks.append(Line([Quiet("The text: "), Visible(whole)]))
    return Shown(facts, [*blocks, Line([f"Tokenizer: {title}"], "quiet")], encoding)


def _cell(line: str, value: int | str) -> Cell:
    """Draw one line of a token. A decoder that waits gives nothing."""
    if line == "id":
        return str(value)
    if not value:
        return Quiet("waits")
    return Code(str(value)) if line == "bytes" else Visible(str(value))

"""Ids back into text: the bytes of each token, what it is alone, and what a decoder that waits makes of it."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokviz.base.errors import InputError
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown, yes_or_no
from tokviz.teach.lessons.trained import title_of, tokenizer_of
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.ids import explain_written

TOKEN_LIMIT = 60
TEXT_LIMIT = 400  # characters
REPLACED = "\ufffd"
LINES = ("id", "bytes", "alone", "streamed")


def streamed(tokens: Iterable[bytes]) -> list[str]:
    """What a decoder that waits gives after each token: only characters that are whole. The end is not waited for.

    >>> streamed([b"a", b"\\xc3", b"\\xa9b"])
    ['a', '', 'éb']
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(token) for token in tokens]


def show(
    *,
    text: Input[str | None] = None,
    ids: Input[str | None] = None,
    tokenizer: str = "cl100k_base",
    lines: Sequence[str] = ("id", "bytes"),
    typing: bool = False,
    also: Mapping[str, str] | None = None,
) -> Shown:
    """text: is encoded first; or ids, as people write them. lines: what is shown of each token, of LINES. typing:
    whether the learner can change the text or the ids. also: other ids by name, whose texts are facts.

    Facts: `tokens`, `bytes`, `characters` and `text` of the whole; `partial`: tokens that are no whole characters;
    `replaced`: U+FFFD if each token is decoded alone; `lost`: U+FFFD if all are decoded together; `silent`: tokens
    after which a decoder that waits gives nothing; `again`: the tokens of the decoded text, `same_ids` "yes" or "no";
    `tokenizer`: its name.

    >>> facts = show(text="👍").facts
    >>> facts["tokens"], facts["partial"], facts["replaced"], facts["silent"], facts["lost"]
    (3, 3, 3, 2, 0)
    """
    decoder = tokenizer_of(tokenizer)
    if text is not None:
        encoding = decoder.explain(checked_text(text, TEXT_LIMIT))
    else:
        encoding = explain_written(decoder, ids or "")
    if len(encoding) > TOKEN_LIMIT:
        raise InputError(f"There are {count_of(len(encoding), 'token')}.", f"Here {TOKEN_LIMIT} can be shown.")
    facts = _facts(encoding)
    again = decoder.encode_ordinary(str(facts["text"]))
    facts["tokenizer"] = title_of(tokenizer)
    facts |= {"again": len(again), "same_ids": yes_or_no(again == encoding.ids.tolist())}
    for name, written in (also or {}).items():
        facts[name] = explain_written(decoder, written).data.decode("utf-8", "replace")
    data = {
        "given": "text" if text is not None else "ids",
        "value": text if text is not None else ids,
        "name": title_of(tokenizer),
        "typing": typing,
        "lines": list(lines),
        "tokens": _rows(encoding, lines),
        "text": facts["text"] if text is None else "",
    }
    return Shown("decode", data, facts, encoding)


def _facts(encoding: Encoding) -> dict[str, Fact]:
    tokens = encoding.tokens()
    alone = [token.data.decode("utf-8", "replace") for token in tokens]
    text = encoding.data.decode("utf-8", "replace")
    return {
        "tokens": len(tokens),
        "bytes": len(encoding.data),
        "characters": len(text),
        "text": text,
        "partial": sum(token.text is None for token in tokens),
        "replaced": sum(part.count(REPLACED) for part in alone),
        "lost": text.count(REPLACED),
        "silent": sum(not part for part in streamed(token.data for token in tokens)),
    }


def _rows(encoding: Encoding, lines: Sequence[str]) -> list[dict[str, Any]]:
    """The tokens, with no more than the lines that are shown: a hidden one may be the answer of the task."""
    tokens = encoding.tokens()
    said: dict[str, list[Any]] = {
        "id": [token.id for token in tokens],
        "bytes": [token.data.hex(" ").upper() for token in tokens],
        "alone": [token.data.decode("utf-8", "replace") for token in tokens],
        "streamed": streamed(token.data for token in tokens),
    }
    return [
        {"token": token.data, **{line: said[line][i] for line in LINES if line in lines}}
        for i, token in enumerate(tokens)
    ]

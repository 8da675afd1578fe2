"""Compares the tokenizer in GPT-2's own files with tiktoken: do both give the same ids?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tiktoken

from tokviz.base.once import once_each
from tokviz.catalog.references import reference
from tokviz.formats import dump, load
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown, yes_or_no
from tokviz.teach.lessons.views.packages import tiktokens_gpt2
from tokviz.tokenizer.tokenizer import Tokenizer

TEXT_LIMIT = 500  # characters


@once_each(4)
def loaded(pattern: str) -> Tokenizer:
    """Load encoder.json and vocab.bpe, which are byte for byte those of OpenAI, with this split pattern.

    >>> loaded("gpt2").encode("So far, I had")
    [2396, 1290, 11, 314, 550]
    """
    return load(dump(reference("gpt2"), "gpt2"), name="GPT-2's files", pattern=pattern, special_tokens="all")


def show(
    *, text: Input[str], pattern: str = "gpt2", others: Mapping[str, str] | None = None, typing: bool = False
) -> Shown:
    """Compare the ids of a text. pattern: the split pattern that the reader of the files was told; they do not say it.
    others: more texts by name, for facts alone.

    Facts: `same` ("yes" or "no"), `tokens` by the files, `theirs` by tiktoken, and for each other text "yes" or "no".

    >>> show(text="So far", others={"spaces": "a   b"}).facts
    {'same': 'yes', 'tokens': 2, 'theirs': 2, 'spaces': 'yes'}
    """
    text = checked_text(text, TEXT_LIMIT)
    mine, judge = loaded(pattern), tiktokens_gpt2()
    ids, theirs = mine.encode_ordinary(text), judge.encode(text, disallowed_special=())
    facts: dict[str, Fact] = {"same": yes_or_no(ids == theirs), "tokens": len(ids), "theirs": len(theirs)}
    for name, other in (others or {}).items():
        facts[name] = yes_or_no(mine.encode_ordinary(other) == judge.encode(other, disallowed_special=()))
    rows: list[dict[str, Any]] = [
        {"name": "GPT-2's files, read by tokviz", "ids": ids, "encoding": mine.explain(text)},
        {"name": f"tiktoken {tiktoken.__version__}", "ids": theirs, "encoding": mine.explain_ids(theirs)},
    ]
    data = {"text": text, "typing": typing, "same": ids == theirs, "rows": rows}
    return Shown("same-ids", data, facts)

"""Compares the tokenizer in GPT-2's own files with tiktoken: do both give the same ids?"""

from __future__ import annotations

from collections.abc import Mapping

import tiktoken

from tokviz.base.blocks import Line, Mark, Quiet, Tokens
from tokviz.base.once import once_each
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of
from tokviz.catalog.references import reference
from tokviz.formats import dump, load
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view, yes_or_no
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


@view("text")
def same_ids(
    *, text: str, pattern: str = "gpt2", others: Mapping[str, str] | None = None, typing: bool = False
) -> Shown:
    """Compare the ids of a text. pattern: the split pattern that the reader of the files was told; they do not say it.
    others: more texts by name, for facts alone.

    Facts: `same` ("yes" or "no"), `tokens` by the files, `theirs` by tiktoken, and for each other text "yes" or "no".

    >>> same_ids(text="So far", others={"spaces": "a   b"}).facts
    {'same': 'yes', 'tokens': 2, 'theirs': 2, 'spaces': 'yes'}
    """
    text = checked_text(text, TEXT_LIMIT)
    mine, judge = loaded(pattern), tiktokens_gpt2()
    ids, theirs = mine.encode_ordinary(text), judge.encode(text, disallowed_special=())
    facts: dict[str, Fact] = {"same": yes_or_no(ids == theirs), "tokens": len(ids), "theirs": len(theirs)}
    for name, other in (others or {}).items():
        facts[name] = yes_or_no(mine.encode_ordinary(other) == judge.encode(other, disallowed_special=()))
    drawn = {
        "GPT-2's files, read by tokviz": mine.explain(text),
        f"tiktoken {tiktoken.__version__}": mine.explain_ids(theirs),
    }
    rows = [
        Tokens(each, f"Ids of {name}", [Strong(name), Quiet(count_of(len(each), "token"))], ids=True, beside=True)
        for name, each in drawn.items()
    ]
    outcome = Mark("good", "the same ids") if ids == theirs else Mark("bad", "other ids")
    return Shown(facts, [*typed(text, typing, lines=1), *rows, Line([outcome])])

"""Encodes one text with one vocabulary under three packages, tiktoken, tokenizers and tokviz. Are the ids the same?"""

from __future__ import annotations

import tiktoken
import tokenizers

from tokviz.base.blocks import Field, Quiet, Table
from tokviz.base.errors import FormatError
from tokviz.base.once import once_each
from tokviz.catalog.references import reference
from tokviz.formats import dump
from tokviz.formats.witness import witness
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import EncodingRow
from tokviz.teach.lessons.shown import Chosen, Fact, Shown, view, yes_or_no

NAME = "gpt2"


@once_each(1)
def tiktokens_gpt2() -> tiktoken.Encoding:
    """Return tiktoken's own encoder, with GPT-2's vocabulary."""
    found = witness(reference(NAME))
    if found is None:
        raise FormatError("tiktoken cannot read this vocabulary.")
    return found


@once_each(1)
def _package() -> tokenizers.Tokenizer:
    package = tokenizers.Tokenizer.from_str(dump(reference(NAME), "hf")["tokenizer.json"].decode())
    package.encode_special_tokens = True
    return package


@view("text")
def packages(*, text: str) -> Shown:
    """Show the tokens of each package.

    Facts: the tokens of each as `tiktoken`, `tokenizers`, `tokviz`; `same` ("yes" or "no"); whether each can train,
    as `tiktoken_trains` and `tokenizers_trains`; `trainers`: how many trainers the package tokenizers has.

    >>> packages(text="So far").facts["same"]
    'yes'
    """
    text = checked_text(text)
    tok = reference(NAME)
    found = {
        "tiktoken": tiktokens_gpt2().encode(text, disallowed_special=()),
        "tokenizers": _package().encode(text, add_special_tokens=False).ids,
        "tokviz": tok.encode_ordinary(text),
    }
    by = Chosen(NAME, "GPT-2", NAME, tok)
    rows = [EncodingRow(name, by, text, tok.explain_ids(ids)) for name, ids in found.items()]
    trainers = [name for name in dir(tokenizers.trainers) if name.endswith("Trainer") and name != "Trainer"]
    alike = [ids == found["tiktoken"] for ids in found.values()]
    facts: dict[str, Fact] = {name: len(ids) for name, ids in found.items()}
    facts |= {
        "same": yes_or_no(all(alike)),
        "tiktoken_trains": yes_or_no(hasattr(tiktoken.Encoding, "train")),
        "tokenizers_trains": yes_or_no(hasattr(tokenizers.Tokenizer, "train")),
        "trainers": len(trainers),
    }
    notes = ["", *("same ids" if same else "other ids" for same in alike[1:])]
    table = []
    for row, note in zip(rows, notes, strict=True):
        title, chips, count = row.cells(marked=False, ids=True)
        table.append([title, chips, Quiet(note), count])
    return Shown(facts, [Field("text", text), Table([], table)], rows)

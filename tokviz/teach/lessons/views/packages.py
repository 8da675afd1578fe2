"""Encodes one text with GPT-2's vocabulary under several packages, or by its own files. Are the ids the same?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tiktoken
import tokenizers

from tokviz.base.blocks import Field, Quiet, Table
from tokviz.base.errors import FormatError
from tokviz.base.once import once_each
from tokviz.catalog.references import reference
from tokviz.formats import dump, load
from tokviz.formats.witness import witness
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import EncodingRow
from tokviz.teach.lessons.shown import Chosen, Fact, Shown, view, yes_or_no
from tokviz.tokenizer.tokenizer import Tokenizer

NAME = "gpt2"
Encode = Callable[[str], list[int]]


@once_each(1)
def _tiktoken() -> Encode:
    """Return tiktoken's own encoder, with GPT-2's vocabulary."""
    found = witness(reference(NAME))
    if found is None:
        raise FormatError("tiktoken cannot read this vocabulary.")
    return lambda text: found.encode(text, disallowed_special=())


@once_each(1)
def _tokenizers() -> Encode:
    package = tokenizers.Tokenizer.from_str(dump(reference(NAME), "hf")["tokenizer.json"].decode())
    package.encode_special_tokens = True
    return lambda text: list(package.encode(text, add_special_tokens=False).ids)


@once_each(4)
def loaded(pattern: str) -> Tokenizer:
    """Load encoder.json and vocab.bpe, which are byte for byte those of OpenAI, with this split pattern.

    >>> loaded("gpt2").encode("So far, I had")
    [2396, 1290, 11, 314, 550]
    """
    return load(dump(reference(NAME), "gpt2"), name="GPT-2's files", pattern=pattern, special_tokens="all")


@view("text")
def packages(
    *, text: str, files: bool = False, pattern: str = "gpt2", others: Mapping[str, str] | None = None
) -> Shown:
    """Show the tokens of each package. files: beside tiktoken only GPT-2's own files, read with this split pattern,
    which they do not say. others: more texts by name, for facts alone.

    Facts: the tokens of each as `tiktoken`, `tokenizers`, `tokviz` or `files`; `same` ("yes" or "no"), and the same for
    each other text; whether a package can train, as `tiktoken_trains` and `tokenizers_trains`; `trainers`: how many
    trainers the package tokenizers has.

    >>> packages(text="So far", files=True, others={"spaces": "a   b"}).facts["spaces"]
    'yes'
    """
    text, tok = checked_text(text), reference(NAME)
    by_files = {"files": loaded(pattern).encode_ordinary}
    encoders: dict[str, Encode] = {"tiktoken": _tiktoken()}
    encoders |= by_files if files else {"tokenizers": _tokenizers(), "tokviz": tok.encode_ordinary}
    titles = {"files": "GPT-2's files, read by tokviz", "tiktoken": f"tiktoken {tiktoken.__version__}"} if files else {}
    found = {name: encode(text) for name, encode in encoders.items()}
    trainers = [name for name in dir(tokenizers.trainers) if name.endswith("Trainer") and name != "Trainer"]
    facts: dict[str, Fact] = {name: len(ids) for name, ids in found.items()}
    for name, other in {"same": text, **(others or {})}.items():
        first, *rest = (encode(other) for encode in encoders.values())
        facts[name] = yes_or_no(all(ids == first for ids in rest))
    facts |= {
        "tiktoken_trains": yes_or_no(hasattr(tiktoken.Encoding, "train")),
        "tokenizers_trains": yes_or_no(hasattr(tokenizers.Tokenizer, "train")),
        "trainers": len(trainers),
    }
    table = []
    for name, ids in found.items():
        row = EncodingRow(titles.get(name, name), Chosen(NAME, "GPT-2", NAME, tok), text, tok.explain_ids(ids))
        title, chips, count = row.cells(marked=False, ids=True)
        note = "" if name == "tiktoken" else "same ids" if ids == found["tiktoken"] else "other ids"
        table.append([title, chips, Quiet(note), count])
    return Shown(facts, [Field("text", text), Table([], table)])

"""Writes a few lines of Python for each file format, which load its files and encode with them.

The lines are data (`data/snippets.toml`). Here they get the names of the files, and what the files do not say but a
program needs: the split pattern and the special tokens.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import Template

from tokviz.base.arguments import shown
from tokviz.base.data import DATA
from tokviz.base.errors import UnknownNameError
from tokviz.formats.hf_split import pre_tokenizer_of
from tokviz.formats.patterns import expression_of
from tokviz.split.cutting import ANY
from tokviz.tokenizer.tokenizer import Tokenizer

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")  # inside MergedWithNext, which is "merged_with_next" in Python


@dataclass(frozen=True, slots=True)
class Snippet:
    """Holds Python that loads the files of a tokenizer from the working directory, and defines `encode(text)`.

    `encode` reads special tokens in a text as one token each. package: what it imports. note: what to know beside it.
    """

    package: str
    code: str
    note: str


def snippet(tokenizer: Tokenizer, format: str, files: Collection[str]) -> Snippet:
    """Write the snippet for the files that `tokviz.formats.dump(tokenizer, format)` made, given their names.

    Raises UnknownNameError if there is no snippet for the format, FormatError if the files do not hold the split
    pattern and the package might cut texts otherwise with it.

    >>> print(snippet(Tokenizer("hug", []), "hf", ["tokenizer.json"]).code)
    from tokenizers import Tokenizer
    <BLANKLINE>
    tok = Tokenizer.from_file("tokenizer.json")
    <BLANKLINE>
    <BLANKLINE>
    def encode(text):
        return tok.encode(text, add_special_tokens=False).ids
    """
    rows = _rows()
    if format not in rows:
        raise UnknownNameError(f"There is no snippet for the format {shown(format)}.", f"There are: {', '.join(rows)}.")
    row = rows[format]
    template = Template(row["code"].strip())
    by_id = sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])
    file, *more = files
    values = {
        "file": python_text(file),
        "second": python_text(more[0]) if more else "",
        "name": python_text(tokenizer.name),
        "special_tokens": "{" + ", ".join(f"{python_text(text)}: {id}" for text, id in by_id) + "}",
        "special_texts": "[" + ", ".join(python_text(text) for text, _ in by_id) + "]",
    }
    if "pattern" in template.get_identifiers():
        values["pattern"] = python_text(expression_of(tokenizer.pattern) or ANY)
    if "pre_tokenizer" in template.get_identifiers():
        values["pre_tokenizer"] = _pre_tokenizer(tokenizer.pattern)
    return Snippet(row["package"], template.substitute(values), row.get("note", ""))


def python_text(text: str) -> str:
    r"""Write a text as Python does: in double quotes if that needs no escapes, raw if it has only backslashes.

    >>> print(python_text("it's"), python_text(r"\p{L}+"), python_text('a"\n'))
    "it's" r"\p{L}+" 'a"\n'
    """
    if not text.isprintable() or '"' in text or text.endswith("\\"):
        return repr(text)
    return f'r"{text}"' if "\\" in text else f'"{text}"'


def _pre_tokenizer(pattern: str) -> str:
    """Write the call that makes the pre-tokenizer of a pattern. FormatError if `tokenizers` might cut otherwise."""
    step = pre_tokenizer_of(pattern)
    *splits, last = step.get("pretokenizers", [step])
    byte_level = f"pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex={last['use_regex']})"
    if not splits:
        return byte_level
    lines = [
        f"pre_tokenizers.Split(tokenizers.Regex({python_text(split['pattern']['Regex'])}), "
        f'"{_CAPITAL.sub("_", split["behavior"]).lower()}"{", invert=True" * split["invert"]}),'
        for split in splits
    ]
    inside = "".join(f"        {line}\n" for line in [*lines, f"{byte_level},"])
    return f"pre_tokenizers.Sequence(\n    [\n{inside}    ]\n)"


@functools.cache
def _rows() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((DATA / "snippets.toml").read_text("utf-8"))

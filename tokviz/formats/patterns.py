r"""Translates split patterns: a known regular expression of another program gets its name, a name its expression.

The expressions below cut every text where the pattern of that name does. The one of Llama 3, minbpe and older copies of
cl100k_base is not among them: of "\n " at the end of a text it makes two chunks, where tiktoken's cl100k makes one. The
named patterns use tiktoken's Unicode classes. So does `tokenizers`; the `regex` package knows newer characters.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokviz.base.errors import FormatError
from tokviz.split.cutting import PATTERNS
from tokviz.split.pipeline import stages_of

_SPACES = r"|\s+(?!\S)|\s+"
_GPT2 = r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+" + _SPACES
SPELLINGS: Mapping[str, str] = {
    # openai/gpt-2, src/encoder.py; the same in tokenizers, ByteLevel
    "'s|'t|'re|'ve|'m|'ll|'d" + _GPT2: "gpt2",
    # tiktoken before 0.8; the same in minbpe, GPT2_SPLIT_PATTERN
    "'(?:[sdmt]|ll|ve|re)" + _GPT2: "gpt2",
    **{pattern.regex: pattern.name for pattern in PATTERNS.values() if pattern.regex},
}


def named(expression: str) -> str:
    r"""Name the pattern that this regular expression spells; the result is the expression itself if we know no name.

    An expression that happens to read like a name gets brackets: it matches these letters.

    >>> named(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
    'gpt2'
    >>> named(r"\w+|\W+")
    '\\w+|\\W+'
    >>> named("none")
    '(?:none)'
    """
    return f"(?:{expression})" if expression in PATTERNS else SPELLINGS.get(expression, expression)


def expression_of(pattern: str) -> str:
    """Return the regular expression of a pattern for programs that use the `regex` package; "" for the pattern "none".

    FormatError if the pattern is a pipeline.
    """
    if stages := stages_of(pattern):
        raise FormatError(
            f"The tokenizer cuts a text in {len(stages)} stages, which no single expression can.",
            'Choose the format "hf" or "tokviz".',
        )
    return PATTERNS[pattern].regex if pattern in PATTERNS else pattern

r"""Split patterns as tokenizer.json says them: a "pre-tokenizer".

    gpt2             ByteLevel with use_regex
    none             ByteLevel without it
    any other        Split with the expression, behaviour Isolated, then ByteLevel without use_regex

`tokenizers` runs expressions with Oniguruma, which reads some signs otherwise than the `regex` package: `{1,3}+` is any
number there, `$` the end of a line, `\w` another class, `&&` an operator. So an expression of one's own is taken
over only if it is made of signs that mean the same in both.
"""

from __future__ import annotations

import re
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, PatternError
from tokviz.base.json_files import InputFile
from tokviz.formats.patterns import named
from tokviz.split.cutting import PATTERNS, automaton_of, check_pattern

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

# Parts of known patterns that mean the same in both although their signs do not always: English endings in any case,
# and the end of the text after white space.
_KNOWN = re.compile(r"\(\?i:'s\|'t\|'re\|'ve\|'m\|'ll\|'d\)|'\(\?i:\[sdmt\]\|ll\|ve\|re\)|\\s\+\+\$(?=\|)")
_ESCAPE = r"\\(?:[pP]\{(?:[LNMPSZ]|L[ultmo]|N[dlo]|M[nce])\}|[sSdDnrt]|[!-/:-@\[-`{-~])"
_SAME = re.compile(
    rf"(?:{_ESCAPE}"
    rf"|\[\^?(?:{_ESCAPE}|a-z|A-Z|0-9|[^\[\]\\&|~^-])+\]"  # a set
    r"|[^\\\[\](){}?*+|^$]"  # a character
    r"|\((?:\?[:=!]|(?!\?))|\)|\|"
    r"|[?*+]\+?|\{\d{1,3}(?:,\d{0,3})?\}(?![+?]))*",
    re.ASCII,
)


def pre_tokenizer_of(pattern: str) -> dict[str, Any]:
    """The pre-tokenizer of a split pattern. FormatError if `tokenizers` might cut otherwise with it.

    >>> pre_tokenizer_of("none")["use_regex"]
    False
    """
    if pattern in ("gpt2", "none"):
        return _BYTE_LEVEL | {"use_regex": pattern == "gpt2"}
    expression = PATTERNS[pattern].regex if pattern in PATTERNS else pattern
    expression = expression.replace("{1,3}+", "{1,3}") if pattern in PATTERNS else expression
    if pattern not in PATTERNS and not means_the_same(pattern):
        raise FormatError(
            f"The pattern {shown(pattern)} has signs that tokenizers may read otherwise than tokviz.",
            'Choose the format "tokviz", or a pattern without them.',
        )
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL | {"use_regex": False}]}


def means_the_same(expression: str) -> bool:
    r"""Does Oniguruma match with it what the `regex` package matches, on all characters that both know?

    PatternError if it is no regular expression.

    >>> means_the_same(r"\p{L}+|\s+(?!\S)|\S"), means_the_same(r"\w+|\W+")
    (True, False)
    """
    plain = _KNOWN.sub("(?:a)", check_pattern(expression))
    return _SAME.fullmatch(plain) is not None and automaton_of(plain) is not None


def split_pattern(pre_tokenizer: Any, file: InputFile) -> str:
    """The split pattern that a pre-tokenizer stands for. FormatError names what tokviz does not honour in it."""
    match pre_tokenizer:
        case {"type": "Sequence", "pretokenizers": [*steps]}:
            pass
        case _:
            steps = [pre_tokenizer]
    types = [step.get("type") if isinstance(step, dict) else None for step in steps]
    if types not in (["ByteLevel"], ["Split", "ByteLevel"]):
        raise _refused(file, f"the pre-tokenizer {' and '.join(map(str, types))[:80] or 'of no steps'}")
    last = steps[-1]
    if last.get("add_prefix_space", True) is not False:
        raise _refused(file, "add_prefix_space, which puts a space before every text")
    use_regex = last.get("use_regex", True)
    if not isinstance(use_regex, bool):
        raise _refused(file, f"use_regex {shown(use_regex)}")
    if len(steps) == 1:
        return "gpt2" if use_regex else "none"
    if use_regex:
        raise _refused(file, "two patterns, one after the other: a Split, and use_regex of ByteLevel")
    split = steps[0]
    match split.get("pattern"):
        case {"Regex": str(expression), **more} if not more:
            pass
        case other:
            raise _refused(file, f"a Split at {shown(other)}")
    if split.get("behavior") != "Isolated" or split.get("invert", False) is not False:
        raise _refused(
            file, f"a Split whose behaviour is {shown(split.get('behavior'))}, invert {shown(split.get('invert'))}"
        )
    for pattern in PATTERNS:
        if pattern not in ("gpt2", "none") and pre_tokenizer_of(pattern)["pretokenizers"][0] == split:
            return pattern
    if named(expression) in ("gpt2", "o200k"):  # in that of cl100k, {1,3}+ would be any number
        return named(expression)
    try:
        same = means_the_same(expression)
    except PatternError as fault:
        raise FormatError(f"{file.name} cannot be read: {fault.what}", fault.way_out) from None
    if not same:
        raise _refused(file, f"the pattern {shown(expression)}, which tokenizers may read otherwise than tokviz")
    return named(expression)


def _refused(file: InputFile, what: str) -> FormatError:
    return FormatError(
        f"{file.name} has {what}, which tokviz does not honour.",
        "tokviz reads ByteLevel, and a Split with a Regex, Isolated, before it.",
    )

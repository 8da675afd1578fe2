r"""Reads and writes split patterns as tokenizer.json has them: as a "pre-tokenizer".

    gpt2             ByteLevel with use_regex
    none             ByteLevel without it
    any other        Split with the expression, behaviour Isolated, then ByteLevel without use_regex
    a pipeline       a Split for each stage, then ByteLevel, which makes a last stage gpt2 itself, then a Split for each
                     stage of bytes

Digits, Punctuation and WhitespaceSplit are read as stages, and written as a Split; Whitespace is read as two stages.

`tokenizers` runs expressions with Oniguruma, which reads some signs otherwise than the `regex` package: `{1,3}+` is any
number there, `$` the end of a line, `\w` another class, `&&` an operator. So tokviz takes over a custom expression only
if all its signs mean the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats.patterns import expression_of, named
from tokviz.split.cutting import PATTERNS, check_pattern, covers, has_automaton
from tokviz.split.normalizing import Space
from tokviz.split.pipeline import MOST_STAGES, Behavior, Stage, stages_of, written
from tokviz.split.specials import WORD

_BEHAVIORS: Mapping[str, Behavior] = {
    "Isolated": "isolated",
    "MergedWithPrevious": "merged with previous",
    "MergedWithNext": "merged with next",
    "Contiguous": "contiguous",
    "Removed": "removed",
}
_NO_SPACES = Stage(r"\s+", "removed")
_WORDS = Stage(f"{WORD}+")  # what is between is a piece too
_SIGNS = frozenset(".^$*+?()[]{}|\\")  # that mean something in an expression
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

# Parts of known patterns that mean the same in both although their signs do not always: English endings in any case,
# and the end of the text after white space.
_KNOWN = re.compile(r"\(\?i:'s\|'t\|'re\|'ve\|'m\|'ll\|'d\)|'\(\?i:\[sdmt\]\|ll\|ve\|re\)|\\s\+\+\$(?=\|)")
_ESCAPE = r"\\(?:[pP]\{(?:[LNMPSZ]|L[ultmo]|N[dlo]|M[nce])\}|[sSdDnrt]|[!-/:-@\[-`{-~])"
_LETTER = r"[^\[\]\\&|~^-]"
_SAME = re.compile(
    rf"(?:{_ESCAPE}"
    rf"|\[\^?(?:{_ESCAPE}|{_LETTER}-{_LETTER}|{_LETTER}|\^|&(?!&)|\|(?!\|)|~(?!~))+\]"  # a set
    r"|[^\\\[\](){}?*+|^$]"  # a character
    r"|\((?:\?[:=!]|(?!\?))|\)|\|"
    r"|[?*+]\+?|\{\d{1,3}(?:,\d{0,3})?\}(?![+?]))*",
    re.ASCII,
)


def pre_tokenizer_of(pattern: str, space: Space = "") -> dict[str, Any]:
    """Write a split pattern as a pre-tokenizer. FormatError if `tokenizers` might cut otherwise with it.

    space: as in a Normalizer.

    >>> pre_tokenizer_of("none")["use_regex"]
    False
    """
    stages = stages_of(pattern) or (Stage(pattern),)
    of_text = [stage for stage in stages if not stage.of_bytes]
    use_regex = of_text[-1:] == [Stage("gpt2")]
    splits = _splits_of(of_text[:-1] if use_regex else of_text)
    byte_level = _BYTE_LEVEL | {"use_regex": use_regex, "add_prefix_space": space == "each"}
    if space and (splits or space != "each"):
        raise FormatError(
            "tokenizers puts a space before a stretch of a text only where ByteLevel alone cuts it, and before each.",
            'Choose the format "tokviz".',
        )
    steps = [*splits, byte_level, *_splits_of(stage._replace(of_bytes=False) for stage in stages if stage.of_bytes)]
    return {"type": "Sequence", "pretokenizers": steps} if len(steps) > 1 else byte_level


def _splits_of(stages: Iterable[Stage]) -> list[dict[str, Any]]:
    """Write stages that all cut characters, or all bytes."""
    splits: list[dict[str, Any]] = []
    for stage in stages:
        if stage == _WORDS and splits and splits[-1] == _split_of(_NO_SPACES):
            splits[-1] = {"type": "Whitespace"}
        elif stage.expression != "none":
            splits.append(_split_of(stage))
    return splits


def _split_of(stage: Stage) -> dict[str, Any]:
    """Write a stage of a pipeline as a Split. FormatError if `tokenizers` might cut otherwise with it."""
    expression = expression_of(stage.expression)
    if stage.expression in PATTERNS:
        expression = expression.replace("{1,3}+", "{1,3}")
    elif not means_the_same(expression):
        raise FormatError(
            f"The pattern {shown(expression)} has signs that tokenizers may read otherwise than tokviz.",
            'Choose the format "tokviz", or a pattern without them.',
        )
    behavior = next(name for name, ours in _BEHAVIORS.items() if ours == stage.behavior)
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": behavior, "invert": stage.inverted}


def means_the_same(expression: str) -> bool:
    r"""Tell whether Oniguruma matches what the `regex` package matches, on all characters that both know.

    False too if no automaton can match the expression. PatternError if it is no regular expression.

    >>> means_the_same(r"\p{L}+|\s+(?!\S)|\S"), means_the_same(r"\w+|\W+")
    (True, False)
    """
    plain = _KNOWN.sub("(?:a)", check_pattern(expression, read=True))
    return _SAME.fullmatch(plain) is not None and has_automaton(plain)


def split_pattern(pre_tokenizer: Any, file: InputFile) -> tuple[str, Space]:
    """Read a pre-tokenizer as a split pattern, and as a Normalizer has it, where it puts a space.

    FormatError names what tokviz does not honour in it.
    """
    steps = _flat(pre_tokenizer, file)
    places = [place for place, step in enumerate(steps) if isinstance(step, dict) and step.get("type") == "ByteLevel"]
    if len(places) != 1:
        raise _refused(file, f"a pre-tokenizer with {'more than one' if places else 'no'} ByteLevel")
    before, byte_level, after = steps[: places[0]], steps[places[0]], steps[places[0] + 1 :]
    space: Space = "" if byte_level.get("add_prefix_space", True) is False else "each"
    if before and space:
        raise _refused(file, "add_prefix_space, which puts a space before every piece of a pre-tokenizer,")
    use_regex = byte_level.get("use_regex", True)
    if not isinstance(use_regex, bool):
        raise _refused(file, f"use_regex {shown(use_regex)}")
    stages = [stage for step in before for stage in _stages(step, file)] + [Stage("gpt2")] * use_regex
    stages += [stage._replace(of_bytes=True) for step in after for stage in _stages(step, file)]
    if len(stages) > MOST_STAGES:
        raise _refused(file, f"a pre-tokenizer of {len(stages):,} steps")
    match stages:
        case []:
            return "none", space
        case [Stage(expression, "isolated", False, False)] if covers(expression):
            return expression, space
    return written(stages), space


def _flat(pre_tokenizer: Any, file: InputFile, depth: int = 0) -> list[Any]:
    """List the steps of a pre-tokenizer, those of a sequence in a sequence too."""
    match pre_tokenizer:
        case {"type": "Sequence", "pretokenizers": [*steps]} if depth < MOST_STAGES:
            return [one for step in steps for one in _flat(step, file, depth + 1)]
        case {"type": "Sequence"}:
            raise _refused(file, "a sequence without steps, or one that is too deep, in its pre-tokenizer")
    return [pre_tokenizer]


def _stages(step: Any, file: InputFile) -> list[Stage]:
    """Read a step of a pre-tokenizer as stages of a pipeline."""
    match step:
        case {"type": "Split", "pattern": {"Regex": str(expression), **more}} if not more:
            expression = _expression(expression, file)
        case {"type": "Split", "pattern": {"String": str(text), **more}} if text and not more:
            expression = named("".join("\\" * (sign in _SIGNS) + sign for sign in text))
        case {"type": "Digits"}:
            individual = step.get("individual_digits", False)
            return [Stage(r"\p{N}", "isolated" if individual is True else "contiguous")]
        case {"type": "WhitespaceSplit"}:
            return [_NO_SPACES]
        case {"type": "Whitespace"}:
            return [_NO_SPACES, _WORDS]
        case {"type": "Punctuation"}:
            expression = r"\p{P}|[$+<=>\^`\|\~]"
        case _:
            raise _refused(file, f"{_type_of(step)} in its pre-tokenizer")
    behavior, inverted = step.get("behavior", "Isolated"), step.get("invert", False)
    if not isinstance(behavior, str) or behavior not in _BEHAVIORS or not isinstance(inverted, bool):
        raise _refused(file, f"a step whose behaviour is {shown(behavior)}, invert {shown(inverted)}")
    return [Stage(expression, _BEHAVIORS[behavior], inverted)]


def _expression(expression: str, file: InputFile) -> str:
    """Read the expression of a Split, as its name if it has one. FormatError if `tokenizers` may read it otherwise."""
    for pattern in ("cl100k", "o200k"):
        if pre_tokenizer_of(pattern)["pretokenizers"][0]["pattern"]["Regex"] == expression:
            return pattern
    if named(expression) in ("gpt2", "o200k"):  # in that of cl100k, {1,3}+ would be any number
        return named(expression)
    if not means_the_same(expression):
        raise _refused(file, f"the pattern {shown(expression)}, which tokenizers may read otherwise than tokviz")
    return named(expression)


def _type_of(step: Any) -> str:
    return shown(step.get("type")) if isinstance(step, dict) else "no step"


def _refused(file: InputFile, what: str) -> FormatError:
    return FormatError(
        f"{file.name} has {what}, which tokviz does not honour.",
        "tokviz reads ByteLevel, and before and after it Split, Digits, Punctuation, Whitespace and WhitespaceSplit.",
    )

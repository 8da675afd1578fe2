r"""Describes pipelines: several cuts, one after the other, as the pre-tokenizers of Hugging Face make them.

A *stage* finds the matches of a regular expression in a text. The matches, and what lies between them, are pieces, and
the next stage cuts each piece by itself: a look-ahead and `$` see the end of the piece. So the stages cannot be joined
into one expression. The pieces of the last stage are the chunks. A stage may also leave its matches out: then no token
has them. It matches characters of one class, so that the characters alone say what is left out.

The last stages may be *of bytes*: they cut the text as `tokviz.base.byte_characters` writes its bytes. There the byte
B2 is ², a number. So they may cut inside a character.

A pipeline is a split pattern like any other: a text, which `written` makes, with one line for each stage.

    stages:
    isolated "\\p{N}{1,3}"
    isolated "gpt2"
    isolated, of bytes "[0-9][0-9][0-9]"

Source: huggingface/tokenizers, tokenizers/src/tokenizer/normalizer.rs (SplitDelimiterBehavior).
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tokviz.base.errors import PatternError
from tokviz.base.wording import count_of

HEAD = "stages:"
MOST_STAGES = 8  # each has an automaton of 1 MB, which is kept, and reads the whole text
Behavior = Literal["isolated", "merged with previous", "merged with next", "contiguous", "removed"]
_OF_BYTES = ", of bytes"
_WAYS: Mapping[str, tuple[Behavior, bool]] = {
    behavior + mark: (behavior, bool(mark)) for behavior in get_args(Behavior) for mark in ("", ", inverted")
}
_ONE_CLASS = re.compile(r"(?:\\[pP]\{[^}]+\}|\[(?:[^\[\]\\]|\\.)+\]|\\\W|\\[sSdDnrt]|[^\\\[(])\+?", re.DOTALL)


class Stage(NamedTuple):
    """Describes a cut of a pipeline.

    expression: the name of a split pattern, or a regular expression, which may leave characters out.
    behavior: which neighbours stay together: none; a match and the gap before it; a match and the gap behind it;
        neighbours of the same kind; or none, and the matches are left out.
    inverted: the gaps count as matches, and the matches as gaps.
    of_bytes: it cuts the characters that are written for the bytes.
    """

    expression: str
    behavior: Behavior = "isolated"
    inverted: bool = False
    of_bytes: bool = False

    @property
    def way(self) -> str:
        """Say how the stage cuts, as a pipeline has it."""
        return f"{self.behavior}{', inverted' * self.inverted}{_OF_BYTES * self.of_bytes}"

    def cuts(self, matched: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which of some neighbours stay apart: bool[n - 1].

        matched: bool[n], whether each is a match. No two gaps are neighbours.

        >>> Stage(" ", "merged with previous").cuts(np.array([False, True, True, False]))
        array([False,  True,  True])
        """
        matched = matched ^ self.inverted
        one: NDArray[np.bool_] = matched[:-1]
        next_one: NDArray[np.bool_] = matched[1:]
        match self.behavior:
            case "isolated" | "removed":
                return np.ones(len(one), bool)
            case "merged with previous":
                return one | ~next_one
            case "merged with next":
                return ~one | next_one
            case "contiguous":
                return one ^ next_one


def written(stages: Iterable[Stage]) -> str:
    r"""Write a pipeline as a split pattern.

    >>> print(written([Stage(r"\d"), Stage(" ", "contiguous", inverted=True), Stage("gpt2")]))
    stages:
    isolated "\\d"
    contiguous, inverted " "
    isolated "gpt2"
    """
    lines = (f"{stage.way} {json.dumps(stage.expression, ensure_ascii=False)}" for stage in stages)
    return "\n".join([HEAD, *lines])


@functools.lru_cache(maxsize=64)
def stages_of(pattern: str) -> tuple[Stage, ...]:
    """Read the stages of a pipeline; () if the pattern is none.

    PatternError names a line that is no stage or cannot be there, and says if there are none, or too many.

    >>> stages_of(written([Stage("[0-9]")])), stages_of("gpt2")
    ((Stage(expression='[0-9]', behavior='isolated', inverted=False, of_bytes=False),), ())
    """
    head, *lines = pattern.replace("\r\n", "\n").split("\n")
    if head != HEAD:
        return ()
    if not 0 < len(lines) <= MOST_STAGES:
        raise PatternError(
            f"The pipeline has {count_of(len(lines), 'stage')}.", f"Write a line for each, from 1 to {MOST_STAGES}."
        )
    stages = tuple(_stage(line, number) for number, line in enumerate(lines, 2))
    for number, (before, stage) in enumerate(pairwise(stages), 3):
        if before.of_bytes and not stage.of_bytes:
            raise PatternError(
                f"Line {number} of the pipeline cuts characters, and the line before it bytes.",
                f'Write "{_OF_BYTES}" there too, or move the line up.',
            )
    return stages


def _stage(line: str, number: int) -> Stage:
    how, _, quoted = line.partition(' "')
    try:
        behavior, inverted = _WAYS[how.removesuffix(_OF_BYTES)]
        expression = json.loads(f'"{quoted}')
    except (KeyError, ValueError):
        raise PatternError(
            f"Line {number} of the pipeline is no stage: {line[:80]!r}.",
            f'Write how it cuts and its expression as JSON does, such as: isolated "[0-9]". Ways: {"; ".join(_WAYS)}; '
            f'each also with "{_OF_BYTES}".',
        ) from None
    if behavior == "removed" and not _ONE_CLASS.fullmatch(expression):
        raise PatternError(
            f"Line {number} of the pipeline leaves out {expression[:80]!r}, which is no character or class of some.",
            r"Leave out one character, or a class such as \s+ or [ \t].",
        )
    return Stage(expression, behavior, inverted, how.endswith(_OF_BYTES))

"""Defines what a view of a lesson shows: blocks to draw, and the facts that the sentences of the step can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from tokviz.base.blocks import Block, Field, Group, Line
from tokviz.base.errors import TokvizError
from tokviz.base.sentences import Code
from tokviz.tokenizer.peers import AnyTokenizer

Fact = int | float | str | bytes
Show = TypeVar("Show", bound="Callable[..., Shown]")


class LessonError(TokvizError, ValueError):
    """Says that a lesson file cannot be read, or states something untrue. The message names the file and the line."""


class Chosen(NamedTuple):
    """Names a tokenizer of a lesson, or one of the learner's own. key: in the names of facts; "own" if the learner's.
    series: its colour and marker on every page."""

    key: str
    title: str
    series: str
    tokenizer: AnyTokenizer


def yes_or_no(so: bool) -> str:
    """Return a fact that is so or not, as "yes" or "no"."""
    return "yes" if so else "no"


def in_names(name: str) -> str:
    """Write the name of a model as the names of facts do, which have letters, digits and _ only.

    >>> in_names("gpt-4o")
    'gpt_4o'
    """
    return "".join(letter if letter.isalnum() else "_" for letter in name)


@dataclass(frozen=True, eq=False)
class Shown:
    """Holds what a view shows.

    facts: figures by name, which sentences can name as {tokens}, and which the file pins down under `expect`.
    blocks: what is drawn, from top to bottom: a `Block`, or a record of the view's own.
    about: what the step's task works on, such as a Training; it is not sent.
    again: shows the view with other inputs, for a task that is done in the view itself.
    typing: whether the page has a field for its text.
    """

    facts: Mapping[str, Fact]
    blocks: Sequence[Any]
    about: Any = None
    again: Callable[..., Shown] | None = None
    typing: bool = False


class View(NamedTuple):
    """Describes a kind of view.

    show: makes it from the arguments in the lesson file; its argument `own`, if any, is the learner's tokenizers.
    inputs: the arguments that the learner can change on the page.
    """

    show: Callable[..., Shown]
    inputs: Sequence[str]


VIEWS: dict[str, View] = {}


def view(*inputs: str, name: str = "") -> Callable[[Show], Show]:
    """Register the function below as the view that lessons call by its name, with - for _.

    inputs: the arguments that the learner can change on the page.
    name: the name that lessons have for it, if it is another one.
    """

    def register(show: Show) -> Show:
        VIEWS[name or show.__name__.replace("_", "-")] = View(show, inputs)
        return show

    return register


def typed(text: str, typing: bool, label: str = "Text", lines: int = 2) -> list[Block]:
    """Return the field of a text, if the learner can change it."""
    return [Field("text", text, label, lines)] if typing else []


def parted(blocks: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Part blocks at their first field for text: what is above it, and the field with all that is below it."""
    at = next((i for i, block in enumerate(blocks) if isinstance(block, Field) and block.takes == "text"), len(blocks))
    return blocks[:at], blocks[at:]


def as_text(blocks: Sequence[Any]) -> list[Any]:
    """Put what is in each field for text in the place of the field.

    >>> as_text([Field("text", "so")])
    [Line(cells=[Code(text='so')], tone='text', level=3)]
    """
    return [_as_text(block) for block in blocks]


def _as_text(block: Any) -> Any:
    if isinstance(block, Group):
        return replace(block, blocks=as_text(block.blocks))
    is_text = isinstance(block, Field) and block.takes == "text"
    return Line([Code(str(block.value))], "text") if is_text else block

"""Defines what a view of a lesson shows: data to draw, and the facts that the sentences of the step can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from tokviz.base.errors import TokvizError
from tokviz.tokenizer.peers import AnyTokenizer

Fact = int | float | str | bytes
T = TypeVar("T")
Input = Annotated[T, "input"]  # the type of an argument of a view that the learner can change on the page


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

    view: the view's name.
    data: for the browser: numbers, texts, lists, dicts; bytes and `Encoding`s are sent as components send them.
    facts: figures by name, which sentences can name as {tokens}, and which the file pins down under `expect`.
    about: what the step's task works on, such as a Training; it is not sent.
    again: shows the view with other inputs, for a task that is done in the view itself.
    typing: whether the page has a field for its text.
    """

    view: str
    data: Mapping[str, Any]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    about: Any = None
    again: Callable[..., Shown] | None = None
    typing: bool = False


class View(NamedTuple):
    """Describes a kind of view. show: makes it from the arguments in the lesson file; its argument `own`, if any, is
    the learner's tokenizers."""

    show: Callable[..., Shown]

    @property
    def inputs(self) -> list[str]:
        """The arguments that the learner can change on the page."""
        hints = get_type_hints(self.show, include_extras=True)
        return [name for name, hint in hints.items() if getattr(hint, "__metadata__", ()) == Input.__metadata__]

"""The part of a link that belongs to the Replay page: the step and the window of the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.ui.frame.address import PageLink, Query


@dataclass(frozen=True, slots=True)
class ReplayLink(PageLink):
    """A place on the Replay page, as a link names it; None where the link does not say.

    step: merges done. start, length: the window of the corpus in bytes. presenting: whether presenter mode is on.
    """

    NAMES = ("step", "start", "length", "presenting")

    step: int | None = None
    start: int | None = None
    length: int | None = None
    presenting: bool = False

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters of the query. A None or "" is left out of the link. tokenizers: not used here.

        >>> ReplayLink(step=12).parameters(())
        {'step': 12, 'start': None, 'length': None, 'presenting': ''}
        """
        presenting = "1" if self.presenting else ""
        return {"step": self.step, "start": self.start, "length": self.length, "presenting": presenting}

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read the place from a query. A parameter that is damaged becomes None, and the query notes the fault."""
        return cls(
            step=query.number("step", "step"),
            start=query.number("start", "start of the window"),
            length=query.number("length", "length of the window", least=1),
            presenting=query.get("presenting") == "1",
        )

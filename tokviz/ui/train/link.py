"""What a link to the Train page says: that a corpus is written there, how it is trained, and which step is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.split.cutting import CUSTOM, PATTERNS
from tokviz.training.rules import TIES, Tie
from tokviz.ui.frame.address import PageLink, Query
from tokviz.ui.train.state import EXAMPLE, TrainSettings, TrainState

BYTES = 256  # tokens that are in every vocabulary
SETTING_LENGTH = 1_000  # characters of a split pattern or of the special tokens


@dataclass(frozen=True, slots=True)
class TrainLink(PageLink):
    """writes: whether the corpus is written; the link's text is the corpus. The rest is as in `TrainSettings`.

    pattern: a name of PATTERNS or a regular expression. step: the merge whose row is chosen, counted from 1. Where it
    has None, what is usual holds.
    """

    NAMES = ("write", "merges", "pattern", "tie", "least", "special", "step")

    writes: bool = False
    merges: int | None = None
    pattern: str | None = None
    tie: Tie | None = None
    least: int | None = None
    special: str | None = None
    step: int | None = None

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters by name.

        >>> there = TrainLink(writes=True, merges=24, step=3).parameters(())
        >>> {name: value for name, value in there.items() if value is not None}
        {'write': 1, 'merges': 24, 'step': 3}
        """
        said = (self.merges, self.pattern, self.tie, self.least, self.special, self.step)
        return dict(zip(self.NAMES, (1 if self.writes else None, *said), strict=True))

    @classmethod
    def read(cls, query: Query) -> Self:
        return cls(
            query.get("write") is not None,
            query.number("merges", "number of merges"),
            _words(query, "pattern"),
            query.one_of("tie", Tie, "Ties cannot be settled as {}.", f"There are {', '.join(TIES)}."),
            query.number("least", "least pair count", least=1),
            _words(query, "special"),
            query.number("step", "step"),
        )

    def apply(self, state: TrainState, text: str | None) -> None:
        """Write this corpus with these settings. text: None leaves the text that is there."""
        state.way, written, usual = "write", state.written, TrainState().written.settings
        pattern = usual.pattern if self.pattern is None else self.pattern
        named = pattern in PATTERNS
        written.settings = TrainSettings(
            EXAMPLE,
            pattern if named else CUSTOM,
            "" if named else pattern,
            usual.vocab_size if self.merges is None else BYTES + self.merges,
            self.special or "",
            self.tie or usual.tie,
            self.least or usual.min_count,
        )
        written.step = self.step
        if text is not None:
            written.lend(text)


def _words(query: Query, name: str) -> str | None:
    value = query.get(name)
    if value is not None and len(value) > SETTING_LENGTH:
        query.fault(f"The setting {name!r} of the link is too long.", "It was left out.")
        return None
    return value or None

"""What a report of waste consists of: the costs of chunks, groups, repeated lines and files."""

from __future__ import annotations

from dataclasses import dataclass, field

from tokviz.errors import TokvizError
from tokviz.waste.groups import Group

CHUNK_BYTES = 1_000  # of a chunk that are shown; under the pattern "none" a whole text is one chunk


@dataclass(frozen=True, slots=True)
class ChunkCost:
    """A chunk and what it costs.

    data: its first CHUNK_BYTES bytes. tokens: how many it has; if it belongs to several groups, how many are of this
    one. times: how often it occurs so. text, start: the number of the text and the byte offset in it at which it first
    does. pieces: its tokens by their bytes; empty if they cannot be told from the chunk alone. begins: whether its
    first token is of this group.
    """

    data: bytes
    group: Group
    tokens: int
    times: int
    text: int
    start: int
    pieces: tuple[bytes, ...] = ()
    begins: bool = True

    @property
    def total(self) -> int:
        """The tokens at all its places together."""
        return self.tokens * self.times

    @property
    def over_one(self) -> int:
        """The tokens at all its places that do not begin the chunk."""
        return (self.tokens - self.begins) * self.times


@dataclass(frozen=True, slots=True)
class Cost:
    """What a part of the texts costs. fair: the tokens that its bytes would cost at the average of all texts."""

    tokens: int
    n_bytes: int
    over_one: int
    fair: int

    @property
    def over_average(self) -> int:
        """The tokens beyond the fair share; below 0 if this part is cheaper than the average."""
        return self.tokens - self.fair

    @property
    def bytes_per_token(self) -> float | None:
        """None if there are no tokens."""
        return self.n_bytes / self.tokens if self.tokens else None


@dataclass(frozen=True, slots=True)
class GroupCost(Cost):
    """A group of content and what it costs. leading: its chunks with the most tokens at all their places together."""

    group: Group
    leading: tuple[ChunkCost, ...]


@dataclass(frozen=True, slots=True)
class FileCost(Cost):
    """A text and what it costs."""

    name: str


@dataclass(frozen=True, slots=True)
class LineCost:
    """A line that is repeated. data: without the white space at its ends. tokens: of the line alone, at each place."""

    data: bytes
    tokens: int
    times: int

    @property
    def total(self) -> int:
        """The tokens at all its places together."""
        return self.tokens * self.times


@dataclass(frozen=True, slots=True)
class WasteReport:
    """What texts cost under one tokenizer, and where.

    groups: those that occur, the highest `over_average` first. leading: the chunks with the most tokens over one at all
    their places together. lines: the repeated lines with the most bytes together, in the order of their tokens; none if
    there are faults. files: the highest `over_average` first. faults: the texts that the tokenizer cannot read, by
    name, with the reason.
    """

    tokens: int
    n_bytes: int
    over_one: int
    groups: tuple[GroupCost, ...]
    leading: tuple[ChunkCost, ...]
    lines: tuple[LineCost, ...]
    files: tuple[FileCost, ...]
    faults: dict[str, TokvizError] = field(default_factory=dict)

    @property
    def bytes_per_token(self) -> float | None:
        """The average of all texts; None if there are no tokens."""
        return self.n_bytes / self.tokens if self.tokens else None

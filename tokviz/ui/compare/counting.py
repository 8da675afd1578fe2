"""Counting whole files in threads, with progress, so that the page stays usable and can cancel the count."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import InitVar, dataclass

from tokviz.cost.figures import facts_of
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.frame.sliced import SlicedWork
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.work import Work


@dataclass(eq=False)
class Count(Work):
    """Count each file under each of its tokenizers. The file keeps each result as soon as it is complete."""

    todo: Sequence[tuple[FileCounts, Sequence[ShownTokenizer]]]
    _doing: str = "Reading"

    def __post_init__(self) -> None:
        self.in_all = sum(file.text.n_bytes * len(shown) for file, shown in self.todo)

    @property
    def doing(self) -> str:
        return self._doing

    def let_go(self) -> None:
        """Let the files go."""
        self.todo = ()

    def slices(self) -> Generator[None]:
        for number, (file, tokenizers) in enumerate(self.todo, 1):
            which = f"file {number} of {len(self.todo)} " if len(self.todo) > 1 else ""
            self._doing = f"Reading {which}".rstrip()
            facts = facts_of(file.text.text)
            for shown in tokenizers:
                self._doing = f"Counting {which}under {shown.name}"
                before = self.so_far
                for counted in file.count(shown.key, shown.tokenizer, facts):
                    self.so_far = before + counted
                    yield
                    if self.stop.is_set():
                        return
                self.so_far = before + file.text.n_bytes


@dataclass(eq=False)
class ReasonCount(SlicedWork):
    """Count the reasons why the second tokenizer of a pair splits tokens of the first. The file keeps the result."""

    file: InitVar[FileCounts]
    pair: InitVar[tuple[ShownTokenizer, ShownTokenizer]]

    def __post_init__(self, file: FileCounts, pair: tuple[ShownTokenizer, ShownTokenizer]) -> None:
        a, b = pair
        self.about = (file.text.sha256, a.key, b.key)
        self.in_all = file.text.n_bytes
        self._doing = f"Finding out why {b.name} splits tokens of {a.name}"
        self._slices = self._count(file, a, b)

    def _count(self, file: FileCounts, a: ShownTokenizer, b: ShownTokenizer) -> Generator[None]:
        for counted in file.count_reasons((a.key, b.key), a.tokenizer, b.tokenizer):
            self.so_far = counted
            yield
            if self.stop.is_set():
                return

"""Finding out where a text wastes tokens, in a thread: its groups of content, and the next merges."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import InitVar, dataclass, field

from tokviz.corpus import count_chunks
from tokviz.errors import InputError
from tokviz.next_merges import NextMerge, merges_in_turn
from tokviz.peers import Peer
from tokviz.text import Text
from tokviz.ui.tokenizers import Shown
from tokviz.ui.work.work import Work
from tokviz.waste import WasteReport, waste_steps

MERGES = 20  # the next merges that are shown
MOST_BYTES = 20_000_000  # of a text


@dataclass(eq=False)
class Waste:
    """What was found. merges: the next merges in turn; None if the tokenizer has none that are known."""

    report: WasteReport
    merges: list[NextMerge] | None


@dataclass(eq=False)
class WasteWork(Work):
    """Find out where a text wastes tokens under a tokenizer. The work itself keeps what was found."""

    text: InitVar[Text]
    shown: InitVar[Shown]
    found: Waste | None = field(default=None, init=False)
    _doing: str = field(default="Counting", init=False)

    def __post_init__(self, text: Text, shown: Shown) -> None:
        self._slices = self._find(text, shown)

    @property
    def doing(self) -> str:
        return self._doing

    def slices(self) -> Generator[None]:
        for _ in self._slices:
            if self.stop.is_set():
                return
            yield

    def let_go(self) -> None:
        """Let the text go."""
        del self._slices

    def _find(self, text: Text, shown: Shown) -> Generator[None]:
        if text.n_bytes > MOST_BYTES:
            what = f"{text.name or 'The text'} has {text.n_bytes:,} bytes, and this tab looks at up to {MOST_BYTES:,}."
            raise InputError(what, "Choose a shorter file.")
        self._begin(f"Counting what each kind of content costs under {shown.name}", text.n_bytes)
        counting = waste_steps(text, shown.tokenizer)
        while True:
            try:
                self.so_far = next(counting)
                yield
            except StopIteration as end:
                report: WasteReport = end.value
                break
        for fault in report.faults.values():
            raise fault
        self._begin("Looking for the next merges", 0)
        yield
        merges = None
        if not isinstance(shown.tokenizer, Peer):
            counts = count_chunks(text.text, shown.tokenizer.pattern)
            yield
            merges = merges_in_turn(counts, shown.tokenizer, MERGES)
        self.found = Waste(report, merges)

    def _begin(self, doing: str, in_all: int) -> None:
        self._doing, self.so_far, self.in_all, self.since = doing, 0, in_all, None

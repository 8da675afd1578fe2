"""Counting what a text costs by groups of content, in a thread."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import InitVar, dataclass, field

from tokviz.base.errors import InputError
from tokviz.base.text import Text
from tokviz.cost.waste import WasteReport, waste_steps
from tokviz.ui.frame.sliced import SlicedWork
from tokviz.ui.frame.tokenizers import ShownTokenizer

MOST_BYTES = 20_000_000  # of a text


@dataclass(eq=False)
class WasteWork(SlicedWork):
    """Count what the groups of content in a text cost under a tokenizer. The work itself keeps the report."""

    text: InitVar[Text]
    shown: InitVar[ShownTokenizer]
    report: WasteReport | None = field(default=None, init=False)

    def __post_init__(self, text: Text, shown: ShownTokenizer) -> None:
        self.in_all, self._doing = text.n_bytes, f"Counting what each kind of content costs under {shown.name}"
        self._slices = self._count(text, shown)

    def _count(self, text: Text, shown: ShownTokenizer) -> Generator[None]:
        if text.n_bytes > MOST_BYTES:
            what = f"{text.name or 'The text'} has {text.n_bytes:,} bytes, and this tab looks at up to {MOST_BYTES:,}."
            raise InputError(what, "Choose a shorter file.")
        for step in waste_steps(text.text, shown.tokenizer):
            self.so_far, self.report = step.done, step.result
            if self.stop.is_set():
                return
            yield

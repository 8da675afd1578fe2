"""Work for an export: which formats can hold a tokenizer, and the proof of the files of one format."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from tokviz import formats
from tokviz.catalog import reference_name
from tokviz.errors import FormatError
from tokviz.export_proof import Proving, Verdict, probes, prove_steps, sums_of
from tokviz.tokenizer import Tokenizer
from tokviz.ui.work.work import Work

_turn = threading.Lock()  # the server does one piece of either kind at a time


class Written(NamedTuple):
    """The files of a tokenizer in one format: name -> sha256. They are written again when somebody takes them.

    refused: why the format cannot hold the tokenizer; there are no files then.
    """

    files: Mapping[str, str]
    refused: FormatError | None = None


_of_references: dict[str, Mapping[str, Written]] = {}  # for all visitors: some take seconds


@dataclass(eq=False)
class WritingWork(Work):
    """Write a tokenizer in each format, to know which can hold it. Only the names and sums of the files are kept."""

    turn: ClassVar[threading.Lock] = _turn
    tokenizer: Tokenizer
    written: dict[str, Written] = field(default_factory=dict)

    @property
    def doing(self) -> str:
        return "Writing the tokenizer in each format"

    def slices(self) -> Iterator[None]:
        name = reference_name(self.tokenizer)
        if name in _of_references:
            self.written.update(_of_references[name])
            return
        self.in_all = len(formats.FORMATS)
        for format in formats.FORMATS:
            self.written[format] = written(self.tokenizer, format)
            self.so_far += 1
            yield
            if self.stop.is_set():
                return
        if name:
            _of_references[name] = self.written


def written(tokenizer: Tokenizer, format: str) -> Written:
    """The names and sums of the files, or why the format cannot hold the tokenizer."""
    try:
        files = formats.dump(tokenizer, format)
    except FormatError as fault:
        return Written({}, fault.without_frames())
    return Written(sums_of(files))


@dataclass(eq=False)
class ProofWork(Work):
    """Prove the files of one format. text: the visitor's, which is one of the probes."""

    turn: ClassVar[threading.Lock] = _turn
    tokenizer: Tokenizer
    format: str
    text: str
    verdict: Verdict | None = None
    _stage: str = ""

    @property
    def doing(self) -> str:
        if not self._stage:
            return "Writing the file"
        what = "tokviz encodes the probes" if self._stage == "encode" else "Loading the file again, and encoding"
        return f"{what}: {self.so_far:,} of {self.in_all:,}"

    def slices(self) -> Iterator[None]:
        files = formats.dump(self.tokenizer, self.format)
        texts = probes(self.tokenizer, self.text)
        yield
        with contextlib.closing(prove_steps(self.tokenizer, self.format, files, texts)) as steps:
            for step in steps:
                if self.stop.is_set():
                    return
                self._take(step)
                yield

    def _take(self, step: Proving) -> None:
        if step.stage != self._stage:
            self._stage, self.since = step.stage, time.monotonic()
        self.so_far, self.in_all, self.verdict = step.done, step.of, step.verdict

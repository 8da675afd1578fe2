"""Work for an export: which formats can hold a tokenizer, and the proof of the files of one format."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Mapping
from dataclasses import InitVar, dataclass, field
from typing import NamedTuple

from tokviz import formats
from tokviz.base.errors import FormatError
from tokviz.catalog.references import reference_name
from tokviz.comparison.export import Proving, Verdict, probes, prove_steps, sums_of
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.sliced import SlicedWork


class Written(NamedTuple):
    """The files of a tokenizer in one format: name -> sha256. They are written again when somebody takes them.

    refused: why the format cannot hold the tokenizer; there are no files then.
    """

    files: Mapping[str, str]
    refused: FormatError | None = None


_of_references: dict[str, Mapping[str, Written]] = {}  # for all visitors: some take seconds


@dataclass(eq=False)
class WritingWork(SlicedWork):
    """Write a tokenizer in each format, to know which can hold it. Only the names and sums of the files are kept."""

    tokenizer: InitVar[Tokenizer]
    written: Mapping[str, Written] = field(default_factory=dict)

    def __post_init__(self, tokenizer: Tokenizer) -> None:
        self.in_all, self._doing = len(formats.WRITTEN), "Writing the tokenizer in each format"
        self._slices = self._write(tokenizer)

    def _write(self, tokenizer: Tokenizer) -> Generator[None]:
        name = reference_name(tokenizer) or ""
        found = dict(_of_references.get(name, {}))
        for format in formats.WRITTEN:
            if format not in found:
                found[format] = written_files(tokenizer, format)
            self.so_far += 1
            yield
            if self.stop.is_set():
                return
        self.written = found
        if name:
            _of_references[name] = found


def written_files(tokenizer: Tokenizer, format: str) -> Written:
    """The names and sums of the files, or why the format cannot hold the tokenizer."""
    try:
        files = formats.dump(tokenizer, format)
    except FormatError as fault:
        return Written({}, fault.without_frames())
    return Written(sums_of(files))


@dataclass(eq=False)
class ProofWork(SlicedWork):
    """Prove the files of one format. text: the visitor's, which is one of the probes."""

    tokenizer: InitVar[Tokenizer]
    format: InitVar[str]
    text: InitVar[str]
    verdict: Verdict | None = None
    _stage: str = ""

    def __post_init__(self, tokenizer: Tokenizer, format: str, text: str) -> None:
        self._slices = self._prove(tokenizer, format, text)

    @property
    def doing(self) -> str:
        if not self._stage:
            return "Writing the file"
        what = "tokviz encodes the probes" if self._stage == "encode" else "Loading the file again, and encoding"
        return f"{what}: {self.so_far:,} of {self.in_all:,}"

    def _prove(self, tokenizer: Tokenizer, format: str, text: str) -> Generator[None]:
        steps = prove_steps(tokenizer, format, formats.dump(tokenizer, format), probes(tokenizer, text))
        yield
        with contextlib.closing(steps):
            for step in steps:
                if self.stop.is_set():
                    return
                self._take(step)
                yield

    def _take(self, step: Proving) -> None:
        if step.stage != self._stage:
            self._stage, self.since = step.stage, time.monotonic()
        self.so_far, self.in_all, self.verdict = step.done, step.of, step.result

"""Work for an export: which formats can hold a tokenizer, and the proof of the files of one format."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import NamedTuple

from tokviz import formats
from tokviz.base.errors import FormatError
from tokviz.catalog.references import reference_name
from tokviz.comparison.export import Verdict, probes, prove_steps, sums_of
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.server.work import Progress, Steps


class Written(NamedTuple):
    """The files of a tokenizer in one format: name -> sha256. They are written again when somebody takes them.

    refused: why the format cannot hold the tokenizer; there are no files then.
    """

    files: Mapping[str, str]
    refused: FormatError | None = None


_of_references: dict[str, Mapping[str, Written]] = {}  # for all visitors: some take seconds


def write(tokenizer: Tokenizer) -> Steps[Mapping[str, Written]]:
    """Write a tokenizer in each format, to know which can hold it. Only the names and sums of the files are kept."""
    name = reference_name(tokenizer) or ""
    found = dict(_of_references.get(name, {}))
    for done, format in enumerate(formats.WRITTEN, 1):
        if format not in found:
            found[format] = written_files(tokenizer, format)
        yield Progress("Writing the tokenizer in each format", done, len(formats.WRITTEN))
    if name:
        _of_references[name] = found
    return found


def written_files(tokenizer: Tokenizer, format: str) -> Written:
    """The names and sums of the files, or why the format cannot hold the tokenizer."""
    try:
        files = formats.dump(tokenizer, format)
    except FormatError as fault:
        return Written({}, fault.without_frames())
    return Written(sums_of(files))


def prove(tokenizer: Tokenizer, format: str, text: str) -> Steps[Verdict | None]:
    """Prove the files of one format. text: the visitor's, which is one of the probes."""
    yield Progress("Writing the file")
    verdict = None
    with contextlib.closing(
        prove_steps(tokenizer, format, formats.dump(tokenizer, format), probes(tokenizer, text))
    ) as steps:
        for step in steps:
            what = "tokviz encodes the probes" if step.stage == "encode" else "Loading the file again, and encoding"
            verdict = step.result
            yield Progress(f"{what}: {step.done:,} of {step.of:,}", step.done, step.of)
    return verdict

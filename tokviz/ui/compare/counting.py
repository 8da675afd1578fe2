"""Counting whole texts with progress, so that the page stays usable and can cancel the count."""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.cost.figures import facts_of
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.work import Progress, Steps


def count_files(todo: Sequence[tuple[FileCounts, Sequence[ShownTokenizer]]]) -> Steps[None]:
    """Count each file under each of its tokenizers. The file keeps each result as soon as it is complete."""
    before, in_all = 0, sum(file.text.n_bytes * len(tokenizers) for file, tokenizers in todo)
    for number, (file, tokenizers) in enumerate(todo, 1):
        which = f"file {number} of {len(todo)} " if len(todo) > 1 else ""
        yield Progress(f"Reading {which}".rstrip(), before, in_all)
        facts = facts_of(file.text.text)
        for shown in tokenizers:
            for counted in file.count(shown.key, shown.tokenizer, facts):
                yield Progress(f"Counting {which}under {shown.name}", before + counted, in_all)
            before += file.text.n_bytes


def count_reasons(file: FileCounts, a: ShownTokenizer, b: ShownTokenizer) -> Steps[None]:
    """Count the reasons why B splits tokens of A. The file keeps the result."""
    for counted in file.count_reasons((a.key, b.key), a.tokenizer, b.tokenizer):
        yield Progress(f"Finding out why {b.name} splits tokens of {a.name}", counted, file.text.n_bytes)

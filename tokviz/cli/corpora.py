"""Opens what `tokviz train` learns from: texts, rows of a column, files of counts, or what a Dask cluster counts."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from tokviz.base.errors import SettingError
from tokviz.cli.count_chunks import are_counts, joined
from tokviz.cli.inputs import STDIN, texts_in
from tokviz.cli.terminal import progress_bar
from tokviz.corpus.chunk_counts import ChunkCounts
from tokviz.corpus.on_dask import LOCAL, count_with_dask
from tokviz.corpus.reading import Corpus

Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help=f"Count on the workers of the Dask scheduler at this address; “{LOCAL}”: on all cores of this machine.",
    ),
]


def corpus_of(
    paths: list[Path],
    pattern: str | None,
    special_tokens: Collection[str],
    *,
    dask: str | None,
    column: str | None,
    threads: int | None,
    repair: bool,
) -> Corpus | ChunkCounts:
    """Open the corpus that these options name. BadParameter if they contradict one another."""
    if dask is None:
        return joined(paths) if column is None and are_counts(paths) else texts_in(paths, repair, column)
    if repair:
        raise typer.BadParameter("--repair reads texts on this machine only. Leave out --dask, or --repair.")
    if threads is not None:
        raise typer.BadParameter(
            "--threads is for counting without Dask. Start the workers with as many threads as you like."
        )
    if STDIN in paths:
        raise typer.BadParameter("--dask reads files, not standard input. Name files that all workers find.")
    if column is None and are_counts(paths):
        raise SettingError("--dask counts texts, and these are chunk counts.", "Leave it out: they are joined here.")
    with progress_bar() as bar:
        task = bar.add_task("Counting bytes with Dask", total=None)
        return count_with_dask(
            paths,
            pattern,
            special_tokens,
            column=column,
            scheduler=dask,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )

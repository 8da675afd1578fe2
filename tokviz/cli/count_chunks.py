"""`tokviz count-chunks`: counts the chunks of a shard of a corpus into a file. `tokviz train` joins such files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tokviz.base.errors import SettingError
from tokviz.base.wording import count_of, printable
from tokviz.cli.inputs import Column, Json, Repair, SpecialTokens, SplitPattern, Threads, texts_in
from tokviz.cli.outputs import Force, check_output, write_output
from tokviz.cli.terminal import print_json, progress_bar
from tokviz.cli.texts import corpus_files
from tokviz.corpus import counts_file
from tokviz.corpus.chunk_counts import MOST_SHARD, ChunkCounts, join, refuse_unlike
from tokviz.corpus.counting import begin_counting


def _show(path: Path | None) -> None:
    """Print what a file of counts says of itself, and nothing else."""
    if path is not None:
        with counts_file.unpacked(path) as (_, _, said):
            print_json(said)
        raise typer.Exit


def count_chunks(
    texts: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Texts, and folders of them; - is standard input.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="COUNTS", help=f"The file to write, such as 7{counts_file.SUFFIX}."),
    ],
    shard: Annotated[
        int | None,
        typer.Option("--shard", metavar="N", min=0, max=MOST_SHARD, help="The number of the shard, from 0."),
    ] = None,
    pattern: SplitPattern = None,
    special: SpecialTokens = None,
    column: Column = None,
    threads: Threads = None,
    show: Annotated[
        Path | None,
        typer.Option(
            "--show",
            metavar="FILE",
            callback=_show,
            is_eager=True,
            help="Print how this file of counts was made, and stop.",
        ),
    ] = None,
    force: Force = False,
    repair: Repair = False,
    as_json: Json = False,
) -> None:
    """Count the chunks of a shard of a corpus, for train to join.

    A shard is a part of a corpus that is too large for one machine. Any machine may count it. Training on all the files
    of counts gives the same tokenizer as training on the whole corpus. The numbers of the shards say their order in the
    corpus.
    """
    check_output(output, force)
    texts = corpus_files(texts, output, column, repair)
    if are_counts(texts):
        raise SettingError(f"{texts[0]} holds chunk counts already.", "Train on it, or name texts.")
    # No limit of time for all matches of a pattern: a person at a terminal may press Ctrl+C.
    counting = begin_counting(texts_in(texts, repair, column), pattern, special or (), True, threads, math.inf)
    with progress_bar() as bar:
        task = bar.add_task("Counting bytes", total=None)
        for done in counting.run():
            bar.update(task, completed=done, total=counting.size)
    counts, _ = counting.result()
    if shard is not None:
        counts = replace(counts, shards={shard: counts.n_bytes})
    write_output(output, force, counts_file.dump(counts))
    if as_json:
        print_json({"file": str(output), "shard": shard, "bytes": counts.n_bytes, "chunks": len(counts)})
    else:
        made = f"{count_of(len(counts), 'distinct chunk')} from {count_of(counts.n_bytes, 'byte')}"
        typer.echo(f"{printable(str(output))}: {made}.", err=True)


def are_counts(paths: list[Path]) -> bool:
    """Tell whether these are files of counts. SettingError if some are and others are not."""
    others = [path for path in paths if not counts_file.is_file(path)]
    if others and len(others) < len(paths):
        raise SettingError(
            f"{others[0]} holds no chunk counts, but other files do.", "Name texts or files of counts, not both."
        )
    return not others


def joined(paths: list[Path]) -> ChunkCounts:
    """Join the counts of several files. SettingError names the files that do not go together.

    A note on standard error says if numbers of shards are left out: the job that counts one may have failed.
    """
    with progress_bar() as bar:
        counts = join(_that_go_together(bar.track(paths, description="Joining counts")))
    first, last = min(counts.shards, default=0), max(counts.shards, default=-1)
    left_out = last + 1 - first - len(counts.shards)
    if 0 < left_out < len(counts.shards):  # with more gaps, the numbers are not those of a series
        missing = f"{count_of(left_out, 'number')} of these {'is' if left_out == 1 else 'are'} missing"
        typer.echo(f"Note: the shards have numbers from {first} to {last}, and {missing}.", err=True)
    return counts


def _that_go_together(paths: Iterable[Path]) -> Iterator[ChunkCounts]:
    """Yield the counts in these files, one after the other. SettingError names two files that do not go together."""
    holds: dict[int | None, Path] = {}  # the number of a shard, None for counts without one -> the file
    way: dict[str, Any] = {}
    for path in paths:
        counts = counts_file.load_counts(path)
        if holds and (None in holds or not counts.shards):
            raise SettingError(
                f"{holds.get(None, path)} does not say which shard it is, so it cannot be joined with other files.",
                "Count it again, with the number of its shard.",
            )
        for shard in counts.shards.keys() & holds.keys():
            raise SettingError(
                f"Shard {shard} is in {holds[shard]} and in {path}.",
                "Leave one of them out, or count again and give each shard its own number.",
            )
        refuse_unlike(way or counts.way, counts.way, f"{next(iter(holds.values()), path)} and {path}")
        way = counts.way
        holds |= dict.fromkeys(counts.shards or [None], path)
        yield counts

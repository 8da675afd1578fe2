"""`tokviz train`: trains a tokenizer on texts, or on files of their chunk counts, and writes a model file."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, cast

import typer

from tokviz.base import bounds
from tokviz.base.wording import count_of, printable, visible
from tokviz.cli.corpora import Dask, corpus_of
from tokviz.cli.inputs import Column, Json, Repair, SpecialTokens, SplitPattern, Threads
from tokviz.cli.outputs import Force, check_output, write_output
from tokviz.cli.terminal import print_json, progress_bar
from tokviz.cli.texts import corpus_files
from tokviz.formats.tokviz import dump
from tokviz.tokenizer.merges import MergeRecord
from tokviz.training import train as training
from tokviz.training.learning import ENDED
from tokviz.training.rules import TIES, Tie


def train(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Texts, and folders of them; - is standard input. Or the files of count-chunks."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")],
    vocab_size: Annotated[
        int,
        typer.Option(
            "--vocab-size",
            metavar="N",
            min=256,
            max=bounds.now().vocabulary,
            help="How many tokens it has: 256 bytes and the merges.",
        ),
    ] = 1024,
    pattern: SplitPattern = None,
    tie: Annotated[
        Tie, typer.Option("--tie", metavar="T", help=f"Which of equally frequent pairs to merge: {', '.join(TIES)}.")
    ] = "first",
    min_count: Annotated[
        int, typer.Option("--min-count", metavar="N", min=1, help="Merge only pairs that occur N times or more.")
    ] = 1,
    special: SpecialTokens = None,
    dask: Dask = None,
    column: Column = None,
    threads: Threads = None,
    force: Force = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print each merge: number, count, replaced, pair, token.")
    ] = False,
    repair: Repair = False,
    as_json: Json = False,
) -> None:
    """Train a tokenizer on texts, and write it to a file.

    The app and all commands open the file. In a folder, reads all files but those that .gitignore names or that are not
    UTF-8.
    """
    check_output(output, force)
    texts = corpus_files(texts, output, column, repair)
    corpus = corpus_of(texts, pattern, special or (), dask=dask, column=column, threads=threads, repair=repair)
    steps = training.train_steps(
        corpus,
        vocab_size,
        pattern=pattern,
        special_tokens=special or (),
        tie=tie,
        min_count=min_count,
        name=output.stem,
        threads=threads,
        pattern_seconds=math.inf,  # a person at a terminal sees how far it is, and may press Ctrl+C
    )
    # With --json the result alone is on standard output.
    done = _print_merges(steps, err=as_json) if verbose else _draw_progress(steps)
    write_output(output, force, dump(done.tokenizer))
    if as_json:
        print_json(
            {
                "file": str(output),
                "vocab_size": done.tokenizer.vocab_size,
                "merges": len(done.merges),
                "stopped": done.stopped,
                "bytes": done.n_bytes,
                "tokens": done.tokens_at(len(done.merges)),
            }
        )
    else:
        made = f"{count_of(len(done.merges), 'merge')} from {count_of(done.n_bytes, 'byte')}"
        typer.echo(f"{printable(str(output))}: {made}; {ENDED[done.stopped]}.", err=True)


def _print_merges(steps: Iterator[training.Progress], err: bool) -> training.Training:
    vocab = {byte: bytes([byte]) for byte in range(256)}
    typer.echo(f"{'merge':>9}{'count':>13}{'replaced':>13}  pair = token", err=err)
    for step in steps:
        typer.echo("".join(f"{_line(merge, vocab)}\n" for merge in step.merges), nl=False, err=err)
        (sys.stderr if err else sys.stdout).flush()  # as it is made, also into a pipe
        last = step
    return cast(training.Training, last.training)


def _line(merge: MergeRecord, vocab: dict[int, bytes]) -> str:
    left, right = vocab[merge.left], vocab[merge.right]
    vocab[merge.id] = left + right
    shown = [printable(visible(token)) for token in (left, right, left + right)]
    return f"{merge.rank + 1:>9,}{merge.count:>13,}{merge.replaced:>13,}  {shown[0]} + {shown[1]} = {shown[2]}"


def _draw_progress(steps: Iterator[training.Progress]) -> training.Training:
    words = {"count": "Counting bytes", "merge": "Making merges"}
    with progress_bar() as bar:
        task, stage = bar.add_task(words["count"], total=None), "count"
        for step in steps:
            if step.stage != stage:
                stage = step.stage
                bar.reset(task, description=words[stage])
            bar.update(task, completed=step.done, total=step.of)
            last = step
    return cast(training.Training, last.training)

"""Prints what commands say on the terminal: text without control characters, tables, errors. Sets exit codes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import typer
import typer.core
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from tokviz.base import files
from tokviz.base.errors import InputError, TokvizError
from tokviz.base.wording import printable
from tokviz.cli.gone import gone

VERDICT = "same"  # the command whose exit code 1 is a result
REPAIRERS = ("encode", "show", "compare", "train", "count-chunks")  # the commands with the option --repair
PIPE_CLOSED = 128 + 13  # what a shell reports for a program that SIGPIPE ended
PIECE = 1 << 14  # characters or bytes written at once


class Command(typer.core.TyperCommand):
    """Runs a command. Its help names the arguments without the classes of Python that they become."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)
        for param in params:
            if isinstance(param, typer.core.TyperArgument):
                vars(param)["display_type_rich"] = lambda ctx: None
        return [*params]


class Commands(typer.core.TyperGroup):
    """Groups all commands. It turns errors of tokviz into one message, and a closed pipe into a quiet end."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a call; if it is gone, end with 2 and say what to use instead."""
        sentence = gone(args)
        if sentence is not None:
            typer.echo(f"Error: {sentence}", err=True)
            raise typer.Exit(2)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _said(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _said(ctx):
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()


@contextlib.contextmanager
def _said(ctx: Any) -> Iterator[None]:
    """End a call that fails with one message, and without one if the reader of a pipe left."""
    try:
        yield
        return
    except TokvizError as fault:
        said = str(fault)
        if isinstance(fault, InputError) and fault.offset is not None and ctx.invoked_subcommand in REPAIRERS:
            said += " The option --repair does the latter."
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(PIPE_CLOSED) from None
    except OSError as fault:  # such as a full disk under standard output, which has no name
        _drop_output()
        said = str(fault) if fault.filename else f"Standard output cannot be written: {files.in_words(fault)[0]}."
    typer.echo(f"Error: {printable(said)}", err=True)
    raise typer.Exit(2 if ctx.invoked_subcommand == VERDICT else 1)


def _drop_output() -> None:
    """Drop what is still to be written, which would fail when the program exits."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def progress_bar() -> Progress:
    """Make a bar on standard error, if that is a terminal, with the time that is left. It is gone at the end."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write lines with columns. The last column is text and aligned left, the others are figures.

    >>> print(table(["tokens", "file"], [["1,204", "a.txt"], ["7", "b.txt"]]))
    tokens  file
     1,204  a.txt
         7  b.txt
    """
    whole = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*whole, strict=True)]
    return "\n".join(
        "  ".join(
            [" " * (width - cell_len(cell)) + cell for cell, width in zip(row[:-1], widths, strict=False)] + row[-1:]
        )
        for row in whole
    )


def print_out(text: str, end: str = "\n") -> None:
    """Print text and a line end, or another end, on standard output.

    It goes out in pieces: if the reader of a large text left, an unbuffered standard output (PYTHONUNBUFFERED) would
    not say that only its first part was written.
    """
    for start in range(0, len(text), PIECE):
        sys.stdout.write(text[start : start + PIECE])
    sys.stdout.write(end)


def write_out(data: bytes) -> None:
    """Write bytes to standard output as they are, in pieces too."""
    sys.stdout.flush()
    for start in range(0, len(data), PIECE):
        sys.stdout.buffer.write(data[start : start + PIECE])


def print_json(value: Any) -> None:
    """Print one JSON value on a line of its own, in ASCII, so no terminal and no encoding can spoil it. Bytes become
    hexadecimal."""
    print_out(json.dumps(value, default=bytes.hex))

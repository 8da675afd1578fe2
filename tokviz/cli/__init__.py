"""Defines the command line: `tokviz`, or `python -m tokviz`. One module for each group of commands.

Exit codes: 0 if all went well, 1 if something was wrong with the input (one message says what, and the way out), 2 for
a wrong call, 130 after Ctrl-C, 141 if the reader of a pipe left early. A command that gives a verdict says it by 0, 1
or 3, so with it 2 means any error.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

import tokviz
from tokviz.cli import compare, convert, count, count_chunks, offline, page, same, tokens, train
from tokviz.cli.terminal import Command, Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # without boxes, so sentences are whole in 80 columns and errors can be copied
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command)(train.train)
app.command(cls=Command)(count_chunks.count_chunks)
app.command(cls=Command)(tokens.encode)
app.command(cls=Command)(tokens.decode)
app.command(cls=Command)(tokens.show)
app.command(cls=Command)(count.count)
app.command("compare", cls=Command)(compare.compare_files)
app.command(cls=Command)(convert.convert)
app.command("same", cls=Command)(same.same_tokenizers)
app.command(cls=Command)(offline.replay)
app.command(cls=Command)(offline.lesson)
app.command(cls=Command)(offline.site)
app.command("app", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(page.start)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(tokviz.__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train tokenizers by byte-pair encoding, and see what they and those of GPT do to a text.

    Name a tokenizer by its own name (gpt2, cl100k_base, o200k_base), by a model that uses it (gpt-4o), by the name
    under which you saved it in the app, or by its file. `tokviz COMMAND --help` says more about a command.
    """


def main() -> None:
    """Run the command that was typed, and exit."""
    if sys.stdout is None:  # closed; then to print fails, as on a full disk
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows its number
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="tokviz")

"""Reads the budgets of `tokviz count`: how many tokens a file may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from tokviz.cli.walk import spec_of

Budgets = Annotated[
    list[str] | None,
    typer.Option(
        "--budget", metavar="[GLOB=]N", help="The most tokens that a file may have. GLOB is as in .gitignore."
    ),
]
_NUMBER = re.compile(r"[0-9]{1,12}")


def budgets_of(paths: Sequence[str], said: Sequence[str]) -> dict[str, int]:
    """Find the budget of each file that has one. said: N for all files, or GLOB=N for some.

    A path beats a glob, and a long glob a short one; of two of one length, the lower number holds. Raises BadParameter
    for what is no budget, and for a glob that matches no file.

    >>> budgets_of(["a.md", "docs/b.md", "docs/c.md", "d.py"], ["*.md=9", "docs/*=20", "docs/c.md=700"])
    {'a.md': 9, 'docs/b.md': 20, 'docs/c.md': 700}
    """
    ranked: list[tuple[bool, int, int, Sequence[str]]] = []
    for one in said:
        glob, equals, limit = one.removeprefix("./").rpartition("=")
        if not _NUMBER.fullmatch(limit) or (equals and not glob):
            raise typer.BadParameter(f"{one!r} is no budget. Write N or GLOB=N, where N is a number of tokens.")
        files = [glob] if glob in paths else [*spec_of([glob or "*"]).match_files(paths)]
        if equals and not files:
            raise typer.BadParameter(f"{glob!r} matches none of the files. Correct it, or name more files.")
        ranked.append((glob in paths, len(glob), -int(limit), files))
    return {path: -limit for _, _, limit, files in sorted(ranked) for path in files}

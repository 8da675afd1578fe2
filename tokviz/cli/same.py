"""`tokviz same`: proves that two tokenizers are equal, or finds a text on which they differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tokviz.base.wording import count_of, printable
from tokviz.cli.inputs import Json, tokenizer_named
from tokviz.cli.terminal import print_json, print_out
from tokviz.comparison.same import Counterexample, Sameness, same
from tokviz.tokenizer.peers import with_merges

DIFFERENT, UNDECIDED = 1, 3  # exit codes

First = Annotated[str, typer.Argument(metavar="A", help="The name of a tokenizer, or its file.")]
Second = Annotated[str, typer.Argument(metavar="B", help="The other one.")]


def same_tokenizers(first: First, second: Second, as_json: Json = False) -> None:
    """Prove that two tokenizers are equal, or find a difference.

    Prints the proof that they are equal on every text, or the shortest text that they encode differently. The exit code
    is 0 if they are proven to be equal, 1 if they differ, 3 if neither was found, and 2 after an error.
    """
    found = same(*(with_merges(tokenizer_named(name)) for name in (first, second)))
    if as_json:
        print_json({"equal": found.equal, **asdict(found)})
    else:
        print_out("\n".join(_said(found, first, second)))
    if found.equal is not True:
        raise typer.Exit(UNDECIDED if found.equal is None else DIFFERENT)


def _said(found: Sameness, first: str, second: str) -> list[str]:
    both = f"{printable(first)} and {printable(second)}"
    if found.equal:
        return [f"{both} are equal on every text.", *(f"  {fact}" for fact in found.certificate)]
    searched = ["Tried:", *(f"  {tried}" for tried in found.searched)]
    if found.difference is None:
        return [f"No text was found on which {both} differ, and no proof that there is none.", *searched]
    return [f"{both} differ.", "", *_shown(found.difference, first, second), "", *searched]


def _shown(found: Counterexample, first: str, second: str) -> list[str]:
    names = [printable(first), printable(second)]
    width = max(map(len, ("text", *names)))
    lines = []
    if found.text is not None:
        size = count_of(len(found.text.encode("utf-8", "surrogatepass")), "byte")
        read_as = ", special tokens read as such" if found.reading == "special" else ""
        lines.append(f"{'text':<{width}}  {printable(repr(found.text))} ({size}{read_as})")
    for name, ids in zip(names, found.ids, strict=True):
        shown = "its pattern does not cover this text" if ids is None else " ".join(map(str, ids))
        lines.append(f"{name:<{width}}  {shown}")
    return [*lines, f"{found.kind}: {printable(found.why)}"]

"""`tokviz waste`: where files waste tokens, and what would save some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokviz.cli import waste_report
from tokviz.cli.inputs import STDIN, Json, TokenizerName, tokenizer_named
from tokviz.cli.terminal import print_json, print_out
from tokviz.cli.texts import Skipped, files_named, name_skipped, text_of
from tokviz.cli.waste_report import FileRewrites, NextMerges, Waste
from tokviz.corpus import count_chunks
from tokviz.next_merges import best_merges, merges_in_turn
from tokviz.peers import AnyTokenizer, Peer
from tokviz.rewrites import MOST_BYTES, measured
from tokviz.text import Text
from tokviz.waste import waste


def waste_of_files(
    tokenizer: TokenizerName,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files and folders; standard input if there is none, or for -."),
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, max=20, help="How many rows each list has.")] = 10,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Show where files waste tokens: dear content, chunks of many tokens, missing merges, and rewrites that save some.

    Files are read as `tokviz count` reads them. The exit code is 1 if one could not be read.
    """
    if markdown and as_json:
        raise typer.BadParameter("Choose one of --markdown and --json.", param_hint="--markdown")
    tok = tokenizer_named(tokenizer)
    found = [text_of(path, shown) for path, shown in files_named(paths or [STDIN])]
    texts = [one for one in found if isinstance(one, Text)]
    skipped = [one for one in found if isinstance(one, Skipped)]
    report = waste(texts, tok)
    skipped += [Skipped(name, str(fault), not_utf8=False) for name, fault in report.faults.items()]
    read = [text for text in texts if text.name not in report.faults]
    whole = Waste(tokenizer, report, _next_merges(read, tok, top), [_rewrites(text, tok) for text in read])
    if as_json:
        print_json(waste_report.as_json(whole, skipped, top))
    else:
        print_out(waste_report.as_markdown(whole, top) if markdown else waste_report.as_text(whole, top))
        name_skipped(skipped)
    if not all(one.not_utf8 for one in skipped):
        raise typer.Exit(1)


def _next_merges(texts: list[Text], tok: AnyTokenizer, top: int) -> NextMerges:
    if isinstance(tok, Peer):
        return NextMerges([], [], f"The merges of a tokenizer of the kind {tok.kind} are not known.")
    counts = count_chunks(texts, tok.pattern)
    return NextMerges(best_merges(counts, tok, top), merges_in_turn(counts, tok, top), "")


def _rewrites(text: Text, tok: AnyTokenizer) -> FileRewrites:
    if text.n_bytes > MOST_BYTES:
        return FileRewrites(text.name, None)
    return FileRewrites(text.name, measured(text.text, tok, text.name).saving)

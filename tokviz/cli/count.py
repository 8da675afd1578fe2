"""`tokviz count`: counts the tokens of files and folders under one or several tokenizers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated

import typer

from tokviz.base.text import Text
from tokviz.base.wording import count_of, printable
from tokviz.cli.budget import Budgets, budgets_of
from tokviz.cli.inputs import STDIN, Json, TokenizerNames, path_name, tokenizers_named
from tokviz.cli.terminal import print_json, print_out, progress_bar, table
from tokviz.cli.texts import Skipped, files_named, name_skipped, read_file
from tokviz.corpus.counting import threads_of
from tokviz.tokenizer.peers import AnyTokenizer

HELD = 1 << 26  # bytes of texts that wait to be counted
AT_ONCE = 1 << 25  # bytes of a text that are encoded as one array; longer texts are encoded in pieces


@dataclass(frozen=True, slots=True)
class CountedFile:
    """Holds what a file has: its bytes as text, and its tokens under each tokenizer."""

    path: str
    n_bytes: int
    tokens: dict[str, int]


def count(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files and folders; - is standard input.", show_default=False)
    ],
    tokenizer: TokenizerNames,
    budget: Budgets = None,
    as_json: Json = False,
) -> None:
    """Count the tokens of files and folders.

    Leaves out what .gitignore names in folders. A file there that is not UTF-8 is skipped, and named at the end. The
    exit code is 1 if a file that you name is not UTF-8, or if a file could not be read, has more tokens than its
    budget, or has a budget and is skipped.
    """
    toks = tokenizers_named(tokenizer)
    files = [*files_named(paths)]
    budgets = budgets_of([shown for _, shown in files], budget or ())
    counted, skipped = count_files(files, toks)
    over = [
        {"path": one.path, "tokenizer": name, "tokens": n_tokens, "budget": budgets[one.path]}
        for one in counted
        for name, n_tokens in one.tokens.items()
        if n_tokens > budgets.get(one.path, n_tokens)
    ]
    named = {path_name(path) if path == STDIN else path.as_posix() for path in paths}
    refused = [one for one in skipped if one.path in named]
    uncounted = [one.path for one in skipped if one in refused or one.path in budgets or not one.not_utf8]
    if as_json:
        print_json(_as_json(counted, skipped, toks) | ({"over": over, "uncounted": uncounted} if budget else {}))
    else:
        lines = (*counted, _total(counted, toks))
        rows = [[*(f"{one.tokens[name]:,}" for name in toks), f"{one.n_bytes:,}", one.path] for one in lines]
        if counted or not refused:
            short = [
                PurePath(name).name or name for name in toks
            ]  # a file without its folder, if that tells them apart
            print_out(table([*(short if len({*short}) == len(short) else toks), "bytes", "file"], rows))
        name_skipped([one for one in skipped if one not in refused])
        faults = [f"Error: {one.path}{'' if one.not_utf8 else ':'} {one.why} {one.way_out}".rstrip() for one in refused]
        said = "{path}: {tokens:,} under {tokenizer}, over its budget of {budget:,}."
        faults += [said.format(**one) for one in over]
        faults += [f"{path}: it has a budget, and cannot be counted." for path in uncounted if path in budgets]
        typer.echo("".join(f"{printable(fault)}\n" for fault in faults), nl=False, err=True)
    if over or uncounted:
        raise typer.Exit(1)


def count_files(
    files: Sequence[tuple[Path, str]], toks: Mapping[str, AnyTokenizer]
) -> tuple[list[CountedFile], list[Skipped]]:
    """Count files, each with its path for the reader."""
    counted: list[CountedFile] = []
    skipped: list[Skipped] = []
    texts: list[Text] = []
    held = 0
    with progress_bar() as bar:
        sized = [path for path, _ in files if os.path.isfile(path)]  # noqa: PTH113 (a path may be too long for the method)
        total = sum(path.stat().st_size for path in sized)
        task = bar.add_task("Counting tokens", total=total * len(toks))

        def tell(n_bytes: int) -> None:
            bar.advance(task, n_bytes)

        for path, shown in files:
            found = read_file(path, shown)
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            texts.append(found)
            held += found.n_bytes
            if held > HELD:
                counted += count_texts(texts, toks, tell)
                texts, held = [], 0
        return counted + count_texts(texts, toks, tell), skipped


def count_texts(
    texts: Sequence[Text], toks: Mapping[str, AnyTokenizer], tell: Callable[[int], None]
) -> list[CountedFile]:
    """Count texts. The tokenizers take turns in as many threads as there are processors.

    tell: called with the bytes that one of the tokenizers has encoded.

    Tokenizers that differ in special tokens alone, as o200k_base and o200k_harmony do, count once: special tokens are
    read as text here.
    """
    alike = {
        name: (id(tok.merge_ids), tok.pattern, *tok.added_tokens) if tok.has_merges else (id(tok),)
        for name, tok in toks.items()
    }
    different = {key: toks[name] for name, key in alike.items()}
    with ThreadPoolExecutor(threads_of(None)) as pool:
        rows = pool.map(lambda tok: [_n_tokens(tok, text, tell) for text in texts], different.values())
        counts = dict(zip(different, rows, strict=True))
    return [
        CountedFile(text.name, text.n_bytes, {name: counts[key][number] for name, key in alike.items()})
        for number, text in enumerate(texts)
    ]


def _n_tokens(tok: AnyTokenizer, text: Text, tell: Callable[[int], None]) -> int:
    if text.n_bytes <= AT_ONCE or not tok.has_merges:
        n_tokens = len(tok.encode_array(text.text))
        tell(text.n_bytes)
        return n_tokens
    n_tokens = 0
    for piece in tok.explain_in_pieces(text.text, AT_ONCE):
        n_tokens += len(piece)
        tell(len(piece.data))
    return n_tokens


def _total(counted: Sequence[CountedFile], names: Iterable[str]) -> CountedFile:
    tokens = {name: sum(one.tokens[name] for one in counted) for name in names}
    return CountedFile(f"total of {count_of(len(counted), 'file')}", sum(one.n_bytes for one in counted), tokens)


def _as_json(
    counted: Sequence[CountedFile], skipped: Sequence[Skipped], toks: Mapping[str, AnyTokenizer]
) -> dict[str, object]:
    total = _total(counted, toks)
    return {
        "files": [{"path": one.path, "bytes": one.n_bytes, "tokens": one.tokens} for one in counted],
        "total": {"files": len(counted), "bytes": total.n_bytes, "tokens": total.tokens},
        "skipped": [{"path": one.path, "reason": one.why, "not_utf8": one.not_utf8} for one in skipped],
    }
